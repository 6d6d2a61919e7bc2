"""Does the page show what stands in the workspace, to whom it may, and to everybody who reads?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from aiohttp import web
from playwright.async_api import Page, expect

from hivebot.sandbox.shapes import Json, as_map, as_maps
from tests.browser.conftest import Pages
from tests.unit.sandbox.builders import actions, button, field, modal, words
from tests.unit.sandbox.running import Site, site

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "<img src=x onerror=\"document.title='taken'\"> <script>document.title='taken'</script>"
CONTRAST = """
() => {
  const number = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((one) => {
      const part = one / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const color = number(getComputedStyle(one).backgroundColor);
      if (color[3] === 1) return color;
    }
    return number(getComputedStyle(document.documentElement).backgroundColor);
  };
  const weak = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
    const box = node.getBoundingClientRect();
    const outside = node.closest("svg, :disabled, .skip, .gutter, noscript, option");
    if (!own || !box.width || outside) continue;
    const style = getComputedStyle(node);
    if (style.visibility === "hidden") continue;
    const pair = [light(number(style.color)), light(ground(node))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) weak.push(`${ratio.toFixed(2)} ${node.tagName} ${node.textContent.trim()}`);
  }
  return weak;
}
"""
NAMELESS = """
() => [...document.querySelectorAll("button, a[href], select, textarea, input, [role=tab]")]
  .filter((node) => node.getBoundingClientRect().width)
  .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim()
    || [...(node.labels ?? [])].some((label) => label.textContent.trim())))
  .map((node) => node.outerHTML)
"""


@pytest_asyncio.fixture(loop_scope="session")
async def here() -> AsyncGenerator[Site]:
    """A workspace alone, with an app of the test's own."""
    async with site(rich_text=True) as running:
        yield running


def address(here: Site, place: str = "C0PAY") -> str:
    return f"{here.running.base_url}/#/{place}"


async def menu_of(page: Page, text: str, item: str) -> None:
    message = page.locator("#messages > .message", has_text=text)
    await message.hover()
    await message.get_by_role("button", name=re.compile("^More")).click()
    await page.get_by_role("menuitem", name=item).click()


async def test_text_is_never_markup(pages: Pages, here: Site) -> None:
    await here.people.say("ana", "payments", NASTY)
    await here.people.bot_say("payments", text=NASTY, username=NASTY)
    blocks: list[Json] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "&lt;img src=x&gt; *<b>*"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "<javascript:alert(1)|press me>"}},
        {"type": "context", "elements": [words(NASTY)]},
    ]
    await here.call("chat.postMessage", channel="C0PAY", text="x", blocks=blocks)
    async with pages(address(here)) as page:
        await expect(page.locator("#messages > .message")).to_have_count(3)
        await expect(page.locator("#messages")).to_contain_text("<script>document.title")
        await expect(page.locator("#messages")).to_contain_text("press me")
        assert await page.locator("#messages img, #messages script, #messages b").count() == 0
        assert await page.locator("#messages a[href^=javascript]").count() == 0
        assert await page.title() == "#payments · hivebot sandbox"


async def test_slacks_marks_are_shown_as_people_see_them(pages: Pages, here: Site) -> None:
    text = "*bold* _it_ ~no~ `code` <@U0BEN> <#C0PLAT> <!here> <https://a.test/x|a link>\n> quoted"
    await here.call("chat.postMessage", channel="C0PAY", text=text)
    async with pages(address(here)) as page:
        body = page.locator("#messages .body")
        await expect(body.locator("strong")).to_have_text("bold")
        await expect(body.locator("em")).to_have_text("it")
        await expect(body.locator("code")).to_have_text("code")
        await expect(body.locator("blockquote")).to_have_text("quoted")
        await expect(body.locator(".mention")).to_have_text(["@ben", "#platform", "@here"])
        link = body.get_by_role("link", name="a link")
        await expect(link).to_have_attribute("rel", "noopener noreferrer")


