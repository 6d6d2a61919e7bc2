"""What does an accessibility checker find on a page, as it stands now, in each of its looks?"""

from __future__ import annotations

from typing import Final, Protocol, cast

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

from hivebot.sandbox.shapes import Json, as_list, as_maps

GRAVE: Final = frozenset({"serious", "critical"})
LOOKS: Final = ((1280, False), (1280, True), (360, False))
"""Width in pixels, and whether it is dark."""


class _Found(Protocol):
    """What is used of the checker's findings, whose own types say less."""

    response: Json


class _Checker(Protocol):
    """What is used of the checker."""

    async def run(self, page: Page) -> _Found: ...


_AXE: Final = cast("_Checker", Axe())


async def grave_findings(page: Page) -> list[str]:
    """Serious and critical findings: light, dark, and at 360 pixels."""
    found: list[str] = []
    for width, dark in (*LOOKS[1:], LOOKS[0]):
        await page.set_viewport_size({"width": width, "height": 800})
        await page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        result = (await _AXE.run(page)).response
        found += [
            f"{width}{' dark' if dark else ''}: {one['id']} {_places(one)}"
            for one in as_maps(result["violations"])
            if one["impact"] in GRAVE
        ]
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
    return found


def _places(finding: dict[str, object]) -> list[object]:
    return [as_list(node.get("target")) for node in as_maps(finding["nodes"])]
