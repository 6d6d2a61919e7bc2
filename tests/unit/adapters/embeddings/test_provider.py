"""A provider's embedder: what is sent, what comes back, and what each failure is called."""

from __future__ import annotations

import pytest
from pydantic_ai import exceptions as vendor

from hivebot.adapters.embeddings import embedder
from hivebot.adapters.embeddings.provider import BATCH, EXPECTED, ProviderEmbedder, reason_of
from hivebot.services.ports.embedding import EmbedderError
from tests.fakes.embedding_server import Answer, EmbeddingServer, garbage, given, status

NAME = "openai:small"


async def failed(server: EmbeddingServer, timeout_s: float = 30.0) -> str:
    made = ProviderEmbedder(NAME, server.environment, timeout_s)
    with pytest.raises(EmbedderError) as error:
        await made.embed(["a text"])
    assert "planted" not in str(error.value)
    return error.value.reason


async def test_each_text_gets_its_vector_in_order() -> None:
    async with EmbeddingServer() as server:
        made = embedder(NAME, server.environment)
        assert made.model == NAME
        found = await made.embed(["a", "abc"])
        assert [each.tolist() for each in found] == [[1.0, 1.0], [3.0, 1.0]]
        assert (server.requests[0]["input"], server.requests[0]["model"]) == (["a", "abc"], "small")
        assert server.keys == ["Bearer planted-key"]


async def test_many_texts_are_sent_in_several_requests() -> None:
    async with EmbeddingServer() as server:
        texts = ["x" * (place % 7 + 1) for place in range(BATCH + 1)]
        found = await ProviderEmbedder(NAME, server.environment).embed(texts)
        assert [each[0] for each in found] == [len(text) for text in texts]
        assert [len(each["input"]) for each in server.requests] == [BATCH, 1]


async def test_no_text_asks_nobody() -> None:
    assert await ProviderEmbedder(NAME, {}).embed([]) == ()


async def test_a_server_without_keys_is_reached_without_one() -> None:
    async with EmbeddingServer() as server:
        address = {"OPENAI_BASE_URL": server.environment["OPENAI_BASE_URL"]}
        await ProviderEmbedder(NAME, address).embed(["a"])
        assert server.keys == ["Bearer no-key"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (given([]), "malformed"),
        (given([[1.0], [2.0]]), "malformed"),
        (garbage, "malformed"),
        (status(401), "misconfigured"),
        (status(404), "misconfigured"),
        (status(400), "misconfigured"),
    ],
    ids=["none", "too many", "garbage", "key", "model", "request"],
)
async def test_an_answer_that_is_no_help_has_a_reason(answer: Answer, reason: str) -> None:
    async with EmbeddingServer(answer) as server:
        assert await failed(server) == reason


async def test_vectors_of_two_lengths_are_malformed() -> None:
    async with EmbeddingServer(given([[1.0], [1.0, 2.0]])) as server:
        with pytest.raises(EmbedderError, match="malformed"):
            await ProviderEmbedder(NAME, server.environment).embed(["a", "b"])


async def test_a_server_that_never_answers_is_given_up() -> None:
    async with EmbeddingServer(silent_after=0) as server:
        assert await failed(server, timeout_s=0.05) == "timed_out"


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    made = ProviderEmbedder(NAME, {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, 20.0)
    with pytest.raises(EmbedderError, match="unavailable"):
        await made.embed(["a"])


@pytest.mark.parametrize("name", ["", "openai", ":small", "openai:"])
def test_a_name_without_provider_and_model_is_misnamed(name: str) -> None:
    with pytest.raises(EmbedderError, match="misnamed"):
        embedder(name)


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        ("nobody:small", {}),
        ("nobody:small", {"NOBODY_API_KEY": "k"}),
        ("bedrock:x", {"BEDROCK_API_KEY": "k"}),
        ("openai:small", {}),
        ("sentence-transformers:x", {"SENTENCE_TRANSFORMERS_API_KEY": "k"}),
    ],
)
async def test_a_provider_that_cannot_be_set_up_is_misconfigured(
    name: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(EmbedderError, match="misconfigured"):
        await ProviderEmbedder(name, environment).embed(["a"])


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TimeoutError(), "timed_out"),
        (vendor.ModelTimeoutError("small", "planted-secret"), "timed_out"),
        (vendor.ModelRateLimitError("small", "planted-secret"), "rate_limited"),
        (vendor.ModelOverloadedError("small", "planted-secret"), "unavailable"),
        (vendor.ModelServerError("small", "planted-secret"), "unavailable"),
        (vendor.ModelConnectionError("small", "planted-secret"), "unavailable"),
        (vendor.ModelQuotaExceededError("small", "planted-secret"), "misconfigured"),
        (vendor.ModelAuthenticationError("small", "planted-secret"), "misconfigured"),
        (vendor.UnexpectedModelBehavior("planted-secret"), "malformed"),
        (vendor.UserError("planted-secret"), "misconfigured"),
    ],
)
def test_every_error_of_the_vendor_has_its_reason(error: Exception, reason: str) -> None:
    assert isinstance(error, EXPECTED)
    assert reason_of(error) == reason


def test_an_error_of_our_own_making_is_no_failure_of_the_vendor() -> None:
    with pytest.raises(KeyError, match="LookupError"):
        reason_of(LookupError())
