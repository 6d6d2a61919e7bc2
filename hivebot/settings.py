"""What does the environment say? Secrets, addresses and places; the only reader of it.

Everything that is no secret and no place stands in the configuration files instead.
Source: product.md 8 and 11, rights.md 6, datapath.md 8 and 9.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal
from urllib.parse import SplitResult, unquote, urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from pydantic_settings import SettingsError as UndecodableError

from hivebot.errors import HivebotError

EXIT_CONFIG: Final = 78
"""Exit status of a process that cannot start as it is configured."""

PREFIX: Final = "HIVEBOT_"

CONSOLE_ROLES: Final = frozenset({"viewer", "steward", "admin"})
CONSOLE_TOKEN_MIN: Final = 24
"""Characters of a token that signs in to the console."""

Command = Literal["run", "serve", "worker", "clock", "db upgrade", "demo", "sandbox"]

_NEED_POSTGRES: Final[frozenset[Command]] = frozenset({"serve", "worker", "clock", "db upgrade"})

_DSN_SCHEMES: Final = ("postgres", "postgresql", "postgresql+psycopg")


class SettingsError(HivebotError):
    """The environment cannot be used; nothing was started.

    Attributes:
        problems: One sentence each, naming the variable and never its value.
        exit_code: What the process ends with.
    """

    code: ClassVar[str] = "settings"
    exit_code: ClassVar[int] = EXIT_CONFIG

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


def is_loopback(host: str) -> bool:
    """Say whether a name or address can only mean this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Settings(BaseSettings):
    """The environment, read once; every secret is wrapped.

    Attributes:
        slack_bot_token: `xoxb-…`; posts and reads.
        slack_app_token: `xapp-…`; opens Socket Mode.
        slack_signing_secret: Proves that an HTTP request is Slack's.
        slack_client_id: With the client secret: installation by OAuth.
        slack_client_secret: See `slack_client_id`.
        workspaces: Ids of the workspaces and organisations that may install the app by OAuth; `*`
            for any, which lets anybody with the address put their questions to your agents.
        slack_api_url: Where Slack's API is; it receives the token, so https or loopback only.
        secret_keys: The first encrypts stored installation tokens, all decrypt.
        database_url: Postgres, possibly through a pooler.
        database_direct_url: The same Postgres without the pooler, for LISTEN.
        data_dir: Where the embedded Postgres keeps its data; None: see `data_directory`.
        config: A YAML file, or a directory of them.
        host: Address to listen at.
        port: Port to listen at, 0..65535; 0 takes a free one.
        public_url: How people reach the console; "" where they cannot.
        metrics_port: Where `worker` and `clock` show health and metrics; None: nowhere.
        metrics_token: Opens `/metrics` to callers from elsewhere; without it only loopback may.
        console_tokens: `role:token` with commas between, for the console; without any it is off.
        otlp_endpoint: OpenTelemetry's collector, over HTTP; "" for none.
        otlp_headers: What the collector wants to see, as `name=value` with commas between.
        model_keys: API keys by provider, from `HIVEBOT_MODEL_KEYS__<PROVIDER>` or the provider's
            own variable.
        log_level: Lowest level of our own lines.
        log_format: For people, as JSON, or by what the output is.
        no_color: Colours are not welcome, whatever the value.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_client_id: str = ""
    slack_client_secret: SecretStr | None = None
    slack_api_url: str = "https://slack.com/api/"
    secret_keys: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    workspaces: Annotated[tuple[str, ...], NoDecode] = ()
    database_url: SecretStr | None = Field(default=None, validation_alias="DATABASE_URL")
    database_direct_url: SecretStr | None = Field(
        default=None, validation_alias="DATABASE_DIRECT_URL"
    )
    data_dir: Path | None = None
    config: Path = Path("config/hivebot.yaml")
    host: str = "127.0.0.1"
    port: int = Field(
        default=8080, ge=0, le=65535, validation_alias=AliasChoices("HIVEBOT_PORT", "PORT")
    )
    public_url: str = ""
    metrics_port: int | None = Field(default=None, ge=0, le=65535)
    metrics_token: SecretStr | None = None
    console_tokens: SecretStr | None = None
    otlp_endpoint: str = Field(default="", validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    otlp_headers: SecretStr | None = Field(
        default=None, validation_alias="OTEL_EXPORTER_OTLP_HEADERS"
    )
    model_keys: dict[str, SecretStr] = Field(default_factory=dict[str, SecretStr])
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "console"] = "auto"
    no_color: str = Field(default="", validation_alias="NO_COLOR")

    @field_validator("slack_bot_token")
    @classmethod
    def _is_a_bot_token(cls, token: SecretStr | None) -> SecretStr | None:
        return _starting(token, "xoxb-", "xoxe.xoxb-")

    @field_validator("slack_app_token")
    @classmethod
    def _is_an_app_token(cls, token: SecretStr | None) -> SecretStr | None:
        return _starting(token, "xapp-")

    @field_validator("slack_api_url")
    @classmethod
    def _keeps_the_token_safe(cls, url: str) -> str:
        parts = _split(url)
        if parts.scheme == "https" or (
            parts.scheme == "http" and is_loopback(parts.hostname or "")
        ):
            return url.rstrip("/") + "/"
        raise ValueError("must be https, or http on this machine: it receives the bot token")

    @field_validator("public_url", "otlp_endpoint")
    @classmethod
    def _is_a_web_address(cls, url: str) -> str:
        if url and _split(url).scheme not in {"http", "https"}:
            raise ValueError("must begin with https:// or http://")
        return url.rstrip("/")

    @field_validator("console_tokens")
    @classmethod
    def _names_roles(cls, tokens: SecretStr | None) -> SecretStr | None:
        for role, token in _with_roles(tokens):
            if role not in CONSOLE_ROLES or len(token) < CONSOLE_TOKEN_MIN:
                raise ValueError(
                    f"must be viewer:…, steward:… or admin:… with {CONSOLE_TOKEN_MIN} characters "
                    "or more each, and commas between"
                )
        return tokens

    @field_validator("secret_keys", "workspaces", mode="before")
    @classmethod
    def _is_a_list_with_commas(cls, keys: object) -> object:
        if isinstance(keys, str):
            return [key.strip() for key in keys.split(",") if key.strip()]
        return keys

    @field_validator("database_url", "database_direct_url")
    @classmethod
    def _is_postgres(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None or _split(url.get_secret_value()).scheme in _DSN_SCHEMES:
            return url
        raise ValueError("must begin with postgresql:// or postgres://")

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _in_any_case(cls, name: object) -> object:
        return name.lower() if isinstance(name, str) else name

    @property
    def data_directory(self) -> Path:
        """Where data is kept: as configured, else the user's data directory."""
        return user_data_directory() if self.data_dir is None else self.data_dir.expanduser()

    @property
    def color(self) -> bool:
        """Whether colours are welcome on a terminal."""
        return not self.no_color

    @property
    def oauth(self) -> bool:
        """Whether workspaces install the app by OAuth."""
        return bool(self.slack_client_id) or self.slack_client_secret is not None

    def console_roles(self) -> tuple[tuple[str, str], ...]:
        """Give (role, token) of the console's tokens in the clear; () where it is off."""
        return _with_roles(self.console_tokens)

    def secret_values(self) -> tuple[str, ...]:
        """Give every secret in the clear, for the redaction of logs and nothing else."""
        wrapped = [
            self.slack_bot_token,
            self.slack_app_token,
            self.slack_signing_secret,
            self.slack_client_secret,
            self.metrics_token,
            self.otlp_headers,
            self.database_url,
            self.database_direct_url,
            *self.secret_keys,
            *self.model_keys.values(),
        ]
        values = [secret.get_secret_value() for secret in wrapped if secret is not None]
        values += [token for _, token in self.console_roles()]
        return (*values, *_passwords(self.database_url, self.database_direct_url))

    def model_environment(self) -> dict[str, str]:
        """Give the models' keys in the clear, under the names their clients know."""
        return {
            f"{provider.upper()}_API_KEY": key.get_secret_value()
            for provider, key in self.model_keys.items()
        }

    def require_for(self, command: Command) -> None:
        """Check that a command has what it cannot start without.

        1. Several processes share one Postgres, so the server's processes and migrations need its
           address, or a directory for the embedded one chosen on purpose.
        2. `serve` checks signatures, `run` opens a socket, and both post.
        3. OAuth stores tokens, and stored tokens are encrypted.

        Raises:
            SettingsError: Something is missing; all of it is named.

        Source: product.md 11, datapath.md 9.
        """
        problems: list[str] = []
        if command in _NEED_POSTGRES and self.database_url is None and self.data_dir is None:
            problems.append(
                f"`hivebot {command}` needs DATABASE_URL (or HIVEBOT_DATA_DIR, to keep the "
                "embedded Postgres there)"
            )
        problems += self._missing_slack(command)
        if command in {"serve", "worker"} and self.oauth and not self.secret_keys:
            problems.append(
                "installation by OAuth needs HIVEBOT_SECRET_KEYS to encrypt stored tokens"
            )
        if command == "serve" and self.oauth and not self.workspaces:
            problems.append(
                "installation by OAuth needs HIVEBOT_WORKSPACES: the ids (T…, E…) that may install"
            )
        if problems:
            raise SettingsError(*problems)

    def _missing_slack(self, command: Command) -> list[str]:
        needed: dict[str, object] = {}
        if command in {"run", "serve", "worker", "clock"} and not self.oauth:
            needed["HIVEBOT_SLACK_BOT_TOKEN"] = self.slack_bot_token
        if command == "run":
            needed["HIVEBOT_SLACK_APP_TOKEN"] = self.slack_app_token
        if command == "serve":
            needed["HIVEBOT_SLACK_SIGNING_SECRET"] = self.slack_signing_secret
        if command in {"serve", "worker"} and self.oauth:
            needed["HIVEBOT_SLACK_CLIENT_ID"] = self.slack_client_id or None
            needed["HIVEBOT_SLACK_CLIENT_SECRET"] = self.slack_client_secret
        return [
            f"`hivebot {command}` needs {name}" for name, value in needed.items() if value is None
        ]


