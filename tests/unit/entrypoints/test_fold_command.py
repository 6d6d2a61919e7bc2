from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hivebot.entrypoints.fold_command import fold

app = typer.Typer()
app.command("fold")(fold)


def run(*args: str, stdin: str | bytes = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(args), input=stdin)
    return result.exit_code, result.stdout, result.stderr


def a_file(tmp_path: Path, *cases: object) -> str:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    return str(path)


def a_case(name: str, chat: str, *, general: object) -> dict[str, object]:
    return {"name": name, "input": {"chat": chat}, "expect": {"ok": general}}


def test_one_input_is_answered_as_json() -> None:
    code, out, err = run("identity", stdin='{"chat": "main"}')
    assert (code, json.loads(out), err) == (0, {"ok": True}, "")


def test_an_error_of_the_fold_is_an_answer() -> None:
    code, out, _ = run("identity", stdin="{}")
    assert (code, json.loads(out)) == (0, {"error": {"kind": "decode"}})


def test_text_is_answered_in_its_own_letters() -> None:
    turns = {
        "op": "turns",
        "viewer_id": "a",
        "numbered": False,
        "messages": [{"sequence": 1, "author": {"type": "operator"}, "content": "grüß · 李"}],
    }
    code, out, _ = run("projection", stdin=json.dumps(turns))
    assert code == 0
    assert "grüß · 李" in out


def test_passing_cases_are_counted(tmp_path: Path) -> None:
    path = a_file(tmp_path, a_case("a", "main", general=True), a_case("b", "eng", general=False))
    assert run("identity", "--cases", path) == (0, "2 passed, 0 failed\n", "")


def test_failing_cases_are_shown_and_end_with_one(tmp_path: Path) -> None:
    path = a_file(tmp_path, a_case("right", "main", general=True), a_case("ü", "x", general=True))
    code, out, _ = run("identity", "--cases", path)
    assert code == 1
    assert out.splitlines() == [
        "FAILED ü",
        '  expected {"ok": true}',
        '  got      {"ok": false}',
        "1 passed, 1 failed",
    ]


def test_what_utf8_cannot_hold_is_shown_escaped(tmp_path: Path) -> None:
    path = a_file(tmp_path, {"name": "n", "input": {}, "expect": "\ud800"})
    code, out, _ = run("identity", "--cases", path)
    assert code == 1
    assert '  expected "\\ud800"' in out


@pytest.mark.parametrize("args", [("nope",), ("nope", "--cases", "anything")])
def test_an_unknown_name_is_told_with_the_names_there_are(
    args: tuple[str, ...], tmp_path: Path
) -> None:
    code, out, err = run(*(a_file(tmp_path) if arg == "anything" else arg for arg in args))
    assert (code, out) == (2, "")
    assert "hivebot fold: there is no fold 'nope'; there are accept_selection" in err


@pytest.mark.parametrize("stdin", [b"", b"{", b"\xff"])
def test_an_input_that_is_no_json_is_told(stdin: bytes) -> None:
    code, out, err = run("identity", stdin=stdin)
    assert (code, out, err) == (2, "", "hivebot fold: the input is not JSON\n")


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    code, _, err = run("identity", "--cases", str(missing))
    assert code == 2
    assert err == f"hivebot fold: cannot read {missing}: No such file or directory\n"


def test_a_file_without_cases_in_it_is_told(tmp_path: Path) -> None:
    code, _, err = run("identity", "--cases", a_file(tmp_path, 1))
    assert code == 2
    assert err == "hivebot fold: these are no cases: cannot decode 0: no object\n"