async def test_a_person_reacts_edits_and_deletes_what_is_theirs(pages: Pages, here: Site) -> None:
    await here.people.say("ben", "payments", "from Ben")
    ts = await here.people.say("ana", "payments", "from Ana")
    async with pages(address(here)) as page:
        mine = page.locator("#messages > .message", has_text="from Ana")
        await mine.hover()
        await mine.get_by_role("button", name=re.compile("^React")).click()
        await page.get_by_role("menuitem", name="eyes").click()
        await expect(mine.get_by_role("button", name=re.compile("^eyes, 1: Ana"))).to_be_visible()
        await menu_of(page, "from Ana", "Edit")
        await page.get_by_role("textbox", name="Edit the message").fill("changed by Ana")
        await page.get_by_role("button", name="Save").click()
        await expect(page.locator("#messages")).to_contain_text("changed by Ana (edited)")
        assert (await here.people.message("payments", ts))["plain"] == "changed by Ana"
        bens = page.locator("#messages > .message", has_text="from Ben")
        await bens.hover()
        await bens.get_by_role("button", name=re.compile("^More")).click()
        await expect(page.get_by_role("menuitem", name="Edit")).to_have_count(0)
        await expect(page.get_by_role("menuitem", name="Delete")).to_have_count(0)
        await page.keyboard.press("Escape")
        await menu_of(page, "changed by Ana", "Delete")
        await expect(page.locator("#messages > .message")).to_have_count(1)


async def test_news_come_by_themselves_and_mark_their_channel(pages: Pages, here: Site) -> None:
    async with pages(address(here)) as page:
        await expect(page.locator("#messages .nothing")).to_be_visible()
        await here.people.say("ben", "payments", "live")
        await expect(page.locator("#messages")).to_contain_text("live")
        await here.people.say("ben", "data", "elsewhere")
        await expect(
            page.get_by_role("link", name=re.compile("data ?, something new"))
        ).to_be_visible()


async def test_each_person_sees_their_own_workspace(pages: Pages, here: Site) -> None:
    await here.people.say("ana", "payments", "for us")
    await here.call("chat.postEphemeral", channel="C0PAY", user="U0ANA", text="psst, Ana")
    async with pages(address(here)) as page:
        await expect(page.locator("#messages")).to_contain_text("Only visible to you")
        await page.locator("#person").select_option("U0BEN")
        await expect(page.locator("#messages")).to_contain_text("for us")
        await expect(page.locator("#messages")).not_to_contain_text("psst")
        await page.locator("#person").select_option("U9EVE")
        await expect(page.locator("#chat-title")).to_have_text("#acme")
        await expect(page.locator("#channels")).not_to_contain_text("payments")
        await expect(page.locator("#messages")).not_to_contain_text("for us")


async def test_a_button_asks_first_and_is_pressed_once(pages: Pages, here: Site) -> None:
    question = {
        "title": words("Sure?"),
        "text": words("It will be posted."),
        "confirm": words("Do it"),
        "deny": words("Rather not"),
    }
    blocks = [actions(button("approve", value="7", confirm=question), button("reject"))]
    await here.call("chat.postMessage", channel="C0PAY", text="x", blocks=blocks)
    async with pages(address(here)) as page:
        dialog = page.get_by_role("dialog", name="Sure?")
        await page.get_by_role("button", name="approve").click()
        await expect(dialog).to_contain_text("It will be posted.")
        await dialog.get_by_role("button", name="Rather not").click()
        await page.get_by_role("button", name="approve").click()
        await page.keyboard.press("Escape")
        assert pressed(here) == []
        await page.get_by_role("button", name="approve").click()
        await dialog.get_by_role("button", name="Do it").click()
        await expect(dialog).to_be_hidden()
        await page.get_by_role("button", name="reject").click()
        async with asyncio.timeout(5):
            while len(pressed(here)) < 2:
                here.app.arrived.clear()
                await here.app.arrived.wait()
    assert pressed(here) == [("approve", "7"), ("reject", None)]


