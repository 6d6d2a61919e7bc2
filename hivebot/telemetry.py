"""What does a process say about itself? Logs without secrets, event names and metrics.

Nothing that people or models wrote is logged: no text, no prompt, no token, no signature.
Source: architecture.md "Logs", rights.md 6.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, Literal, TextIO, cast

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from structlog.typing import EventDict, Processor, WrappedLogger

LogStyle = Literal["auto", "json", "console"]
"""`auto` writes for people on a terminal and JSON anywhere else."""

REDACTED: Final = "[redacted]"
"""Stands where a secret was."""

LEFT_OUT: Final = "[left out]"
"""Stands where something that people or models wrote was."""

ROOT_LOGGER: Final = "hivebot"
"""Loggers below this one obey the configured level; all others speak from WARNING on."""


class Event(StrEnum):
    """The name of a log line: what happened, as `matter.what`."""

    PROCESS_STARTED = "process.started"
    PROCESS_STOPPING = "process.stopping"
    PROCESS_STOPPED = "process.stopped"
    CONFIG_LOADED = "config.loaded"
    CONFIG_REFUSED = "config.refused"
    CONFIG_WARNING = "config.warning"
    DATABASE_EMBEDDED = "database.embedded"
    DATABASE_AWAY = "database.away"
    DATABASE_BACK = "database.back"
    MIGRATED = "database.migrated"
    REQUEST_DONE = "request.done"
    REQUEST_FAILED = "request.failed"
    EVENT_TAKEN = "event.taken"
    EVENT_REPEATED = "event.repeated"
    EVENTS_LIMITED = "events.limited"
    PRESSED = "press.done"
    COMMANDED = "command.done"
    HOME_REFUSED = "home.refused"
    EVENT_IGNORED = "event.ignored"
    JOB_DONE = "job.done"
    JOB_FAILED = "job.failed"
    JOB_GIVEN_UP = "job.given_up"
    JOBS_RESCUED = "jobs.rescued"
    DECIDED = "route.decided"
    TURN_COMMITTED = "turn.committed"
    TURN_LOST = "turn.lost"
    TURN_FAILED = "turn.failed"
    REFERRAL_ASKED = "referral.asked"
    REFERRAL_ENDED = "referral.ended"
    EPISODE_ENDED = "episode.ended"
    POST_SENT = "post.sent"
    POST_REFUSED = "post.refused"
    POST_UNKNOWN = "post.unknown"
    SLACK_WAIT = "slack.wait"
    INSTALLED = "workspace.installed"
    UNINSTALLED = "workspace.gone"
    SOCKET_OPEN = "socket.open"
    SOCKET_LOST = "socket.lost"
    SOCKET_FOREIGN = "socket.foreign"
    UPKEEP_DONE = "upkeep.done"
    MEMORIES_KEPT = "memories.kept"


# --- redaction ----------------------------------------------------------------------------------

_SECRET_KEYS: Final = frozenset(
    {
        "api_key",
        "authorization",
        "client_secret",
        "cookie",
        "password",
        "secret",
        "secret_keys",
        "set_cookie",
        "signature",
        "signing_secret",
        "token",
        "x_slack_signature",
    }
)

_SECRET_ENDINGS: Final = ("_token", "_secret", "_password", "_api_key", "_signature")

_WRITTEN_KEYS: Final = frozenset(
    {
        "answer",
        "artifact",
        "blocks",
        "body",
        "brief",
        "content",
        "payload",
        "prompt",
        "question",
        "reply",
        "shown",
        "text",
    }
)

_PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"\bxox[a-z](?:\.xox[a-z])?-[\w.-]+"), REDACTED),
    (re.compile(r"\bxapp-[\w-]+"), REDACTED),
    (re.compile(r"\bv0=[0-9a-fA-F]{16,}"), f"v0={REDACTED}"),
    (re.compile(r"\b(?:sk|rk|gsk|hf|pcsk|xai|AIza)[-_]?[\w-]{20,}"), REDACTED),
    (re.compile(r"https://hooks\.slack\.com/\S+"), f"https://hooks.slack.com/{REDACTED}"),
    (re.compile(r"(://[^\s/:@]*):[^\s/@]+@"), rf"\1:{REDACTED}@"),
    (
        re.compile(r"(?i)(\bauthorization['\"]?\s*[:=]\s*+['\"]?)(?!\[redacted)[^\r\n'\",}]+"),
        rf"\1{REDACTED}",
    ),
    (re.compile(r"(?i)\b(bearer)\s+[\w.~+/=-]{8,}"), rf"\1 {REDACTED}"),
    # encoded credentials, not "a basic question"
    (re.compile(r"\b([Bb]asic)\s+(?=\S*[0-9A-Z=])[\w.~+/=-]{8,}"), rf"\1 {REDACTED}"),
    (
        re.compile(
            r"(?i)((?:password|passwd|secret|token|api[_-]?key)['\"]?\s*[:=]\s*+['\"]?)"
            r"(?!\[redacted)[^\s'\"&,;)}]+"
        ),
        rf"\1{REDACTED}",
    ),
)

_SHORTEST_KNOWN: Final = 6
"""Registered values shorter than this would blank out ordinary words."""


def redact(text: str) -> str:
    """Give the text with everything that looks like a secret replaced.

    Known shapes: Slack tokens and signatures, model keys, web hooks, the password of a connection
    string, authorization headers, and `name=value` or `name: value` of a secret's name.
    """
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


class Redactor:
    """The last processor before a line is rendered.

    Args:
        secrets: Values that must not be printed whatever they look like.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= _SHORTEST_KNOWN}
        # longest first: a secret may hold another
        self._known = tuple(sorted(known, key=lambda secret: (-len(secret), secret)))

    def __call__(self, _logger: WrappedLogger, _method: str, event_dict: EventDict) -> EventDict:
        """Clean every value of a line, by the name of its key and by its shape."""
        return {self.clean(key): self._by_key(key, value) for key, value in event_dict.items()}

    def clean(self, text: str) -> str:
        """Give the text without known values and without anything shaped like a secret."""
        for secret in self._known:
            text = text.replace(secret, REDACTED)
        return redact(text)

    def _by_key(self, key: str, value: object) -> object:
        name = key.lower().replace("-", "_")
        if name in _SECRET_KEYS or name.endswith(_SECRET_ENDINGS):
            return REDACTED
        if name in _WRITTEN_KEYS:
            return LEFT_OUT
        return self._value(value)

    def _value(self, value: object) -> object:
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, Mapping):
            pairs = cast("Mapping[object, object]", value).items()
            return {self.clean(str(key)): self._by_key(str(key), element) for key, element in pairs}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self._value(element) for element in cast("Iterable[object]", value)]
        if isinstance(value, bytes):
            return f"[{len(value)} bytes]"
        return self.clean(str(value))


