"""Are files read strictly, and is each fault named with its line?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hivebot.adapters.config_files import load
from hivebot.adapters.config_files.sources import SIZE_MAX, unreadable
from tests.unit.adapters.config_files.files import (
    BASE,
    HERE,
    accepted,
    agent,
    only_problem,
    refused,
    top,
    write,
)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        (f"agents: [pia {HERE}", "is not YAML: expected ',' or ']'", "look at indentation"),
        (f"agents: *who {HERE}", "is not YAML: found undefined alias", "look at indentation"),
        (f"agents:\n\t- id: pia {HERE}", "is not YAML: found character", "indent with spaces"),
        (f"a: 1\n--- {HERE}\nb: 2", "is not YAML: but found another document", "remove the line"),
        (f"agents: 1\nbell: \x07 {HERE}", "holds a control character", "remove it"),
        (f"a: {'[' * 40} {HERE}", "is nested more than 30 levels deep", "flatten it"),
    ],
)
def test_what_is_not_yaml_is_refused_on_its_line(
    tmp_path: Path, text: str, message: str, remedy: str
) -> None:
    problem = only_problem(tmp_path, text)

    assert problem.message.startswith(message)
    assert problem.remedy.startswith(remedy)


@pytest.mark.parametrize(
    "line",
    [
        "role: !!str lead",
        "role: !secret lead",
        "role: !!python/object/apply:os.system [echo]",
        "role: ! lead",
        "affinity: !!map {a: 1}",
    ],
)
def test_tags_are_refused_and_never_constructed(tmp_path: Path, line: str) -> None:
    problems = refused(write(tmp_path, agent(f"{line} {HERE}")))

    tags = [problem for problem in problems if "uses a YAML tag" in problem.message]
    assert [problem.line for problem in tags] == [4]
    assert tags[0].remedy == "remove it, or write the text in quotes"


def test_a_key_written_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, agent("role: lead", f"role: boss {HERE}"))

    assert problem.key == "agents[pia].role"
    assert problem.message == "is written twice, first on line 4"


def test_a_merge_key_is_refused(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, agent("<<: {role: lead} # <-"))

    assert problem.message == "is a merge key, which is not read here"


def test_a_key_that_is_no_word_is_refused(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, agent("? [role] # <-", ": lead"))

    assert problem.message == "has a key that is no word"


def test_a_value_may_be_repeated_by_an_alias(tmp_path: Path) -> None:
    configuration = accepted(
        tmp_path,
        agent("rules: {holds: [&fact {text: Refunds take five days.}], shared: [*fact]}"),
    )

    rules = configuration.agents[0].rules
    assert rules.shared == rules.holds


def test_a_value_that_refers_to_itself_is_refused(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, agent("affinity: &a {b: *a} # <-"))

    assert (problem.key, problem.message) == ("agents[pia].affinity.b", "refers to itself")


def test_aliases_that_unfold_to_millions_of_values_are_refused_once(tmp_path: Path) -> None:
    laughs = ["a0: &a0 [ha]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    problems = refused(write(tmp_path, top(*laughs)))

    unfolded = [problem for problem in problems if "unfolds to more than" in problem.message]
    assert len(unfolded) == 1
    assert unfolded[0].remedy == "use fewer aliases"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "null\n", "~"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str) -> None:
    (problem,) = refused(write(tmp_path, text))

    assert str(problem).endswith("hivebot.yaml:1: is empty — copy config/hivebot.yaml and edit it")


@pytest.mark.parametrize("text", ["- agents\n", "agents\n"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (problem,) = refused(write(tmp_path, text))

    assert (problem.line, problem.message) == (1, "is not a mapping of keys")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    (problem,) = refused(tmp_path / "none.yaml")

    assert str(problem) == (
        f"{tmp_path / 'none.yaml'}: does not exist — name another place (HIVEBOT_CONFIG)"
    )


def test_a_name_no_file_can_have_is_refused(tmp_path: Path) -> None:
    (problem,) = refused(tmp_path / ("x" * 300 + ".yaml"))
    assert problem.message.startswith("cannot be read: ")

    (problem,) = refused(tmp_path / "a\0b.yaml")
    assert problem.message == "cannot be read: no such name"


def test_something_that_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")

    (problem,) = refused(tmp_path / "pipe.yaml")

    assert problem.message == "is not a file"


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    problem = unreadable(tmp_path / "hivebot.yaml", PermissionError(13, "Permission denied"))

    assert problem.message == "may not be read"
    assert problem.remedy == "let the account that runs hivebot read it"


def test_a_file_that_is_no_text_is_refused_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "hivebot.yaml"
    path.write_bytes(b"agents:\n  - id: p\xff\n")

    (problem,) = refused(path)

    assert (problem.line, problem.message, problem.remedy) == (
        2, "is not text", "save it in UTF-8",
    )  # fmt: skip


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "hivebot.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + BASE.encode())

    assert load(path).configuration.desks


def test_a_configuration_above_a_megabyte_is_refused_and_one_of_a_megabyte_is_read(
    tmp_path: Path,
) -> None:
    room = SIZE_MAX - len(BASE) - 2
    exact = BASE + "# " + "x" * room
    assert accepted(tmp_path, exact)

    (problem,) = refused(write(tmp_path, exact + "x"))

    assert problem.message == "makes the configuration larger than 1,000,000 bytes"
    assert problem.line == 0


# --- directories --------------------------------------------------------------------------------

AGENTS = BASE[: BASE.index("desks:")]
DESKS = BASE[BASE.index("desks:") :]


def test_the_files_of_a_directory_are_joined_in_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path, DESKS, "b.yml")
    write(tmp_path, AGENTS, "a.yaml")
    write(tmp_path, "agents:\n  - {id: otto, model: briefed}\n", "c.yaml")
    write(tmp_path, "not: read", ".hidden.yaml")
    write(tmp_path, "not: read", "notes.txt")

    configuration = load(tmp_path).configuration

    assert [entry.id for entry in configuration.agents] == ["pia", "lasse", "greta", "otto"]
    assert [entry.id for entry in configuration.desks] == ["payments", "platform"]


def test_a_fault_in_a_directory_names_the_file_it_is_in(tmp_path: Path) -> None:
    write(tmp_path, BASE, "a.yaml")
    write(
        tmp_path, "agents:\n  - {id: otto, model: briefed}\n  - id: eva\n    modle: x\n", "b.yaml"
    )

    problems = refused(tmp_path)

    assert [(problem.where, problem.key) for problem in problems] == [
        (f"{tmp_path / 'b.yaml'}:3", "agents[eva].model"),
        (f"{tmp_path / 'b.yaml'}:4", "agents[eva].modle"),
    ]


def test_a_key_in_two_files_is_refused_with_both_places(tmp_path: Path) -> None:
    write(tmp_path, top("general: {enabled: yes}"), "a.yaml")
    write(tmp_path, "\ngeneral:\n  members: [pia]\n", "b.yaml")

    (problem,) = refused(tmp_path)

    assert problem.where == f"{tmp_path / 'b.yaml'}:2"
    assert problem.key == "general"
    assert problem.message == f"is written in two files, first at {tmp_path / 'a.yaml'}:15"


def test_an_empty_directory_is_refused(tmp_path: Path) -> None:
    (problem,) = refused(tmp_path)

    assert str(problem) == (
        f"{tmp_path}: holds no YAML file — put a file such as hivebot.yaml there, or name "
        "another place"
    )


def test_an_empty_file_in_a_directory_is_refused_beside_good_ones(tmp_path: Path) -> None:
    write(tmp_path, BASE, "a.yaml")
    write(tmp_path, "", "b.yaml")

    (problem,) = refused(tmp_path)

    assert problem.where == f"{tmp_path / 'b.yaml'}:1"


def test_the_files_of_a_directory_share_one_megabyte(tmp_path: Path) -> None:
    write(tmp_path, BASE + "# " + "x" * (SIZE_MAX // 2), "a.yaml")
    write(tmp_path, "# " + "x" * (SIZE_MAX // 2), "b.yaml")

    (problem,) = refused(tmp_path)

    assert problem.file == str(tmp_path / "b.yaml")
    assert problem.message.startswith("makes the configuration larger")


def test_a_name_that_leads_in_a_circle_is_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)

    (problem,) = refused(loop)

    assert problem.message == "cannot be read: too many levels of symbolic links"