def interactions(here: Site) -> list[Json]:
    return [one.payload for one in here.app.got if one.raw.startswith(b"payload=")]


def pressed(here: Site) -> list[tuple[object, object]]:
    acted = [one for sent in interactions(here) for one in as_maps(sent.get("actions"))]
    return [(one.get("action_id"), one.get("value")) for one in acted]


async def open_modal(here: Site, *blocks: Json) -> None:
    """Let the app open a modal for the steward."""
    await here.people.command("stew", "payments", "/hive")
    trigger = here.app.got[-1].form["trigger_id"]
    view = modal(*blocks, title=words("Correct the answer"), notify_on_close=True)
    body = await here.call("views.open", trigger_id=trigger, view=view)
    assert body["ok"] is True, body


def options(*names: str) -> list[Json]:
    return [{"text": words(name), "value": name} for name in names]


async def test_a_modal_is_filled_in_refused_mended_and_submitted(pages: Pages, here: Site) -> None:
    await open_modal(
        here,
        {"type": "section", "text": {"type": "mrkdwn", "text": "*What should it say?*"}},
        field("text", {"multiline": True}, label=words("Your text")),
        field("why", {"type": "static_select", "options": options("wrong", "old")}),
        field("teach", {"type": "checkboxes", "options": options("yes")}, optional=True),
        field("kind", {"type": "radio_buttons", "options": options("a", "b")}),
        field("who", {"type": "users_select"}, optional=True),
    )
    async with pages(address(here)) as page:
        await expect(page.locator("#view")).to_be_hidden()
        await page.locator("#person").select_option("U0STEW")
        dialog = page.get_by_role("dialog", name="Correct the answer")
        box = dialog.get_by_label("Your text")
        await expect(box).to_be_focused()
        await box.fill("Ten days")
        await dialog.locator("select[data-action=why]").select_option("old")
        await dialog.get_by_label("yes").check()
        await dialog.get_by_label("b", exact=True).check()
        errors = {"response_action": "errors", "errors": {"block-text": "Say more."}}
        here.app.answers = [web.json_response(errors)]
        await dialog.get_by_role("button", name="Go").click()
        await expect(dialog.get_by_role("alert").first).to_have_text("Say more.")
        await expect(box).to_have_attribute("aria-invalid", "true")
        await expect(box).to_have_value("Ten days")
        await box.fill("Ten working days")
        await dialog.get_by_role("button", name="Go").click()
        await expect(dialog).to_be_hidden()
    view = as_map(interactions(here)[-1]["view"])
    values = as_map(as_map(view["state"])["values"])
    left = {name: as_map(as_map(values[f"block-{name}"])[name]) for name in ("text", "why", "kind")}
    assert left["text"]["value"] == "Ten working days"
    assert as_map(left["why"]["selected_option"])["value"] == "old"
    assert as_map(left["kind"]["selected_option"])["value"] == "b"


async def test_a_modal_is_left_with_escape_and_the_app_hears_of_it(
    pages: Pages, here: Site
) -> None:
    await open_modal(here, actions(button("more")))
    async with pages(address(here)) as page:
        await page.locator("#person").select_option("U0STEW")
        dialog = page.get_by_role("dialog", name="Correct the answer")
        await dialog.get_by_role("button", name="more").click()
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        assert await here.people.views("stew") == []
    kinds = [one["type"] for one in interactions(here)]
    assert kinds == ["block_actions", "view_closed"]


