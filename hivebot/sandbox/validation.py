"""Would Slack take these blocks, and if not, what would it say?"""

from __future__ import annotations

from collections.abc import Iterator

from hivebot.sandbox.errors import SlackError
from hivebot.sandbox.shapes import Json, as_list, as_map, as_maps, as_text
from hivebot.sandbox.text import formatted_texts

MAX_TEXT = 40_000
MAX_MESSAGE_BLOCKS = 50
MAX_VIEW_BLOCKS = 100
MAX_MARKDOWN = 12_000
MAX_BLOCKS_TEXT = 13_200

Problem = tuple[str, str]
"""What is wrong, and the JSON pointer to where."""

_PASSIVE = (
    "card",
    "carousel",
    "container",
    "data_table",
    "data_visualization",
    "divider",
    "file",
    "plan",
    "rich_text",
    "task_card",
    "video",
)
_BUTTON_STYLES = (None, "primary", "danger")
_CHOICES = {
    "static_select": 100,
    "multi_static_select": 100,
    "overflow": 5,
    "checkboxes": 10,
    "radio_buttons": 10,
}
_PICKERS = (
    "users_select",
    "multi_users_select",
    "channels_select",
    "multi_channels_select",
    "conversations_select",
    "multi_conversations_select",
    "external_select",
    "multi_external_select",
    "datepicker",
    "timepicker",
    "datetimepicker",
)
_INPUTS = ("plain_text_input", "number_input", "email_text_input", "url_text_input", "file_input")

_PROPERTIES = {
    "actions": ("elements",),
    "button": (
        "text",
        "action_id",
        "url",
        "value",
        "style",
        "confirm",
        "accessibility_label",
    ),
    "context": ("elements",),
    "divider": (),
    "header": ("text", "level"),
    "input": ("label", "element", "dispatch_action", "hint", "optional"),
    "markdown": ("text",),
    "mrkdwn": ("text", "verbatim"),
    "plain_text": ("text", "emoji"),
    "section": ("text", "fields", "accessory", "expand"),
}
_BLOCKS = ("actions", "context", "divider", "header", "input", "markdown", "section")


def check_message_blocks(blocks: list[Json]) -> None:
    """Check the blocks of a message.

    Raises:
        SlackError: ``invalid_blocks`` with the place in ``response_metadata.messages``, or
            ``msg_blocks_too_long`` when each block is legal and all together are not.

    Source: slack.md section 6.
    """
    _refuse([*_problems(blocks, MAX_MESSAGE_BLOCKS, surface="message")])
    if sum(len(text) for _, text in formatted_texts(blocks)) > MAX_BLOCKS_TEXT:
        raise SlackError("msg_blocks_too_long")


def check_view(view: Json) -> None:
    """Check a modal or Home tab.

    Raises:
        SlackError: ``invalid_arguments`` with the place in ``response_metadata.messages``.
    """
    blocks = view.get("blocks")
    problems = [*_frame(view)]
    if blocks is None:
        problems.append(("missing required field: blocks", ""))
    surface = "home" if view.get("type") == "home" else "modal"
    problems.extend(_problems(as_maps(blocks), MAX_VIEW_BLOCKS, surface=surface))
    _refuse(problems, error="invalid_arguments", at="/view")


def _refuse(problems: list[Problem], *, error: str = "invalid_blocks", at: str = "") -> None:
    if not problems:
        return
    lines = [f"{what} [json-pointer:{at}{where}]" for what, where in problems]
    raise SlackError(
        error,
        {
            "errors": list[object](lines),
            "response_metadata": {"messages": [f"[ERROR] {line}" for line in lines]},
        },
    )


def _frame(view: Json) -> Iterator[Problem]:
    kind = view.get("type")
    if kind not in {"modal", "home"}:
        yield "must be one of: modal, home", "/type"
    if kind == "modal":
        yield from _plain(view.get("title"), 24, "/title")
        for name in ("submit", "close"):
            if name in view:
                yield from _plain(view[name], 24, f"/{name}")
    yield from _length(view, "private_metadata", 3000, "")
    yield from _length(view, "callback_id", 255, "")
    inputs = any(block.get("type") == "input" for block in as_maps(view.get("blocks")))
    if kind == "modal" and inputs and "submit" not in view:
        yield "a view with input blocks needs a submit button", "/submit"


