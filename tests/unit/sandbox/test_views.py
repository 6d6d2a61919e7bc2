"""Which modals and Home tabs stand open, and who may change them?"""

from __future__ import annotations

from hivebot.sandbox.shapes import Json, as_map, as_maps
from hivebot.sandbox.workspace import seeing, views
from tests.unit.sandbox.app_under_test import Clock
from tests.unit.sandbox.builders import (
    actions,
    button,
    called,
    field,
    modal,
    refused,
    words,
    workspace,
)

HOME: Json = {"type": "home", "blocks": []}


def test_a_trigger_opens_one_modal_before_its_person() -> None:
    ws = workspace()
    trigger = views.mint_trigger(ws, "U0ANA")
    view = as_map(called(ws, "views.open", trigger_id=trigger, view=modal(field("a")))["view"])
    [seen] = [seeing.view_seen(ws, one) for one in ws.world.views]
    assert (seen["id"], seen["user"], seen["title"], seen["inputs"]) == (
        view["id"],
        "U0ANA",
        "T",
        ["a"],
    )
    assert refused(ws, "views.open", trigger_id=trigger, view=modal()) == "exchanged_trigger_id"


def test_a_trigger_lives_three_seconds() -> None:
    clock = Clock()
    ws = workspace(clock)
    trigger = views.mint_trigger(ws, "U0ANA")
    clock.now += 3.1
    assert refused(ws, "views.open", trigger_id=trigger, view=modal()) == "expired_trigger_id"
    assert refused(ws, "views.open", trigger_id="made-up", view=modal()) == "invalid_trigger_id"


def test_a_view_that_slack_refuses_is_not_opened() -> None:
    ws = workspace()
    trigger = views.mint_trigger(ws, "U0ANA")
    bad = modal(title=words("t" * 25))
    assert refused(ws, "views.open", trigger_id=trigger, view=bad) == "invalid_arguments"
    other = views.mint_trigger(ws, "U0ANA")
    assert refused(ws, "views.open", trigger_id=other) == "invalid_arguments"
    assert ws.world.views == []


def test_a_second_modal_takes_the_place_of_the_first_and_leaves_the_home_tab() -> None:
    ws = workspace()
    called(ws, "views.publish", user_id="U0ANA", view=HOME)
    for _ in range(2):
        called(ws, "views.open", trigger_id=views.mint_trigger(ws, "U0ANA"), view=modal())
    called(ws, "views.open", trigger_id=views.mint_trigger(ws, "U0BEN"), view=modal())
    assert [(one.user, one.kind) for one in ws.world.views] == [
        ("U0ANA", "home"),
        ("U0ANA", "modal"),
        ("U0BEN", "modal"),
    ]


def test_modals_stack_up_to_three() -> None:
    ws = workspace()
    view = called(ws, "views.open", trigger_id=views.mint_trigger(ws, "U0ANA"), view=modal())
    for _ in range(2):
        trigger = views.mint_trigger(ws, "U0ANA", str(as_map(view["view"])["id"]))
        view = called(ws, "views.push", trigger_id=trigger, view=modal())
    top = as_map(view["view"])
    assert top["root_view_id"] == ws.world.views[0].id
    assert top["previous_view_id"] == ws.world.views[1].id
    trigger = views.mint_trigger(ws, "U0ANA", str(top["id"]))
    assert refused(ws, "views.push", trigger_id=trigger, view=modal()) == "push_limit_reached"


def test_a_view_is_pushed_only_on_one_that_is_open() -> None:
    ws = workspace()
    trigger = views.mint_trigger(ws, "U0ANA")
    assert refused(ws, "views.push", trigger_id=trigger, view=modal()) == "view_not_found"


def test_an_open_view_is_replaced_by_id_or_external_id_and_by_its_hash() -> None:
    ws = workspace()
    trigger = views.mint_trigger(ws, "U0ANA")
    body = called(ws, "views.open", trigger_id=trigger, view=modal(external_id="gate-7"))
    view = as_map(body["view"])
    place: Json = {"view_id": view["id"], "view": modal(title=words("New"))}
    after = as_map(called(ws, "views.update", **place, hash=view["hash"])["view"])
    assert as_map(after["title"])["text"] == "New"
    assert refused(ws, "views.update", **place, hash=view["hash"]) == "hash_conflict"
    assert called(ws, "views.update", external_id="gate-7", view=modal())
    assert refused(ws, "views.update", external_id="gate-8", view=modal()) == "not_found"
    assert refused(ws, "views.update", view_id="V0", view=modal()) == "not_found"


def test_the_home_tab_is_published_per_person() -> None:
    ws = workspace()
    first = as_map(called(ws, "views.publish", user_id="U0ANA", view=HOME)["view"])
    blocks: list[Json] = [actions(button("go"))]
    home: Json = {"type": "home", "blocks": blocks}
    again = {"user_id": "U0ANA", "view": home}
    second = as_map(called(ws, "views.publish", **again, hash=first["hash"])["view"])
    assert second["id"] == first["id"]
    assert len(as_maps(seeing.view_seen(ws, ws.world.views[0])["buttons"])) == 1
    assert refused(ws, "views.publish", **again, hash="old") == "hash_conflict"
    assert refused(ws, "views.publish", user_id="U0NONE", view=HOME) == "user_not_found"
    assert refused(ws, "views.publish", user_id="U0ANA", view=modal()) == "invalid_arguments"


def test_closing_takes_one_view_or_the_whole_stack() -> None:
    ws = workspace()
    view = called(ws, "views.open", trigger_id=views.mint_trigger(ws, "U0ANA"), view=modal())
    for _ in range(2):
        trigger = views.mint_trigger(ws, "U0ANA", str(as_map(view["view"])["id"]))
        view = called(ws, "views.push", trigger_id=trigger, view=modal())
    views.close(ws, ws.world.views[2])
    assert len(ws.world.views) == 2
    views.close(ws, ws.world.views[1], every=True)
    assert ws.world.views == []
