"""What happens where there is no browser?"""

from __future__ import annotations

import pytest

from tests.browser.conftest import chromium


def test_a_machine_without_a_browser_fails_and_says_what_to_install() -> None:
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        chromium(lambda _: None)