# --- logs ---------------------------------------------------------------------------------------


def configure(
    stream: TextIO,
    *,
    style: LogStyle = "auto",
    level: str = "info",
    color: bool = True,
    secrets: Iterable[str] = (),
) -> None:
    """Send every log line of the process to one stream, redacted; may be called again.

    Lines of other packages go the same way, from WARNING on: below it they hold payloads.

    Args:
        stream: Where the lines go.
        style: For people or as JSON, one object a line.
        level: Lowest level of our own lines: debug, info, warning or error.
        color: Whether colours are welcome; never used off a terminal or in JSON.
        secrets: Values that must never be printed.
    """
    terminal = stream.isatty()
    for_people = style == "console" or (style == "auto" and terminal)
    chain: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=chain,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                Redactor(secrets),
                _renderer(for_people=for_people, color=color and terminal),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(ROOT_LOGGER).setLevel(level.upper())
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *chain,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def get_logger(name: str = ROOT_LOGGER) -> structlog.stdlib.BoundLogger:
    """Give the logger of a module; pass `__name__`."""
    logger: Any = structlog.stdlib.get_logger(name)
    return cast("structlog.stdlib.BoundLogger", logger)


def _renderer(*, for_people: bool, color: bool) -> Processor:
    if not for_people:
        return structlog.processors.JSONRenderer(sort_keys=True, ensure_ascii=False)
    return structlog.dev.ConsoleRenderer(
        colors=color,
        timestamp_key="at",
        # a pretty traceback prints local variables, and with them everything redaction cannot see
        exception_formatter=structlog.dev.plain_traceback,
    )


# --- metrics ------------------------------------------------------------------------------------

_FAST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0)
_SLOW_S: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)


class Metrics:
    """Every figure of one process; labels never hold the id of a channel or of a person.

    Attributes:
        intake: Seconds from an event's arrival to its acknowledgement, by `outcome`.
        events: Events taken, by `kind` and `outcome`.
        jobs: Jobs ended, by `task` and `outcome`.
        job_seconds: How long they ran, by `task`.
        replies: What models came to, by `model` and `outcome` (a shape, or a kind of failure).
        turn_seconds: How long their model took, by `model`.
        tokens: Tokens spent, by `model` and `direction` (prompt, output).
        cost: Spent money in US dollars in millionths, by `model`.
        posts: Sends tried, by `kind` and `outcome`.
        slack_errors: Refusals by Slack, by what was tried (`kind`) and `error`.
        slack_waits: Seconds Slack has asked us to wait, by `kind`.
        waiting: What waits now, by `queue` (jobs, turns, posts, referrals).
        oldest: Seconds the oldest of it has waited, by `queue` (jobs, turns, posts, gates).
        ready: 1 while the process can do its work.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = CollectorRegistry() if registry is None else registry
        self.intake = self._histogram("intake_seconds", "Event to acknowledgement", ["outcome"])
        self.events = self._counter("events", "Events taken", ["kind", "outcome"])
        self.jobs = self._counter("jobs", "Jobs ended", ["task", "outcome"])
        self.job_seconds = self._histogram("job_seconds", "Time of a job", ["task"], _SLOW_S)
        self.replies = self._counter("replies", "Answers of models", ["model", "outcome"])
        self.turn_seconds = self._histogram("turn_seconds", "Time of a model", ["model"], _SLOW_S)
        self.tokens = self._counter("tokens", "Tokens spent", ["model", "direction"])
        self.cost = self._counter("cost_usd_micros", "Money spent", ["model"])
        self.posts = self._counter("posts", "Sends tried", ["kind", "outcome"])
        self.slack_errors = self._counter("slack_errors", "Refusals", ["kind", "error"])
        self.slack_waits = self._counter("slack_wait_seconds", "Waits", ["kind"])
        self.waiting = Gauge("hivebot_waiting", "What waits now", ["queue"], registry=self.registry)
        self.oldest = Gauge(
            "hivebot_oldest_seconds", "Waits longest", ["queue"], registry=self.registry
        )
        self.ready = Gauge("hivebot_ready", "1: can do its work", registry=self.registry)

    def render(self) -> tuple[bytes, str]:
        """Give the page for a scraper and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

    def _counter(self, name: str, says: str, labels: list[str]) -> Counter:
        return Counter(f"hivebot_{name}", says, labels, registry=self.registry)

    def _histogram(
        self, name: str, says: str, labels: list[str], buckets: tuple[float, ...] = _FAST_S
    ) -> Histogram:
        return Histogram(f"hivebot_{name}", says, labels, buckets=buckets, registry=self.registry)
