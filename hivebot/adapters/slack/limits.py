"""Would Slack take this message or view? Its limits by name, and what breaks them.

Source: slack.md 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hivebot.adapters.slack.shapes import Json, as_list, as_map, as_maps, as_text

TEXT_MAX: Final = 4_000
BLOCKS_TEXT_MAX: Final = 12_000
"""Characters over all blocks of a message; refusals were seen from 13,200 on."""

MESSAGE_BLOCKS_MAX: Final = 50
VIEW_BLOCKS_MAX: Final = 100
BLOCK_ID_MAX: Final = 255
ACTION_ID_MAX: Final = 255
SECTION_MAX: Final = 3_000
FIELDS_MAX: Final = 10
FIELD_MAX: Final = 2_000
HEADER_MAX: Final = 150
CONTEXT_ELEMENTS_MAX: Final = 10
ACTIONS_MAX: Final = 25
CONTEXT_ACTIONS_MAX: Final = 5
BUTTON_TEXT_MAX: Final = 75
CONFIRM_TEXT_MAX: Final = 300
BUTTON_VALUE_MAX: Final = 2_000
OVERFLOW_MAX: Final = 5
OPTION_TEXT_MAX: Final = 75
OPTION_VALUE_MAX: Final = 75
MARKDOWN_MAX: Final = 12_000
TABLE_ROWS_MAX: Final = 100
TABLE_COLUMNS_MAX: Final = 20
TABLE_TEXT_MAX: Final = 10_000
USERNAME_MAX: Final = 80
VIEW_TITLE_MAX: Final = 24
PRIVATE_METADATA_MAX: Final = 3_000

_KNOWN: Final = frozenset(
    {
        "actions",
        "context",
        "context_actions",
        "divider",
        "header",
        "input",
        "markdown",
        "rich_text",
        "section",
        "table",
    }
)


def problems(text: str, blocks: Sequence[Json]) -> tuple[str, ...]:
    """What is wrong with a message, one line each; () when Slack would take it."""
    found: list[str] = []
    if not text.strip():
        found.append("text: blank")
    if len(text) > TEXT_MAX:
        found.append(f"text: over {TEXT_MAX}")
    if sum(map(_size, blocks)) > BLOCKS_TEXT_MAX:
        found.append(f"blocks: over {BLOCKS_TEXT_MAX} characters")
    return (*found, *_blocks(blocks, MESSAGE_BLOCKS_MAX))


def view_problems(view: Json) -> tuple[str, ...]:
    """What is wrong with a modal or Home tab, one line each."""
    found: list[str] = []
    if view.get("type") == "modal":
        for name in ("title", "submit", "close"):
            if name in view:
                found.extend(_text(view[name], VIEW_TITLE_MAX, name))
        if "title" not in view:
            found.append("title: missing")
    if len(as_text(view.get("private_metadata"))) > PRIVATE_METADATA_MAX:
        found.append(f"private_metadata: over {PRIVATE_METADATA_MAX}")
    return (*found, *_blocks(as_maps(view.get("blocks")), VIEW_BLOCKS_MAX))


def _size(value: object) -> int:
    """Characters of every text inside a block."""
    block = as_map(value)
    own = len(as_text(block.get("text")))
    inner = [block.get("text"), *as_list(block.get("elements")), *as_list(block.get("fields"))]
    return own + sum(_size(one) for one in inner if one)


def _blocks(blocks: Sequence[Json], most: int) -> Iterator[str]:
    if len(blocks) > most:
        yield f"blocks: more than {most}"
    ids = [as_text(block.get("block_id")) for block in blocks if block.get("block_id")]
    if len(set(ids)) < len(ids):
        yield "block_id: repeated"
    if sum(len(as_text(one.get("text"))) for one in blocks if one.get("type") == "markdown") > (
        MARKDOWN_MAX
    ):
        yield f"markdown: over {MARKDOWN_MAX}"
    for at, block in enumerate(blocks):
        for problem in _block(block):
            yield f"blocks/{at}/{problem}"


def _block(block: Json) -> Iterator[str]:
    kind = as_text(block.get("type"))
    if len(as_text(block.get("block_id"))) > BLOCK_ID_MAX:
        yield f"block_id: over {BLOCK_ID_MAX}"
    if kind == "section":
        yield from _section(block)
    elif kind == "header":
        yield from _text(block.get("text"), HEADER_MAX, "text")
    elif kind == "context":
        yield from _context(block)
    elif kind in {"actions", "context_actions"}:
        yield from _actions(block, ACTIONS_MAX if kind == "actions" else CONTEXT_ACTIONS_MAX)
    elif kind == "table":
        yield from _table(block)
    elif kind not in _KNOWN:
        yield "type: unknown"


def _section(block: Json) -> Iterator[str]:
    if "text" in block:
        yield from _text(block["text"], SECTION_MAX, "text")
    fields = as_list(block.get("fields"))
    if "text" not in block and not fields:
        yield "text: missing"
    if len(fields) > FIELDS_MAX:
        yield f"fields: more than {FIELDS_MAX}"
    for field in fields:
        yield from _text(field, FIELD_MAX, "fields")


def _context(block: Json) -> Iterator[str]:
    elements = as_list(block.get("elements"))
    if not 1 <= len(elements) <= CONTEXT_ELEMENTS_MAX:
        yield f"elements: not 1 to {CONTEXT_ELEMENTS_MAX}"
    for element in elements:
        yield from _text(element, SECTION_MAX, "elements")


def _actions(block: Json, most: int) -> Iterator[str]:
    elements = as_maps(block.get("elements"))
    if not 1 <= len(elements) <= most:
        yield f"elements: not 1 to {most}"
    ids = [as_text(element.get("action_id")) for element in elements]
    if len(set(ids)) < len(ids):
        yield "action_id: repeated"
    for element in elements:
        if len(as_text(element.get("action_id"))) > ACTION_ID_MAX:
            yield f"action_id: over {ACTION_ID_MAX}"
        if element.get("type") == "overflow":
            yield from _overflow(as_maps(element.get("options")))
        if element.get("type") == "button":
            yield from _text(element.get("text"), BUTTON_TEXT_MAX, "button")
            if len(as_text(element.get("value"))) > BUTTON_VALUE_MAX:
                yield f"value: over {BUTTON_VALUE_MAX}"


def _overflow(options: Sequence[Json]) -> Iterator[str]:
    if not 1 <= len(options) <= OVERFLOW_MAX:
        yield f"options: not 1 to {OVERFLOW_MAX}"
    for option in options:
        yield from _text(option.get("text"), OPTION_TEXT_MAX, "option")
        if len(as_text(option.get("value"))) > OPTION_VALUE_MAX:
            yield f"value: over {OPTION_VALUE_MAX}"


def _table(block: Json) -> Iterator[str]:
    rows = [as_maps(row) for row in as_list(block.get("rows"))]
    if not 1 <= len(rows) <= TABLE_ROWS_MAX:
        yield f"rows: not 1 to {TABLE_ROWS_MAX}"
    if any(len(row) > TABLE_COLUMNS_MAX for row in rows):
        yield f"rows: more than {TABLE_COLUMNS_MAX} columns"
    if sum(_size(cell) for row in rows for cell in row) > TABLE_TEXT_MAX:
        yield f"rows: over {TABLE_TEXT_MAX} characters"


def _text(value: object, most: int, where: str) -> Iterator[str]:
    text = as_text(as_map(value).get("text"))
    if not text:
        yield f"{where}: empty"
    if len(text) > most:
        yield f"{where}: over {most}"
