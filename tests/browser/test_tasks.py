"""Can the tasks be done on the page by somebody who has seen only the page?

They are done in the shared sandbox, with the real bot, in the words the page itself offers.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.access import grave_findings
from tests.browser.conftest import Pages, Picture

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def take_there(page: Page, task: str) -> None:
    """Press the button of a task, and send what it has typed."""
    await page.get_by_role("tab", name="Tasks").click()
    await page.get_by_role("button", name=f"Take me there: {task}", exact=True).click()
    box = page.locator("#composer-text")
    await expect(box).to_be_focused()
    await expect(box).not_to_have_value("")
    await box.press("Enter")
    await expect(box).to_have_value("")


async def open_thread(page: Page, text: str) -> None:
    """Open the thread under a message once somebody has replied."""
    asked = page.locator("#messages > .message", has_text=text)
    await asked.get_by_role("button", name=re.compile("repl(y|ies)$")).click()


async def test_a_question_is_asked_and_answered_in_its_thread(
    pages: Pages, sandbox: str, picture: Picture
) -> None:
    async with pages(sandbox) as page:
        await page.get_by_role("tab", name="Tasks").click()
        await expect(page.locator(".tasks > li")).to_have_count(6)
        assert await grave_findings(page) == []
        await picture(page, "sandbox-tasks")
        await take_there(page, "Ask")
        await open_thread(page, "when does a refund reach")
        thread = page.get_by_role("log", name="Thread")
        await expect(thread).to_contain_text("Pia (rule-based)")
        await expect(thread).to_contain_text("within five working days")


async def test_typing_the_sign_of_a_desk_offers_desks_and_the_question_crosses(
    pages: Pages, sandbox: str
) -> None:
    async with pages(f"{sandbox}/#/C0PAY") as page:
        box = page.locator("#composer-text")
        await box.click()
        await page.keyboard.type("@#pl")
        offer = page.get_by_role("option", name="@#platform")
        await expect(offer).to_have_attribute("aria-selected", "true")
        await expect(box).to_have_attribute("aria-expanded", "true")
        assert await grave_findings(page) == []
        await page.keyboard.press("Tab")
        await expect(box).to_have_value("@#platform ")
        await page.keyboard.type("does the gateway retry on 503?")
        await page.keyboard.press("Enter")
        await open_thread(page, "does the gateway retry on 503?")
        await expect(page.locator("#replies")).to_contain_text("retries a 503 twice")

        await page.get_by_role("tab", name="Why").click()
        way = page.get_by_role("img", name=re.compile("^The path of the question D"))
        await expect(way).to_have_accessible_name(re.compile("Lasse there: answered"))
        await expect(page.locator("#panel-why")).to_contain_text("#payments → #platform")

        await page.goto(f"{sandbox}/#/C0PLAT")
        await expect(page.locator("#messages > .message").last).to_contain_text("Lasse")


async def test_a_deliberation_is_drawn_bid_by_bid(
    pages: Pages, sandbox: str, picture: Picture
) -> None:
    async with pages(sandbox) as page:
        await take_there(page, "Read why")
        await expect(page.locator("#person")).to_have_value("U0BEN")
        await open_thread(page, "the new ingest is ready")
        await page.get_by_role("tab", name="Why").click()
        panel = page.locator("#panel-why")
        await expect(panel).to_contain_text("#data agreed on #canary", timeout=30_000)
        await expect(panel.locator("output")).to_have_text("step 13 of 13")
        await expect(panel).to_contain_text("Agreed on #canary")

        await panel.get_by_role("slider").fill("8")
        await expect(panel).to_contain_text("Carl speaks")
        bids = panel.get_by_role("img", name=re.compile("^Bids for the floor"))
        await expect(bids).to_have_accessible_name(re.compile(r"Anna: [\d,]+ \(pull .*Carl has it"))
        assert await bids.locator(".mine").count() == 1
        assert await bids.locator("rect.pull").count() == 5
        stands = panel.get_by_role("img", name=re.compile("^Where the options stand; 3 must agree"))
        await expect(stands).to_have_accessible_name(re.compile("#revert: 1 of 3, Anna"))
        assert await grave_findings(page) == []
        await picture(page, "sandbox-why")
        await panel.get_by_role("button", name="Step before").press("Enter")
        await expect(panel.locator("output")).to_have_text("step 7 of 13")
        await expect(panel.get_by_role("button", name="Step before")).to_be_focused()


async def test_a_message_tells_why_it_was_said(pages: Pages, sandbox: str) -> None:
    async with pages(f"{sandbox}/#/C0PAY") as page:
        await page.locator("#composer-text").fill("@hive how long may a chargeback take?")
        await page.locator("#composer-text").press("Enter")
        await open_thread(page, "how long may a chargeback take?")
        answer = page.locator("#replies > .message").last
        await expect(answer).to_contain_text("rule-based")
        await answer.hover()
        await answer.get_by_role("button", name=re.compile(r"^Why\?")).click()
        panel = page.locator("#panel-why")
        await expect(panel).to_contain_text("About one message")
        await expect(panel).to_contain_text("Next on the desk is Otto")
        await panel.get_by_role("button", name="Follow the chat again").click()
        await expect(panel).to_contain_text("Follows what is open in the chat")


async def test_a_held_answer_waits_for_its_steward_and_goes_out_when_approved(
    pages: Pages, sandbox: str, picture: Picture
) -> None:
    async with pages(sandbox) as page:
        await take_there(page, "Decide a gate")
        await expect(page.locator("#person")).to_have_value("U0BEN")
        await open_thread(page, "may we release on Friday?")
        thread = page.get_by_role("log", name="Thread")
        await expect(thread).to_contain_text("An answer waits to be sent")
        await page.locator("#person").select_option("U0STEW")
        approve = thread.get_by_role("button", name="Approve")
        await expect(approve).to_be_visible()
        assert await grave_findings(page) == []
        await picture(page, "sandbox-gate")
        await approve.click()
        await expect(thread).to_contain_text("Approved by")
        answer = thread.get_by_role("article", name=re.compile("^Olga"))
        await expect(answer).to_contain_text("on Fridays only what mends a fault")
        await expect(approve).to_have_count(0)


async def test_a_steward_corrects_an_answer_and_the_old_words_are_struck(
    pages: Pages, sandbox: str, picture: Picture
) -> None:
    async with pages(sandbox) as page:
        await take_there(page, "Correct an answer")
        await expect(page.locator("#person")).to_have_value("U0STEW")
        await open_thread(page, "when do we settle")
        answer = page.locator("#replies > .message", has_text="rule-based")
        await expect(answer).to_contain_text("every night at 02:00")
        await answer.get_by_role("button", name="More to do with this").click()
        await expect(page.get_by_role("menuitem", name="Correct")).to_be_visible()
        assert await grave_findings(page) == []
        await page.get_by_role("menuitem", name="Correct").click()
        dialog = page.get_by_role("dialog", name="Correct")
        await dialog.get_by_role("textbox").fill("We settle at 03:00 since October.")
        assert await grave_findings(page) == []
        await picture(page, "sandbox-correct")
        await dialog.get_by_role("button", name="Correct").click()
        await expect(answer).to_contain_text("We settle at 03:00 since October.")
        await expect(answer.locator("s")).to_contain_text("every night at 02:00")


async def test_what_gets_lost_on_the_way_is_answered_once(pages: Pages, sandbox: str) -> None:
    async with pages(f"{sandbox}/#/C0PAY") as page:
        await take_there(page, "Break the network")
        await open_thread(page, "what is a chargeback?")
        await page.get_by_role("tab", name="Network").click()
        lost = page.get_by_role("switch", name="The answer gets lost")
        twice = page.get_by_role("switch", name="Every event twice")
        await lost.click()
        await twice.click()
        await expect(lost).to_have_attribute("aria-checked", "true")
        assert await grave_findings(page) == []
        await page.locator("#thread-text").fill("@hive what about a declined card?")
        await page.locator("#thread-text").press("Enter")
        replies = page.locator("#replies > .message", has_text="rule-based")
        await expect(replies).to_have_count(2, timeout=30_000)
        await expect(lost).to_have_attribute("aria-checked", "false")
        await page.get_by_role("button", name="Mend everything").click()
        await expect(twice).to_have_attribute("aria-checked", "false")
        await page.locator("#thread-text").fill("@hive and a stolen card?")
        await page.locator("#thread-text").press("Enter")
        await expect(replies).to_have_count(3, timeout=30_000)


async def test_a_cut_line_is_plugged_in_again_and_nothing_is_lost(
    pages: Pages, sandbox: str
) -> None:
    async with pages(f"{sandbox}/#/C0PAY") as page:
        await page.get_by_role("tab", name="Network").click()
        cut = page.get_by_role("switch", name="Cut the line")
        await cut.click()
        await expect(cut).to_have_attribute("aria-checked", "true")
        await page.locator("#composer-text").fill("@hive is a dispute urgent?")
        await page.locator("#composer-text").press("Enter")
        await expect(page.locator("#panel-wire")).to_contain_text(re.compile("Held: [1-9]"))
        await cut.click()
        await open_thread(page, "is a dispute urgent?")
        await expect(page.locator("#replies")).to_contain_text("rule-based", timeout=30_000)
        await expect(page.locator("#panel-wire")).to_contain_text("Held: 0")