def _problems(blocks: list[Json], most: int, *, surface: str) -> Iterator[Problem]:
    if len(blocks) > most:
        yield f"no more than {most} items allowed", "/blocks"
    seen: set[str] = set()
    markdown = 0
    for index, block in enumerate(blocks):
        at = f"/blocks/{index}"
        yield from _length(block, "block_id", 255, at)
        block_id = as_text(block.get("block_id"))
        if block_id and block_id in seen:
            yield f"`block_id` {block_id} already exists", f"{at}/block_id"
        seen.add(block_id)
        yield from _extra(block, at)
        markdown += len(as_text(block.get("text"))) if block.get("type") == "markdown" else 0
        yield from _block(block, at, surface)
    if markdown > MAX_MARKDOWN:
        yield f"must be less than {MAX_MARKDOWN + 1} characters", "/blocks"


def _block(block: Json, at: str, surface: str) -> Iterator[Problem]:
    kind = as_text(block.get("type"))
    elsewhere = {"alert": ("modal",), "markdown": ("message",), "table": ("message",)}
    if surface not in elsewhere.get(kind, (surface,)):
        yield f"unsupported block type in a {surface}: {kind}", at
    elif kind == "section":
        yield from _section(block, at)
    elif kind == "header":
        yield from _plain(block.get("text"), 150, f"{at}/text")
    elif kind in {"actions", "context_actions"}:
        yield from _actions(block, 25 if kind == "actions" else 5, at)
    elif kind == "context":
        yield from _context(block, at)
    elif kind == "input":
        yield from _input(block, at)
    elif kind == "table":
        yield from _table(block, at)
    else:
        yield from _simple(block, kind, at)


def _simple(block: Json, kind: str, at: str) -> Iterator[Problem]:
    if kind == "markdown":
        if not as_text(block.get("text")):
            yield "must be more than 0 characters", f"{at}/text"
    elif kind == "image":
        yield from _image(block, at)
    elif kind == "alert":
        yield from _text_object(block.get("text"), 3000, f"{at}/text")
    elif kind not in _PASSIVE:
        yield f"unsupported type: {kind}", at


def _section(block: Json, at: str) -> Iterator[Problem]:
    if "text" not in block and "fields" not in block:
        yield "missing required field: text", at
    if "text" in block:
        yield from _text_object(block["text"], 3000, f"{at}/text")
    if "fields" in block:
        fields = as_list(block["fields"])
        if not 1 <= len(fields) <= 10:
            yield "no more than 10 items allowed", f"{at}/fields"
        for index, item in enumerate(fields):
            yield from _text_object(item, 2000, f"{at}/fields/{index}")
    if "accessory" in block:
        yield from _element(as_map(block["accessory"]), f"{at}/accessory")


def _actions(block: Json, most: int, at: str) -> Iterator[Problem]:
    elements = as_maps(block.get("elements"))
    if not 1 <= len(elements) <= most:
        yield f"no more than {most} items allowed, and at least 1", f"{at}/elements"
    seen: set[str] = set()
    for index, element in enumerate(elements):
        action_id = as_text(element.get("action_id"))
        if action_id and action_id in seen:
            yield f"`action_id` {action_id} already exists", f"{at}/elements/{index}/action_id"
        seen.add(action_id)
        yield from _element(element, f"{at}/elements/{index}")


def _context(block: Json, at: str) -> Iterator[Problem]:
    elements = as_maps(block.get("elements"))
    if not 1 <= len(elements) <= 10:
        yield "no more than 10 items allowed, and at least 1", f"{at}/elements"
    for index, element in enumerate(elements):
        if element.get("type") == "image":
            yield from _image(element, f"{at}/elements/{index}")
        else:
            yield from _text_object(element, 3000, f"{at}/elements/{index}")


def _image(block: Json, at: str) -> Iterator[Problem]:
    if not as_text(block.get("image_url")) and "slack_file" not in block:
        yield "missing required field: image_url", at
    if not as_text(block.get("alt_text")):
        yield "missing required field: alt_text", at
    yield from _length(block, "image_url", 3000, at)


def _input(block: Json, at: str) -> Iterator[Problem]:
    yield from _plain(block.get("label"), 2000, f"{at}/label")
    if "hint" in block:
        yield from _plain(block["hint"], 2000, f"{at}/hint")
    element = as_map(block.get("element"))
    if element.get("type") == "button":
        yield "unsupported element in an input block: button", f"{at}/element"
    yield from _element(element, f"{at}/element")


