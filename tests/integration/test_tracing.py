"""Do spans reach the collector that is named, with ids and without anything anybody wrote?"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer

from hivebot.entrypoints import tracing
from hivebot.services.ports import StoreUnavailableError


class Collector(ThreadingHTTPServer):
    """Takes spans as OpenTelemetry's protocol sends them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.taken: list[tuple[str, str, ExportTraceServiceRequest]] = []


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        assert isinstance(self.server, Collector)
        key = self.headers.get("X-Key", "")
        self.server.taken.append((self.path, key, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the parent names it
        """Say nothing."""


@pytest.fixture
def collector() -> Generator[Collector]:
    server = Collector()
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield server
    server.shutdown()
    serving.join()
    server.server_close()


@pytest.fixture
def kept() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(kept: InMemorySpanExporter) -> Tracer:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    return provider.get_tracer("test")


def measured(what: str, **environment: str) -> str:
    """Run a process that measures something; its provider is the whole process's, for good."""
    asked = (
        "import sys\n"
        "from hivebot.entrypoints.tracing import span, traced\n"
        "from hivebot.settings import load_settings\n"
        "SDK = 'opentelemetry.sdk'\n"
        "with traced(load_settings(None), 'worker'):\n"
        f"    {what}\n"
    )
    counted = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE")}
    done = subprocess.run(
        [sys.executable, "-c", asked],
        check=True,
        capture_output=True,
        text=True,
        env={**counted, **environment},
    )
    return done.stdout


def test_what_is_measured_is_sent_where_the_environment_says(collector: Collector) -> None:
    measured(
        "with span('job speak', {'turn_id': 7}), span('ask model', {'model': 'briefed'}): pass",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_address[1]}/",
        OTEL_EXPORTER_OTLP_HEADERS="X-Key=a%20b",
    )
    (path, key, request), *more = collector.taken
    assert (path, key, more) == ("/v1/traces", "a b", [])
    (resource,) = request.resource_spans
    said = {one.key: one.value.string_value for one in resource.resource.attributes}
    assert (said["service.name"], said["service.instance.id"]) == ("hivebot", "worker")
    inner, outer = resource.scope_spans[0].spans
    assert (inner.name, outer.name) == ("ask model", "job speak")
    assert inner.parent_span_id == outer.span_id
    assert [(one.key, one.value.int_value) for one in outer.attributes] == [("hivebot.turn_id", 7)]


def test_without_a_collector_nothing_is_made_and_the_sdk_is_not_loaded() -> None:
    said = measured("with span('job') as made: print(made.is_recording(), SDK in sys.modules)")
    assert said.split() == ["False", "False"]


def test_a_failure_is_named_and_what_it_says_is_left_out(
    kept: InMemorySpanExporter, tracer: Tracer
) -> None:
    with pytest.raises(StoreUnavailableError), tracing.span("job", tracer=tracer):
        raise StoreUnavailableError("xoxb-secret said Ann")
    with pytest.raises(ValueError, match="Ann"), tracing.span("job", tracer=tracer):
        raise ValueError("xoxb-secret said Ann")
    first, second = kept.get_finished_spans()
    assert (first.status.description, second.status.description) == (
        "store_unavailable",
        "ValueError",
    )
    assert "Ann" not in first.to_json() + second.to_json()
    assert (first.events, second.events) == ((), ())
