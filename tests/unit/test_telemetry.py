"""Do logs say what happened, and never what must stay secret?"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from io import StringIO

import pytest
import structlog
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from hivebot.telemetry import (
    LEFT_OUT,
    REDACTED,
    Event,
    LogStyle,
    Metrics,
    Redactor,
    configure,
    get_logger,
    redact,
)

BOT_TOKEN = "xoxb-111111111111-222222222222-AbCdEfGhIjKlMnOpQrStUvWx"
ROTATED = "xoxe.xoxb-1-Mi0yLTExMTExMTExMTExMTE"
APP_TOKEN = "xapp-1-A0HIVE-333333333333-0123456789abcdef"
SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
MODEL_KEY = "sk-proj-AAAABBBBCCCCDDDDEEEEFFFF0000"
PASSWORD = "correct-horse-battery"
DSN = f"postgresql://hive:{PASSWORD}@db.internal:5432/hive"
HOOK = "https://hooks.slack.com/actions/T0HIVE/1234/abcdefSECRET"
QUESTION = "does the gateway retry on 503?"
SECRETS = (
    BOT_TOKEN,
    ROTATED,
    APP_TOKEN,
    SIGNING_SECRET,
    SIGNATURE.removeprefix("v0="),
    MODEL_KEY,
    PASSWORD,
    "abcdefSECRET",
    QUESTION,
)


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("hivebot")
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:], level, our_level = before
    root.setLevel(level)
    ours.setLevel(our_level)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def written(stream: StringIO) -> dict[str, object]:
    """The one JSON line in the stream."""
    line: dict[str, object] = json.loads(stream.getvalue())
    return line


def test_off_a_terminal_a_line_is_one_json_object_with_level_logger_and_time() -> None:
    stream = StringIO()
    configure(stream)

    get_logger("hivebot.services.routing").info(Event.DECIDED, desk="payments", duration_ms=12)

    line = written(stream)
    assert line.pop("at")
    assert line == {
        "event": "route.decided",
        "level": "info",
        "logger": "hivebot.services.routing",
        "desk": "payments",
        "duration_ms": 12,
    }


def test_on_a_terminal_a_line_is_for_people_and_coloured() -> None:
    stream = Terminal()
    configure(stream)

    get_logger().info(Event.JOB_DONE, task="route")

    assert "\x1b[" in stream.getvalue()
    assert "job.done" in stream.getvalue()
    assert "{" not in stream.getvalue()


def test_colours_are_off_when_they_are_not_welcome() -> None:
    stream = Terminal()
    configure(stream, color=False)

    get_logger().info(Event.JOB_DONE, task="route")

    assert "\x1b[" not in stream.getvalue()
    assert "task=route" in stream.getvalue()


def test_colours_are_off_when_piped_even_where_lines_are_for_people() -> None:
    stream = StringIO()
    configure(stream, style="console")

    get_logger().info(Event.JOB_DONE, task="route")

    assert "\x1b[" not in stream.getvalue()
    assert "task=route" in stream.getvalue()


def test_json_can_be_asked_for_on_a_terminal() -> None:
    stream = Terminal()
    configure(stream, style="json")

    get_logger().info(Event.JOB_DONE)

    assert written(stream)["event"] == "job.done"


def test_lines_below_the_level_are_not_written() -> None:
    stream = StringIO()
    configure(stream, level="warning")

    get_logger().info(Event.JOB_DONE)

    assert stream.getvalue() == ""


def test_other_packages_are_heard_from_warning_on_whatever_the_level() -> None:
    stream = StringIO()
    configure(stream, level="debug")

    logging.getLogger("slack_bolt.App").debug("payload: %s", QUESTION)
    logging.getLogger("slack_bolt.App").warning("the socket closed")

    assert written(stream)["event"] == "the socket closed"
    assert written(stream)["logger"] == "slack_bolt.App"


def test_configuring_twice_writes_each_line_once_and_only_to_the_newer_stream() -> None:
    older, newer = StringIO(), StringIO()
    configure(older)
    configure(newer)

    get_logger().info(Event.JOB_DONE)

    assert older.getvalue() == ""
    assert newer.getvalue().count("job.done") == 1


def test_ids_bound_to_a_job_stand_on_each_of_its_lines() -> None:
    stream = StringIO()
    configure(stream)

    with structlog.contextvars.bound_contextvars(job_id=7):
        get_logger().info(Event.JOB_DONE)

    assert written(stream)["job_id"] == 7


@pytest.mark.parametrize("style", ["json", "console"])
def test_planted_secrets_are_nowhere_in_the_output(style: LogStyle) -> None:
    stream = StringIO()
    configure(stream, style=style, secrets=[SIGNING_SECRET])
    log = get_logger("hivebot.test")

    plant(log)

    output = stream.getvalue()
    assert output.count("planted") >= 12
    for secret in SECRETS:
        assert secret not in output
    assert REDACTED in output


def plant(log: structlog.stdlib.BoundLogger) -> None:
    """Log every secret in every place that a careless caller would put it."""
    log.info("planted", error=f"auth.test failed for {BOT_TOKEN} and {ROTATED}")
    log.info(f"planted {APP_TOKEN}")  # noqa: G004 - the careless way is the case
    log.info("planted", headers={"Authorization": f"Bearer {BOT_TOKEN}", "X-Slack-Signature": 1})
    log.info("planted", header=f"Authorization: Basic {PASSWORD}aaaa")
    log.info("planted", url=DSN, other=f"host=db password={PASSWORD} user=hive")
    log.info("planted", detail=f"{{'client_secret': '{PASSWORD}'}}", signature=SIGNATURE)
    log.info("planted", checked=f"got {SIGNATURE}", secret_was=SIGNING_SECRET)
    log.info("planted", keys=[MODEL_KEY, (MODEL_KEY, {"api_key": PASSWORD})])
    log.info("planted", wrapped=SecretStr(PASSWORD), raw=BOT_TOKEN.encode())
    log.info("planted", text=QUESTION, prompt=QUESTION, nested={"content": QUESTION})
    log.info("planted", to=HOOK, **{BOT_TOKEN: {SIGNING_SECRET: 1}})
    logging.getLogger("slack_sdk").error("planted: token=%s", PASSWORD)
    try:
        fail_with(f"planted {DSN} {BOT_TOKEN} {SIGNING_SECRET}")
    except ValueError:
        log.exception("planted", token=PASSWORD)
        logging.getLogger("procrastinate").exception("planted")


def fail_with(said: str) -> None:
    raise ValueError(said)


def test_a_traceback_is_kept_without_its_secrets_and_local_variables() -> None:
    stream = StringIO()
    configure(stream, secrets=[PASSWORD])
    try:
        fail_with(f"no entry with {PASSWORD}")
    except ValueError:
        get_logger().exception(Event.JOB_FAILED)

    traceback = str(written(stream)["exception"])
    assert f"ValueError: no entry with {REDACTED}" in traceback
    assert "test_telemetry.py" in traceback


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"a {BOT_TOKEN} b", f"a {REDACTED} b"),
        (f"({ROTATED})", f"({REDACTED})"),
        (APP_TOKEN, REDACTED),
        (SIGNATURE, f"v0={REDACTED}"),
        (MODEL_KEY, REDACTED),
        (DSN, f"postgresql://hive:{REDACTED}@db.internal:5432/hive"),
        (HOOK, f"https://hooks.slack.com/{REDACTED}"),
        ("authorization: bearer abc.def", f"authorization: {REDACTED}"),
        ("curl -H 'bearer abcdefgh.ijk'", f"curl -H 'bearer {REDACTED}'"),
        ("password=hunter22&x=1", f"password={REDACTED}&x=1"),
        ("prompt_tokens=312", "prompt_tokens=312"),
        ("http://127.0.0.1:8080/hive@home", "http://127.0.0.1:8080/hive@home"),
        ("basic dXNlcjpwYXNz", f"basic {REDACTED}"),
        ("a basic question", "a basic question"),
        ("nothing to hide", "nothing to hide"),
    ],
)
def test_what_looks_like_a_secret_is_replaced_and_the_rest_is_kept(said: str, shown: str) -> None:
    assert redact(said) == shown
    assert redact(shown) == shown


def test_a_known_secret_inside_another_leaves_no_remainder() -> None:
    assert Redactor(["horses", "horses-and-carts"]).clean("horses-and-carts") == REDACTED


def test_a_known_value_too_short_to_be_a_secret_blanks_out_nothing() -> None:
    assert Redactor(["", "the"]).clean("the gateway") == "the gateway"


def test_figures_keep_their_type_and_written_words_are_left_out() -> None:
    line = Redactor()(
        None, "info", {"n": 3, "yes": True, "none": None, "share": 0.5, "question": QUESTION}
    )

    assert line == {"n": 3, "yes": True, "none": None, "share": 0.5, "question": LEFT_OUT}


def test_event_names_say_matter_and_what() -> None:
    for event in Event:
        matter, dot, what = event.value.partition(".")
        assert matter
        assert dot
        assert what


def test_the_metrics_page_shows_what_was_counted() -> None:
    metrics = Metrics()
    metrics.jobs.labels(task="route", outcome="done").inc()
    metrics.tokens.labels(model="briefed", direction="prompt").inc(12)
    metrics.intake.labels(outcome="taken").observe(0.02)
    metrics.slack_errors.labels(kind="post", error="is_archived").inc()
    metrics.waiting.labels(queue="outbox").set(3)

    page, content_type = metrics.render()

    text = page.decode()
    assert 'hivebot_jobs_total{outcome="done",task="route"} 1.0' in text
    assert 'hivebot_tokens_total{direction="prompt",model="briefed"} 12.0' in text
    assert 'hivebot_intake_seconds_count{outcome="taken"} 1.0' in text
    assert 'hivebot_slack_errors_total{error="is_archived",kind="post"} 1.0' in text
    assert 'hivebot_waiting{queue="outbox"} 3.0' in text
    assert content_type.startswith("text/plain")


def test_two_processes_in_one_program_count_apart() -> None:
    one, other = Metrics(), Metrics(CollectorRegistry())
    one.ready.set(1)

    assert b"hivebot_ready 1.0" in one.render()[0]
    assert b"hivebot_ready 0.0" in other.render()[0]


def test_no_label_can_hold_a_channel_or_a_person() -> None:
    metrics = Metrics()
    labels = {
        label
        for collector in vars(metrics).values()
        for label in getattr(collector, "_labelnames", ())
    }

    assert labels == {
        "outcome", "kind", "task", "model", "direction", "error", "queue",
    }  # fmt: skip
