"""What did the caller pass?"""

from __future__ import annotations

import pytest

from hivebot.sandbox.arguments import Arguments
from hivebot.sandbox.errors import SlackError

ARGS = Arguments(
    {
        "text": "x",
        "empty": "",
        "number": 7,
        "words": "seven",
        "yes": "true",
        "one": 1,
        "no": "0",
        "odd": [],
        "blocks": '[{"type": "divider"}]',
        "list": [{"a": 1}],
        "mixed": [{"a": 1}, 2],
        "map": '{"a": 1}',
        "broken": "{",
    }
)


def test_an_empty_string_counts_as_absent() -> None:
    assert (ARGS.optional("empty"), ARGS.optional("odd"), ARGS.text("none")) == (None, None, "")


def test_a_number_reads_as_text_and_as_number() -> None:
    assert (ARGS.text("number"), ARGS.number("number", 1), ARGS.number("none", 1)) == ("7", 7, 1)


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(SlackError) as refusal:
        ARGS.required("user")
    assert refusal.value.error == "invalid_arguments"
    assert refusal.value.details["response_metadata"] == {
        "messages": ["[ERROR] missing required field: user"]
    }


def test_words_are_no_number() -> None:
    with pytest.raises(SlackError, match="invalid_arguments"):
        ARGS.number("words", 1)


def test_truth_is_spelt_in_several_ways() -> None:
    flags = [ARGS.flag(name) for name in ("yes", "one", "no", "empty", "odd")]
    assert flags == [True, True, False, False, False]
    assert ARGS.flag("empty", default=True)


def test_objects_come_as_json_or_as_a_string_of_it() -> None:
    assert ARGS.objects("blocks", "e") == [{"type": "divider"}]
    assert ARGS.objects("list", "e") == [{"a": 1}]
    assert ARGS.objects("empty", "e") is None
    assert ARGS.mapping("map", "e") == {"a": 1}
    assert ARGS.mapping("none", "e") is None


@pytest.mark.parametrize("name", ["mixed", "map", "broken", "number"])
def test_what_is_no_list_of_objects_is_refused_by_the_given_name(name: str) -> None:
    with pytest.raises(SlackError, match="invalid_blocks_format"):
        ARGS.objects(name, "invalid_blocks_format")


def test_what_is_no_object_is_refused_by_the_given_name() -> None:
    with pytest.raises(SlackError, match="invalid_metadata_format"):
        ARGS.mapping("blocks", "invalid_metadata_format")


def test_given_tells_absent_from_empty() -> None:
    assert (ARGS.given("empty"), ARGS.given("none")) == (True, False)