async def test_a_menu_under_a_message_gives_the_app_what_was_picked(
    pages: Pages, here: Site
) -> None:
    menu: Json = {"type": "overflow", "action_id": "more", "options": options("Correct", "Remove")}
    text = {"type": "mrkdwn", "text": "an answer"}
    await here.call(
        "chat.postMessage",
        channel="C0PAY",
        text="x",
        blocks=[{"type": "section", "text": text, "accessory": menu}],
    )
    async with pages(address(here)) as page:
        await page.get_by_role("button", name="More to do with this").click()
        await page.keyboard.press("ArrowDown")
        await expect(page.get_by_role("menuitem", name="Remove")).to_be_focused()
        await page.get_by_role("menuitem", name="Correct").click()
        async with asyncio.timeout(5):
            while not interactions(here):
                here.app.arrived.clear()
                await here.app.arrived.wait()
    (action,) = as_maps(interactions(here)[0]["actions"])
    assert as_map(action["selected_option"])["value"] == "Correct"


async def test_an_app_that_does_not_answer_a_press_is_said_to(pages: Pages, here: Site) -> None:
    blocks = [actions(button("approve"))]
    await here.call("chat.postMessage", channel="C0PAY", text="x", blocks=blocks)
    here.app.answers = [None, None, None]
    async with pages(address(here)) as page:
        await page.get_by_role("button", name="approve").click()
        await expect(page.get_by_role("alert")).to_contain_text("longer than three seconds")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 900, 360])
async def test_everything_can_be_read_and_has_a_name(
    pages: Pages, here: Site, width: int, *, dark: bool
) -> None:
    ts = await here.people.say("ana", "payments", "a question to @#platform and `code`")
    await here.people.say("ben", "payments", "a reply", thread_ts=ts)
    await here.people.react("ben", "payments", ts, "+1")
    small: Json = {"type": "context", "elements": [words("small print")]}
    blocks = [small, actions(button("yes", style="primary"), button("no", style="danger"))]
    await here.call("chat.postMessage", channel="C0PAY", text="x", blocks=blocks, thread_ts=ts)
    await here.call("chat.postEphemeral", channel="C0PAY", user="U0ANA", text="psst")
    async with pages(address(here, f"C0PAY/{ts}"), width=width, height=740, dark=dark) as page:
        parts = ["thread", "chat", "channels", "side"] if width < 900 else [""]
        for part in parts:
            if part:
                await page.locator(f".switch [data-pane={part}]").click()
            for tab in ("Tasks", "Why", "Network") if part in ("", "side") else ("",):
                if tab:
                    await page.get_by_role("tab", name=tab).click()
                assert await page.evaluate(CONTRAST) == []
                assert await page.evaluate(NAMELESS) == []
                assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_the_page_is_used_with_the_keyboard_alone(pages: Pages, here: Site) -> None:
    async with pages(address(here)) as page:
        await page.keyboard.press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.locator("#composer-text")).to_be_focused()
        await page.keyboard.type("by keyboard")
        await page.keyboard.press("Enter")
        message = page.locator("#messages > .message", has_text="by keyboard")
        await expect(message).to_be_visible()
        reply = message.get_by_role("button", name=re.compile("^Reply in a thread"))
        await reply.focus()
        await expect(message.locator(".toolbar")).to_have_css("opacity", "1")
        await page.keyboard.press("Enter")
        await expect(page.locator("#thread")).to_be_visible()
        await page.get_by_role("tab", name="Tasks").focus()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name="Why")).to_be_focused()
        await expect(page.locator("#panel-why")).to_be_visible()


async def test_what_is_new_is_told_to_screen_readers_and_what_stands_is_not_told_again(
    pages: Pages, here: Site
) -> None:
    await here.people.say("ana", "payments", "first")
    async with pages(address(here)) as page:
        log = page.get_by_role("log", name="Messages")
        await expect(log.get_by_role("article", name=re.compile("^Ana, "))).to_have_count(1)
        first = page.locator("#messages > .message").first
        await first.evaluate("(node) => { node.dataset.mark = 'the same'; }")
        await here.people.say("ben", "payments", "second")
        await expect(log.get_by_role("article")).to_have_count(2)
        await expect(first).to_have_attribute("data-mark", "the same")
