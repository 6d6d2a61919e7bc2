"""What do tests in a real browser stand on? Debian's chromium, and a sandbox with the real bot."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Error, Page, async_playwright

from tests.e2e.sandboxes import started

CHROMIUM = "chromium"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WAIT_MS = 15_000

PICTURES = Path(__file__).parents[2] / "docs" / "images"
PICTURE_MAX = 200_000
"""Bytes."""

PICTURED = "--pictures"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let pictures be taken for the documentation."""
    parser.addoption(PICTURED, action="store_true", help="draw docs/images/sandbox-*.png anew")


def chromium(find: Callable[[str], str | None] = shutil.which) -> str:
    """Where the browser is; a machine without one fails the tests, it does not skip them."""
    found = find(CHROMIUM)
    if found is None:
        pytest.fail(
            "there is no chromium: the tests in tests/browser need Debian's package "
            "(apt-get install chromium)",
            pytrace=False,
        )
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """The browser; each page gets a new profile that is thrown away."""
    path = chromium()
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        await running.close()


@pytest.fixture(scope="session")
def kept_in() -> Generator[Path]:
    """A directory for the sandbox, which any account may pass."""
    above = Path(tempfile.mkdtemp(prefix="hb-")).resolve()
    above.chmod(0o711)
    yield above / "data"
    shutil.rmtree(above)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sandbox(kept_in: Path) -> AsyncGenerator[str]:
    """Address of a sandbox with the real bot in it, shared by all tests of a run."""
    async with started(kept_in) as (url, _):
        yield url


class Pages(Protocol):
    """Opens pages that may not complain: a script error or a refused resource fails the test."""

    def __call__(
        self, url: str, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> AbstractAsyncContextManager[Page]: ...


@pytest.fixture
def pages(browser: Browser) -> Pages:
    """Opens pages, each in a profile of its own."""

    @asynccontextmanager
    async def opened(
        url: str, *, width: int = 1280, height: int = 800, dark: bool = False
    ) -> AsyncGenerator[Page]:
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            has_touch=width < 500,
        )
        context.set_default_timeout(WAIT_MS)
        complaints: list[str] = []

        def heard(message: ConsoleMessage) -> None:
            # a refused act of the workspace is an answer, which the page tells by itself
            if message.type == "error" and "409" not in message.text:
                complaints.append(message.text)

        def broke(error: Error) -> None:
            complaints.append(str(error))

        page = await context.new_page()
        page.on("console", heard)
        page.on("pageerror", broke)
        await page.goto(url)
        await page.get_by_text("Live", exact=True).wait_for()
        await page.locator("#messages > li").first.wait_for(state="attached")
        yield page
        await context.close()
        assert complaints == []

    return opened


class Picture(Protocol):
    """Takes a picture of a page; `pytest --pictures` puts it among those of the documentation."""

    async def __call__(self, page: Page, name: str) -> None: ...


@pytest.fixture
def picture(pytestconfig: pytest.Config, tmp_path: Path) -> Picture:
    """Takes pictures, each small enough for a document."""
    kept = PICTURES if pytestconfig.getoption(PICTURED, default=False) else tmp_path

    async def taken(page: Page, name: str) -> None:
        path = kept / f"{name}.png"
        await page.screenshot(path=path, animations="disabled")
        assert path.stat().st_size < PICTURE_MAX
        assert (PICTURES / path.name).exists(), f"{path.name}: run with {PICTURED}"

    return taken
