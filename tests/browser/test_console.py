"""Is the console fit for everybody, light and dark, wide and narrow?"""

from __future__ import annotations

import pytest
from playwright.async_api import Browser
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.browser.access import grave_findings
from tests.integration.console.test_console import VIEWER, opened
from tests.integration.services.stories import ask

pytestmark = pytest.mark.integration


@pytest.mark.asyncio(loop_scope="session")
async def test_sign_in_and_overview_have_no_grave_findings(
    browser: Browser, engine: AsyncEngine
) -> None:
    async with opened(engine) as (client, world):
        await ask(world, "@#platform is it down?")
        page = await browser.new_page()
        await page.goto(str(client.make_url("/console")))
        assert await grave_findings(page) == []
        await page.get_by_label("Token").fill(VIEWER)
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Overview").wait_for()
        assert await grave_findings(page) == []
        await page.close()
