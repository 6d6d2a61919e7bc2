"""Is every key, kind and bound of the format judged, and each fault named on its line?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hivebot.adapters.config_files import ConfigError, Finding, load
from hivebot.adapters.config_files.findings import nearest
from hivebot.proxy.retrieval import SEED, Normalization
from hivebot.proxy.vectors import Dimension
from hivebot.services.records.policy import (
    AnswersTo,
    Consult,
    Deliberate,
    EmbedderConfig,
    Output,
    Price,
    Reach,
    ReachKind,
)
from tests.unit.adapters.config_files.files import (
    BASE,
    HERE,
    accepted,
    agent,
    desk,
    only_problem,
    refused,
    top,
    write,
)


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        (top(f"orchestratr: pia {HERE}"), "orchestratr", "orchestrator"),
        (agent(f"modle: briefed {HERE}"), "agents[pia].modle", "model"),
        (desk(f"memebrs: [pia] {HERE}"), "desks[platform].memebrs", "members"),
        (
            desk("episode:", "  quorum:", f"    treshold: 2 {HERE}"),
            "desks[platform].episode.quorum.treshold",
            "threshold",
        ),
        (
            agent("rules:", "  holds:", f"    - {{text: a, aboot: [b]}} {HERE}"),
            "agents[pia].rules.holds[0].aboot",
            "about",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_key_that_was_meant(
    tmp_path: Path, text: str, key: str, near: str
) -> None:
    problem = only_problem(tmp_path, text)

    assert (problem.key, problem.message) == (key, "unknown key")
    assert (problem.remedy, problem.nearest) == (f"did you mean `{near}`?", near)


def test_a_key_on_the_wrong_level_is_told_where_it_belongs(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, desk(f"opening: positions {HERE}"))

    assert problem.message == "unknown key"
    assert (problem.remedy, problem.nearest) == ("it belongs under `episode:`", "opening")


def test_a_key_like_no_other_is_told_the_nearest_and_all_known_ones(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, top(f"generosity: 3 {HERE}"))

    assert problem.nearest == "general"
    assert problem.remedy == (
        "the nearest known key is `general`; known here: orchestrator, admins, admin_channel, "
        "general, retention, embedder, agents, desks"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("listen: everything", "listen: must be mention or all, not 'everything' — whether every"),
        ("mode: hiv", "mode: must be lead, select or hive, not 'hiv' — did you mean `hive`?"),
        ("mode: [hive]", "mode: must be lead, select or hive, not a list — lead: the first"),
        ("threads: askers", "threads: must be asker, all or mention, not 'askers' — did you mean"),
        ("deliberate: never", "deliberate: must be always, lead_decides or asked, not 'never'"),
        ("asks_wider: yes", "asks_wider: must be gate or allow, not 'yes'"),
        ("file_contents: maybe", "file_contents: 'maybe' is neither yes nor no — write yes or no"),
        ("name: [a]", "name: must be text, not a list — shown to people"),
        ("name: {a: b}", "name: must be text, not a mapping"),
        ("name:", "name: is empty — write a value, or remove the line for the default"),
        (f"name: {'x' * 81}", "name: must have at most 80 characters"),
        ("stewards: U0STEW", "stewards: must be a list, not 'U0STEW' — who decides its gates"),
        ("stewards: [ana]", "stewards[0]: 'ana' does not fit — write the id of a user (U0ANA)"),
        ("stewards: [U1, U1]", "stewards: lists 'U1' twice — keep one of the two"),
        ("bots: [U0BOT]", "bots[0]: 'U0BOT' does not fit — write a bot id such as B0ALERT"),
        ("may_mark: [S0PLAT]", "may_mark[0]: 'S0PLAT' does not fit — write a user id"),
        (
            "user_group: platform",
            "user_group: 'platform' does not fit — write the id of a user group",
        ),
        ("links: ['https://a.b']", "links[0]: 'https://a.b' does not fit — write a host"),
        ("selector_model: gpt", "selector_model: 'gpt' does not fit — write `briefed`"),
        (
            "asks: platform",
            "asks: 'platform' is neither none, any or gate nor a list — write a list",
        ),
        ("asks: [{a: b}]", "asks: lists something that is no id of a desk — write [platform]"),
        ("answers: [payments, payments]", "answers: lists 'payments' twice — keep one"),
        ("answers_to: people", "answers_to: 'people' does not fit — write `members`"),
        (
            "answers_to: {people: [ana]}",
            "answers_to.people[0]: 'ana' does not fit — write a user id",
        ),
        (
            "answers_to: [ana]",
            "answers_to: must be a mapping of keys, not a list — whose questions",
        ),
        (
            "referral: on",
            "referral: must be a mapping of keys, not 'on' — questions to other desks",
        ),
        (
            "referral: {max_hops: two}",
            "referral.max_hops: must be a whole number, not 'two' — hand-offs",
        ),
        ("referral: {max_hops: 2.5}", "referral.max_hops: must be a whole number, not '2.5'"),
        ("referral: {max_hops: [2]}", "referral.max_hops: must be a whole number, not a list"),
        ("referral: {max_hops: -1}", "referral.max_hops: must be at least 0, not '-1'"),
        ("referral: {max_hops: 33}", "referral.max_hops: must be at most 32, not '33'"),
        ("referral: {reach: far}", "referral.reach: must be local, channels or desks, not 'far'"),
        ("referral: {timeout_s: 9}", "referral.timeout_s: must be at least 10, not '9'"),
        (
            "episode: {turn_budget: 0}",
            "episode.turn_budget: must be at least 1, not '0' — turns one",
        ),
        ("episode: {dominance_cap: 101}", "episode.dominance_cap: must be at most 100, not '101'"),
        ("episode: {defer_cap: 0}", "episode.defer_cap: must be at least 1, not '0'"),
        ("episode: {options: any}", "episode.options: must be listed or open, not 'any'"),
        (
            "episode: {quorum: {threshold: 0}}",
            "episode.quorum.threshold: must be at least 1, not '0'",
        ),
        ("episode: {quorum: {window: 0}}", "episode.quorum.window: must be at least 1, not '0'"),
        (
            "episode: {quorum: {refutation_cap: 0}}",
            "episode.quorum.refutation_cap: must be at least 1",
        ),
        ("episode: {weights: {half_life: 0}}", "episode.weights.half_life: must be at least 1"),
        ("episode: {weights: {recency: 65536}}", "episode.weights.recency: must be at most 65535"),
        ("episode: {directory: {half_life: 0}}", "episode.directory.half_life: must be at least 1"),
        ("episode: {directory: {window: 0}}", "episode.directory.window: must be at least 1"),
        (
            "budget: {usd_per_day: lots}",
            "budget.usd_per_day: must be a number with at most 6 decimals, not 'lots' — US dollars",
        ),
        ("budget: {usd_per_day: 0.1234567}", "budget.usd_per_day: must be a number with at most 6"),
        ("budget: {usd_per_day: nan}", "budget.usd_per_day: must be a number with at most 6"),
        ("budget: {usd_per_day: -1}", "budget.usd_per_day: must be at least 0, not '-1'"),
        (
            f"budget: {{turns_per_day: {'9' * 5000}}}",
            "budget.turns_per_day: must be a whole number",
        ),
    ],
)
def test_a_value_that_does_not_fit_a_desk_is_named(tmp_path: Path, line: str, said: str) -> None:
    problem = only_problem(tmp_path, desk(f"{line} {HERE}"))

    assert str(problem).startswith(f"{problem.where}: desks[platform].{said}")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("icon: gear", "icon: 'gear' does not fit — write an emoji as `:gear:`"),
        ("base_url: ftp://x", "base_url: 'ftp://x' does not fit — write an address"),
        (
            "output: xml",
            "output: must be auto, tool, native, prompted or lines, not 'xml' — how the",
        ),
        ("timeout_s: 0", "timeout_s: must be at least 1, not '0' — seconds after which"),
        ("threshold: 1000001", "threshold: must be at most 1000000, not '1000001' — urge"),
        ("affinity: {pool: 101}", "affinity.pool: must be at most 100, not '101' — topic and how"),
        ("affinity: {Pool: 1}", "affinity.Pool: 'Pool' does not fit — write a slug"),
        ("affinity: [pool]", "affinity: must be a mapping of keys, not a list — topic and how"),
        (
            "price: {input_usd: 1}",
            "price.output_usd: is missing — write it: US dollars per million",
        ),
        ("price: free", "price: must be a mapping of keys, not 'free' — without it"),
        ("retired: 1", "retired: '1' is neither yes nor no — write yes or no"),
        (
            "rules: {holds: [{about: [a]}]}",
            "rules.holds[0].text: is missing — write it: the statement",
        ),
        ("rules: {holds: [{text: ''}]}", "rules.holds[0].text: must have at least 1 character"),
        ("rules: {holds: [{text: a, strength: 6}]}", "rules.holds[0].strength: must be at most 5"),
        (
            "rules: {holds: [{text: a, option: A}]}",
            "rules.holds[0].option: 'A' does not fit — write a slug",
        ),
        (
            "rules: {holds: [{text: a, bearing: with}]}",
            "rules.holds[0].bearing: must be for, against or neutral, not 'with' — whether",
        ),
        (
            "rules: {opening_facts: 4}",
            "rules.opening_facts: must be at most 3, not '4' — facts stated",
        ),
    ],
)
def test_a_value_that_does_not_fit_an_agent_is_named(tmp_path: Path, line: str, said: str) -> None:
    problem = only_problem(tmp_path, agent(f"{line} {HERE}"))

    assert str(problem).startswith(f"{problem.where}: agents[pia].{said}")


@pytest.mark.parametrize(
    ("line", "key", "message"),
    [
        ("admins: [ana]", "admins[0]", "'ana' does not fit"),
        ("admin_channel: ops", "admin_channel", "'ops' does not fit"),
        ("admin_channel: #ops", "admin_channel", "is empty"),
        ("retention: {inbox_days: 6}", "retention.inbox_days", "must be at least 7, not '6'"),
        ("general: yes", "general", "must be a mapping of keys, not 'yes'"),
        ("orchestrator: [pia]", "orchestrator", "must be text, not a list"),
    ],
)
def test_a_value_that_does_not_fit_at_the_top_is_named(
    tmp_path: Path, line: str, key: str, message: str
) -> None:
    problem = only_problem(tmp_path, top(f"{line} {HERE}"))

    assert (problem.key, problem.message) == (key, message)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    model: briefed\n", "", "agents[pia].model: is missing — write it: `briefed`"),
        ("model: briefed", "model: brief", "agents[pia].model: 'brief' does not fit — write `b"),
        ("id: pia", "id: Pia P.", "agents[0].id: 'Pia P.' does not fit — write one word"),
        (
            "id: pia",
            "id: Here",
            "agents[Here].id: 'Here' is reserved: `@Here` calls everyone — t",
        ),
        ("id: pia", "id: ''", "agents[0].id: '' does not fit — write one word"),
        (
            "C0PAY",
            "payments",
            "desks[payments].channel: 'payments' does not fit — write a channel id",
        ),
        ("C0PAY", "#payments", "desks[payments].channel: is empty — write the name in quotes"),
        ("C0PAY", "D0ANA", "desks[payments].channel: 'D0ANA' does not fit — write a channel id"),
        ("[pia]", "[]", "desks[payments].members: must have at least 1 entry — ids of its agents"),
        ("[pia]", "[p q]", "desks[payments].members[0]: 'p q' does not fit — write one word"),
        ("[pia]", "[pia, pia]", "desks[payments].members: lists 'pia' twice — keep one of the two"),
        ("[pia]", "pia", "desks[payments].members: must be a list, not 'pia' — ids of its agents"),
    ],
)
def test_what_every_agent_and_desk_must_have_is_judged(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = BASE.replace(old, new, 1)
    line = BASE[: BASE.index(old)].count("\n") + (1 if new else 0)

    (problem,) = refused(write(tmp_path, text))

    assert problem.line == line
    assert str(problem).startswith(f"{problem.where}: {said}")


def test_no_agents_and_no_desks_are_two_problems(tmp_path: Path) -> None:
    problems = refused(write(tmp_path, "admins: [U1]\nagents: []\n"))

    assert [(p.line, p.key, p.message) for p in problems] == [
        (1, "desks", "is missing"),
        (2, "agents", "must have at least 1 entry"),
    ]


def test_an_entry_that_is_no_mapping_is_one_problem(tmp_path: Path) -> None:
    text = BASE.replace("  - id: lasse\n    model: briefed\n", "  - lasse # <-\n")

    problem = only_problem(tmp_path, text)

    assert (problem.key, problem.message) == (
        "agents[1]", "must be a mapping of keys, not 'lasse'",
    )  # fmt: skip


def test_all_problems_are_reported_at_once_in_order_of_their_lines(tmp_path: Path) -> None:
    text = BASE.replace("[pia]", "[pai]").replace("id: platform", "id: payments")
    text += "    mod: lead\n    asks: [plutform]\n    stewards: [stew, U1]\n"

    problems = refused(write(tmp_path, text))

    assert [(p.line, p.key.partition("].")[2]) for p in problems] == [
        (11, "members[0]"),
        (12, "id"),
        (15, "mod"),
        (16, "asks[0]"),
        (17, "stewards[0]"),
    ]


def test_a_secret_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    token = "xoxb-111111111111-222222222222-AbCdEf"

    problems = refused(write(tmp_path, agent(f"icon: {token}", f"slack_token: {token}")))

    assert token not in "".join(str(problem) for problem in problems)
    assert "'[redacted]' does not fit" in [problem.message for problem in problems]


def test_a_long_value_is_cut_in_messages(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, agent(f"icon: {'x' * 500} {HERE}"))

    assert problem.message == f"'{'x' * 39}…' does not fit"


# --- what is accepted ---------------------------------------------------------------------------


def test_what_is_not_written_is_off(tmp_path: Path) -> None:
    configuration = accepted(tmp_path, BASE)

    one = configuration.desks[1]
    assert one.name == "platform"
    assert one.deliberate is Deliberate.ASKED
    assert one.asks == one.answers == Reach(ReachKind.NONE)
    assert one.answers_to == AnswersTo()
    assert not one.referral.policy.enabled
    assert one.episode.policy.directory is None
    assert one.episode.policy.defer_cap is None
    assert one.episode.consult is Consult.OFF
    assert one.budget.usd_micros_per_day == 50_000_000
    pia = configuration.agents[0]
    assert (pia.name, pia.price, pia.output) == ("pia", None, Output.AUTO)
    assert configuration.orchestrator == ""
    assert not configuration.general.enabled
    assert configuration.retention.inbox_days == 7
    assert configuration.embedder == EmbedderConfig("wordllama", "")


def test_what_is_forgotten_and_when_is_the_desks(tmp_path: Path) -> None:
    """memory.md 3.6 and 4.3: tau and the scaling are settings of each proxy."""
    plain = accepted(tmp_path, desk("description: x")).desks[1].memory
    assert plain == SEED
    written = desk("memory: {tau: -2, normalization: tanh, scored_dimensions: [stimulus]}")
    chosen = accepted(tmp_path, written).desks[1].memory
    assert chosen.retrieval_threshold == -2.0
    assert chosen.normalization is Normalization.TANH
    assert chosen.dimensions == (Dimension.STIMULUS,)
    single = accepted(tmp_path, desk("memory: {remember_single_for: 100}")).desks[1].memory
    assert single.retrieval_threshold == pytest.approx(-2.3026, abs=1e-4)


def test_a_hive_desk_deliberates_always_unless_it_says_otherwise(tmp_path: Path) -> None:
    assert accepted(tmp_path, desk("mode: hive")).desks[1].deliberate is Deliberate.ALWAYS
    said = accepted(tmp_path, desk("mode: hive", "deliberate: asked"))
    assert said.desks[1].deliberate is Deliberate.ASKED


@pytest.mark.parametrize(
    ("word", "meaning"),
    [("yes", True), ("true", True), ("On", True), ("no", False), ("FALSE", False), ("off", False)],
)
def test_a_switch_is_read_in_all_its_spellings(tmp_path: Path, word: str, *, meaning: bool) -> None:
    assert accepted(tmp_path, desk(f"file_contents: {word}")).desks[1].file_contents is meaning


def test_off_is_a_word_and_a_status_code_may_be_one(tmp_path: Path) -> None:
    text = agent("rules: {holds: [{text: Twice., about: [503, on, 010, 1e3]}]}")

    configuration = accepted(tmp_path, text)

    assert configuration.agents[0].rules.holds[0].about == ("503", "on", "010", "1e3")
    assert accepted(tmp_path, desk("episode: {consult: off}")).desks[1].episode.consult == "off"


def test_money_is_exact_to_the_millionth(tmp_path: Path) -> None:
    configuration = accepted(
        tmp_path,
        agent("price: {input_usd: 0.1, output_usd: 2.000001}").replace(
            "[lasse, greta]", "[lasse, greta]\n    budget: {usd_per_day: 0.29}"
        ),
    )

    assert configuration.agents[0].price == Price(100_000, 2_000_001)
    assert configuration.desks[1].budget.usd_micros_per_day == 290_000


@pytest.mark.parametrize(
    ("written", "reach"),
    [
        ("none", Reach(ReachKind.NONE)),
        ("any", Reach(ReachKind.ANY)),
        ("gate", Reach(ReachKind.GATE)),
        ("[payments]", Reach(ReachKind.DESKS, ("payments",))),
        ("[]", Reach(ReachKind.NONE)),
    ],
)
def test_a_reach_is_a_word_or_a_list_and_an_empty_list_is_nobody(
    tmp_path: Path, written: str, reach: Reach
) -> None:
    assert accepted(tmp_path, desk(f"answers: {written}")).desks[1].answers == reach


@pytest.mark.parametrize(
    ("written", "whose"),
    [
        ("members", AnswersTo()),
        ("{guests: yes, people: [U9EVE]}", AnswersTo(guests=True, people=("U9EVE",))),
        ("{strangers: yes, deactivated: yes}", AnswersTo(strangers=True, deactivated=True)),
    ],
)
def test_whose_questions_are_taken_is_members_or_a_mapping(
    tmp_path: Path, written: str, whose: AnswersTo
) -> None:
    assert accepted(tmp_path, desk(f"answers_to: {written}")).desks[1].answers_to == whose


def test_affinities_and_words_keep_their_order(tmp_path: Path) -> None:
    text = agent("affinity: {zeta: 1, alpha: 2}", "rules: {refer: {z: platform, a: payments}}")

    pia = accepted(tmp_path, text).agents[0]

    assert pia.affinity == (("zeta", 1), ("alpha", 2))
    assert pia.rules.refer == (("z", "platform"), ("a", "payments"))
    assert pia.as_threshold().affinity == pia.affinity


# --- properties ---------------------------------------------------------------------------------


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from(
            [
                "",
                "agents:",
                "desks:",
                "general: {members: [q]}",
                "orchestrator: pia",
                "  - id: pia",
                "    model: briefed",
                "    members: [pia]",
                "    channel: C1",
                "    rules: {holds: [{}]}",
                "    asks: [a, b]",
                "    episode: {quorum: {threshold: 9}}",
                "    mode: hive",
                "    price: {input_usd: 1}",
                "  ? a",
                "  :",
                "- x",
                "&a *a",
                "!!x y",
                "\t",
                "{",
                "'",
                "",
            ]
        ),
        max_size=14,
    ).map("\n".join)
    | st.text(max_size=60)
)
def test_whatever_a_file_holds_it_is_loaded_or_refused_with_places(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "any.yaml"
    path.write_text(text, encoding="utf-8", errors="replace", newline="")

    for problem in problems(path):
        assert problem.file == str(path)
        assert 1 <= problem.line <= len(text) + 1
        assert problem.message
        assert problem.remedy


def problems(path: Path) -> tuple[Finding, ...]:
    """What is found in a file, whether or not it is refused."""
    try:
        return load(path).warnings
    except ConfigError as error:
        return error.problems


@given(st.text(max_size=8), st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_the_nearest_name_is_a_known_one_and_an_equal_one_wins(name: str, known: list[str]) -> None:
    assert nearest(name, known) in known
    assert nearest(name, [*known, name]).lower() == name.lower()


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("memebrs", ["mode", "members"], "members"),
        ("ab", ["ba", "abcd"], "ba"),
        ("LISTEN", ["listen", "links"], "listen"),
        ("x", [], ""),
    ],
)
def test_the_nearest_name_has_the_fewest_edits(name: str, known: list[str], near: str) -> None:
    assert nearest(name, known) == near