class _ProviderKeys(BaseSettings):
    """Keys under the names that the providers' own documentation gives them."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    anthropic: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    google: SecretStr | None = Field(default=None, validation_alias="GOOGLE_API_KEY")
    groq: SecretStr | None = Field(default=None, validation_alias="GROQ_API_KEY")
    mistral: SecretStr | None = Field(default=None, validation_alias="MISTRAL_API_KEY")
    openai: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openrouter: SecretStr | None = Field(default=None, validation_alias="OPENROUTER_API_KEY")

    def given(self) -> dict[str, SecretStr]:
        """Give the keys that are set, by provider."""
        return {provider: key for provider, key in self if key is not None}


def load_settings(env_file: Path | None = Path(".env")) -> Settings:
    """Read the environment, and in development a file beside the working directory.

    The environment wins over the file. The file is left alone where `HIVEBOT_ENV` is `production`.

    Raises:
        SettingsError: A variable cannot be used; all of them are named, none with its value.
    """
    if os.environ.get(f"{PREFIX}ENV", "").lower() == "production":
        env_file = None
    try:
        settings = Settings(_env_file=env_file)  # pyright: ignore[reportCallIssue] - generated
        provided = _ProviderKeys(_env_file=env_file)  # pyright: ignore[reportCallIssue]
    except ValidationError as error:
        problems = [
            f"{_variable(problem['loc'])} {_said(problem['msg'])}"
            for problem in error.errors(include_input=False, include_url=False)
        ]
    except UndecodableError:
        problems = [
            (
                "HIVEBOT_MODEL_KEYS must be a JSON object of provider and key (or set "
                "HIVEBOT_MODEL_KEYS__OPENAI and the like)"
            )
        ]
    except (OSError, UnicodeDecodeError):
        problems = [f"{env_file} cannot be read: it must be a text file in UTF-8"]
    else:
        named = {provider.lower(): key for provider, key in settings.model_keys.items()}
        return settings.model_copy(update={"model_keys": provided.given() | named})
    # outside the handlers, so that no vendor error with values in it is chained
    raise SettingsError(*problems)


def user_data_directory(
    platform: str = sys.platform,
    environ: Mapping[str, str] | None = None,
    home: Path | None = None,
    *,
    superuser: bool | None = None,
) -> Path:
    """Give the directory in which the system keeps a user's data of this program.

    The superuser's is the system's own: Postgres runs under another account, which may not pass a
    closed home.

    Args:
        platform: `sys.platform` of the system.
        environ: Environment to ask; None: the process's own.
        home: Home of the user; None: as the system says.
        superuser: Whether the user is root; None: as the system says.
    """
    variables = os.environ if environ is None else environ
    base = Path.home() if home is None else home
    if platform == "darwin":
        return base / "Library" / "Application Support" / "hivebot"
    if platform == "win32":
        local = variables.get("LOCALAPPDATA", "")
        return (Path(local) if local else base / "AppData" / "Local") / "hivebot"
    shared = variables.get("XDG_DATA_HOME", "")
    root = os.geteuid() == 0 if superuser is None else superuser
    if root and not shared:
        return Path("/var/lib/hivebot")
    # a relative XDG path is to be ignored, says its specification
    return (Path(shared) if shared.startswith("/") else base / ".local" / "share") / "hivebot"


def _with_roles(tokens: SecretStr | None) -> tuple[tuple[str, str], ...]:
    written = tokens.get_secret_value().split(",") if tokens is not None else []
    parts = [one.strip().partition(":") for one in written if one.strip()]
    return tuple((role, token) for role, _, token in parts)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        # the vendor's message repeats the value
        raise ValueError("is no address") from None


def _passwords(*urls: SecretStr | None) -> tuple[str, ...]:
    """Give the passwords inside connection strings, as written and as sent."""
    written = [_split(url.get_secret_value()).password for url in urls if url is not None]
    return tuple(form for password in written if password for form in {password, unquote(password)})


def _starting(token: SecretStr | None, *prefixes: str) -> SecretStr | None:
    if token is None or token.get_secret_value().startswith(prefixes):
        return token
    raise ValueError(f"must begin with {prefixes[0]}")


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0])
    if name.isupper():
        return name
    return PREFIX + "__".join(str(part).upper() for part in location)


def _said(message: str) -> str:
    stripped = message.removeprefix("Value error, ")
    return stripped[:1].lower() + stripped[1:]
