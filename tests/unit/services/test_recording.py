"""What is kept of a decision? References and digests, never anybody's text. datapath.md 6."""

from __future__ import annotations

from dataclasses import replace

from hivebot.hive.mention import DeskTarget, Mention
from hivebot.services.recording import digest, mention_references, reference, without_text
from tests.unit.services.rows import MESSAGE, written


def test_a_row_is_named_by_id_number_revision_and_digest() -> None:
    assert reference(replace(MESSAGE, revision=3)) == {
        "id": 11,
        "seq": 7,
        "revision": 3,
        "digest": digest("why?"),
    }


def test_a_digest_tells_texts_apart_and_gives_none_of_them_away() -> None:
    one, other = (reference(written(text))["digest"] for text in ("a secret", "a secret!"))

    assert one != other
    assert len(str(one)) == 16
    assert "secret" not in str(one)


def test_mentions_keep_target_name_and_offset() -> None:
    mention = Mention(DeskTarget("data"), "@#data", 4)

    assert mention_references((mention, replace(mention, quiet=True))) == [
        {"target": {"kind": "desk", "id": "data"}, "text": "@#data", "offset": 4},
        {"target": {"kind": "desk", "id": "data"}, "text": "@#data", "offset": 4, "quiet": True},
    ]


def test_texts_are_replaced_by_digests_wherever_they_stand() -> None:
    kept = without_text(
        {
            "decision": "forward",
            "content": "a secret",
            "hop": 1,
            "rows": [{"label": "a secret", "seq": 2}, "a name", 3],
            "nested": {"message": "a secret", "title": None, "deep": [[{"text": "a secret"}]]},
        }
    )

    assert "a secret" not in str(kept)
    assert kept == {
        "decision": "forward",
        "content": {"digest": digest("a secret")},
        "hop": 1,
        "rows": [{"label": {"digest": digest("a secret")}, "seq": 2}, "a name", 3],
        "nested": {
            "message": {"digest": digest("a secret")},
            "title": None,
            "deep": [[{"text": {"digest": digest("a secret")}}]],
        },
    }