def _table(block: Json, at: str) -> Iterator[Problem]:
    rows = as_list(block.get("rows"))
    if not 1 <= len(rows) <= 100:
        yield "no more than 100 items allowed, and at least 1", f"{at}/rows"
    if any(len(as_list(row)) > 20 for row in rows):
        yield "no more than 20 columns allowed", f"{at}/rows"
    if sum(len(text) for _, text in _cells(rows)) > 10_000:
        yield "must be less than 10001 characters", f"{at}/rows"


def _cells(rows: list[object]) -> Iterator[tuple[str, str]]:
    for row in rows:
        for cell in as_maps(row):
            if cell.get("type") == "raw_text":
                yield "plain", as_text(cell.get("text"))
            else:
                yield from formatted_texts([cell])


def _element(element: Json, at: str) -> Iterator[Problem]:
    kind = as_text(element.get("type"))
    yield from _extra(element, at)
    yield from _length(element, "action_id", 255, at)
    if "placeholder" in element:
        yield from _plain(element["placeholder"], 150, f"{at}/placeholder")
    if "confirm" in element:
        yield from _confirm(as_map(element["confirm"]), f"{at}/confirm")
    if kind in {"button", "workflow_button"}:
        yield from _button(element, at)
    elif kind in _CHOICES:
        yield from _options(element, _CHOICES[kind], at)
    elif kind == "image":
        yield from _image(element, at)
    elif kind not in (*_PICKERS, *_INPUTS, "feedback_buttons", "icon_button", "rich_text_input"):
        yield f"unsupported type: {kind}", at


def _button(element: Json, at: str) -> Iterator[Problem]:
    yield from _plain(element.get("text"), 75, f"{at}/text")
    yield from _length(element, "value", 2000, at)
    yield from _length(element, "url", 3000, at)
    if element.get("style") not in _BUTTON_STYLES:
        yield "must be one of: primary, danger", f"{at}/style"


def _options(element: Json, most: int, at: str) -> Iterator[Problem]:
    options = as_maps(element.get("options"))
    grouped = as_maps(element.get("option_groups"))
    inside = [one for group in grouped for one in as_maps(group.get("options"))]
    if not 1 <= len(options) <= most and not inside:
        yield f"no more than {most} items allowed, and at least 1", f"{at}/options"
    for index, option in enumerate(options or inside):
        yield from _text_object(option.get("text"), 75, f"{at}/options/{index}/text")
        yield from _length(option, "value", 150, f"{at}/options/{index}")


def _confirm(confirm: Json, at: str) -> Iterator[Problem]:
    yield from _plain(confirm.get("title"), 100, f"{at}/title")
    yield from _text_object(confirm.get("text"), 300, f"{at}/text")
    yield from _plain(confirm.get("confirm"), 30, f"{at}/confirm")
    yield from _plain(confirm.get("deny"), 30, f"{at}/deny")


def _plain(value: object, most: int, at: str) -> Iterator[Problem]:
    if as_map(value).get("type") != "plain_text":
        yield "must be of type: plain_text", at
    else:
        yield from _text_object(value, most, at)


def _text_object(value: object, most: int, at: str) -> Iterator[Problem]:
    item = as_map(value)
    text = as_text(item.get("text"))
    if item.get("type") not in {"plain_text", "mrkdwn"}:
        yield "must be one of: plain_text, mrkdwn", f"{at}/type"
    elif not text:
        yield "must be more than 0 characters", f"{at}/text"
    elif len(text) > most:
        yield f"must be less than {most + 1} characters", f"{at}/text"
    yield from _extra(item, at)


def _extra(item: Json, at: str) -> Iterator[Problem]:
    """Find properties that the type does not have; types without a table may have any."""
    kind = as_text(item.get("type"))
    if kind in _PROPERTIES:
        known = {"type", *_PROPERTIES[kind], *(("block_id",) if kind in _BLOCKS else ())}
        for name in sorted(set(item) - known):
            yield f"invalid additional property: {name}", at


def _length(item: Json, name: str, most: int, at: str) -> Iterator[Problem]:
    if len(as_text(item.get(name))) > most:
        yield f"must be less than {most + 1} characters", f"{at}/{name}"
