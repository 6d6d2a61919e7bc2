"""Where does the time of a request or a job go? Spans for OpenTelemetry, if there is a collector.

A span holds ids, names and outcomes: no text, no channel's name, no message of an exception.
Without a collector the API's own spans of no effect are made, and the SDK is not loaded.
Source: product.md 11, rights.md 6.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final
from urllib.parse import unquote

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from hivebot.errors import HivebotError
from hivebot.settings import Settings

NAME: Final = "hivebot"


@contextmanager
def span(
    name: str,
    ids: Mapping[str, object] | None = None,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    tracer: Tracer | None = None,
) -> Generator[Span]:
    """Measure what happens in the block, inside whatever is being measured already.

    Args:
        name: What is done, of a small set of names.
        ids: Attributes: rows' ids, names of models and methods. Never anything that was written.
        kind: Whether it came from outside, goes outside, or neither.
        tracer: Made of another provider than the process's.
    """
    attributes = {f"{NAME}.{key}": _plain(value) for key, value in (ids or {}).items()}
    measured = (tracer or trace.get_tracer(NAME)).start_as_current_span(
        name,
        kind=kind,
        attributes=attributes,
        # what an exception says may hold what somebody wrote
        record_exception=False,
        set_status_on_exception=False,
    )
    with measured as current:
        try:
            yield current
        except HivebotError as error:
            current.set_status(Status(StatusCode.ERROR, error.code))
            raise
        except Exception as error:
            current.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


@contextmanager
def traced(settings: Settings, process: str) -> Generator[None]:
    """Send spans to the configured collector until the block ends; without one do nothing.

    Args:
        settings: Names the collector.
        process: `serve`, `worker`, `clock` or `run`; spans say which of them they come from.
    """
    if not settings.otlp_endpoint:
        yield
        return
    # a tenth of the start-up time, spared where nobody listens
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    given = settings.otlp_headers
    exporter = OTLPSpanExporter(
        endpoint=f"{settings.otlp_endpoint.rstrip('/')}/v1/traces",
        headers=_headers(given.get_secret_value() if given is not None else ""),
    )
    resource = Resource.create({"service.name": NAME, "service.instance.id": process})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        provider.shutdown()


def _headers(written: str) -> dict[str, str]:
    """`name=value` with commas between, values as in an address: as OpenTelemetry writes them."""
    pairs = (one.partition("=") for one in written.split(",") if "=" in one)
    return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs}


def _plain(value: object) -> str | int | bool:
    return value if isinstance(value, (str, int, bool)) else str(value)
