from __future__ import annotations

import pytest

from hivebot.adapters.slack.links import LABEL_MAX, URL_MAX, LinkRule, link, own_link

DOCS = LinkRule.of(("Docs.example.com",), ("https://wiki.example.com/runbook",))


def clickable(url: str) -> bool:
    return link(url, "", DOCS).startswith("<")


@pytest.mark.parametrize(
    "url",
    [
        "https://docs.example.com/a?b=1",
        "https://DOCS.example.com",
        "http://docs.example.com:80/",
        "https://docs.example.com:443/",
        "https://wiki.example.com/runbook",
    ],
)
def test_an_allowed_address_may_be_clicked(url: str) -> None:
    assert clickable(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.com/docs.example.com",
        "https://docs.example.com.evil.com/",
        "https://docs.example.com@evil.com/",
        "https://evil.com@docs.example.com/",
        "https://docs.example.com:8443/",
        "https://docs.example.com\\@evil.com/",
        "https:docs.example.com",
        "https:///docs.example.com",
        "//docs.example.com",
        "javascript:alert(1)//docs.example.com",
        "slack://docs.example.com",
        "https://docs.example.com/\u202egpj",
        "https://docs.example.com/a|b",
        "https://dоcs.example.com/",
        "https://[docs.example.com/",
        "https://wiki.example.com/runbook2",
        "https://docs.example.com/" + "a" * URL_MAX,
    ],
)
def test_any_other_address_may_not(url: str) -> None:
    assert not clickable(url)


def test_a_label_names_the_host() -> None:
    assert link("https://docs.example.com/a&b", "the\ndocs", DOCS) == (
        "<https://docs.example.com/a&amp;b|the docs (docs.example.com)>"
    )


@pytest.mark.parametrize("label", ["", "https://docs.example.com/a", "http://good.com"])
def test_a_label_that_is_an_address_gives_way_to_the_real_one(label: str) -> None:
    assert link("https://docs.example.com/a", label, DOCS) == "<https://docs.example.com/a>"


def test_a_label_that_is_the_host_stands_alone() -> None:
    assert link("https://docs.example.com/a", "docs.example.com", DOCS) == (
        "<https://docs.example.com/a|docs.example.com>"
    )


def test_a_label_cannot_ping() -> None:
    shown = link("https://docs.example.com/a", "x>|<!channel> @here", DOCS)
    assert "<!channel>" not in shown
    assert "@here" not in shown


def test_a_forbidden_address_is_code_with_its_host_in_front() -> None:
    assert link("https://Evil.com/a`b", "", DOCS) == "`evil.com` `https://Evil.com/aˋb`"
    assert (
        link("https://evil.com/a", "the docs", DOCS) == "the docs (`evil.com` `https://evil.com/a`)"
    )
    assert link("https://evil.com", "https://good.com", DOCS) == (
        "`https://good.com` (`evil.com` `https://evil.com`)"
    )
    assert link("mailto:ana@example.com", "Ana", DOCS) == "Ana (`mailto:ana@example.com`)"
    assert link("https://[", "", DOCS) == "`https://[`"


def test_the_host_in_front_is_the_one_a_machine_reads() -> None:
    assert link("https://docs.example.com@evil.com", "", DOCS).startswith("`evil.com` ")
    assert link("https://dоcs.com", "", DOCS).startswith("`xn--dcs-sed.com` ")
    unreadable = "а" * 70
    assert link(f"https://{unreadable}.com", "", DOCS).startswith("`\\u0430")


def test_long_addresses_and_labels_are_cut() -> None:
    shown = link("https://evil.com/" + "a" * 9_000, "", DOCS)
    assert len(shown) < URL_MAX + 50
    assert "…" in shown
    labelled = link("https://docs.example.com", "x" * 9_000, DOCS)
    assert len(labelled) < LABEL_MAX + 100


def test_a_link_that_escapes_make_too_long_is_code() -> None:
    assert link("https://docs.example.com/?" + "&" * 900, "", DOCS).startswith("`docs.")


PERMALINK = "/archives/C0OPS/p1700000100000100"


def test_a_permalink_of_slack_carries_its_label_alone() -> None:
    url = f"https://hive.slack.com{PERMALINK}"
    assert own_link(url, "Ana, 14:02", LinkRule()) == f"<{url}|Ana, 14:02>"
    assert own_link(url, "", LinkRule()) == f"<{url}|hive.slack.com>"


def test_a_permalink_elsewhere_names_its_host() -> None:
    url = f"http://hive.sandbox.test{PERMALINK}"
    assert own_link(url, "Ana", LinkRule()) == f"<{url}|Ana (hive.sandbox.test)>"


def test_any_other_own_link_follows_the_rule() -> None:
    assert own_link("https://evil.com", "x", LinkRule()) == "x (`evil.com` `https://evil.com`)"
    assert own_link("https://docs.example.com", "x", DOCS).startswith("<")
    assert own_link("outbox:7", "x <", LinkRule()) == "x &lt;"
    assert own_link("", "x", LinkRule()) == "x"
