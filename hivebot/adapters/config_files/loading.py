"""What do the files say, all in all: a configuration to run, or everything that is wrong?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath

from hivebot.adapters.config_files import advice, checks, sources
from hivebot.adapters.config_files.canonical import Channels, resolve_channels, with_revision
from hivebot.adapters.config_files.conversion import to_records
from hivebot.adapters.config_files.findings import ConfigError, Finding, Places, Remark
from hivebot.adapters.config_files.format import ConfigFile
from hivebot.adapters.config_files.validation import validate
from hivebot.services.records.policy import Configuration


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration that can be run.

    Attributes:
        configuration: With its revision.
        warnings: What its operator should know, by file and line.
    """

    configuration: Configuration
    warnings: tuple[Finding, ...]


def load(path: FilePath | str, known_channels: Channels | None = None) -> Loaded:
    """Read, check and convert a file, or a directory of files.

    Args:
        path: A YAML file, or a directory of them.
        known_channels: Id of each channel by its name; None leaves names as `#name`, to be resolved
            by `with_channels`.

    Raises:
        ConfigError: The files cannot be used; every problem that was found is in it.

    Source: product.md 8.
    """
    source = sources.read(FilePath(path))
    if not source.data:
        raise ConfigError(source.findings)
    file, remarks = validate(source.data)
    if file is None:
        raise ConfigError(_all_problems(source, remarks))
    configuration, more = _checked(file, known_channels)
    judged = {remark.path for remark in remarks}
    remarks += [remark for remark in more if remark.path not in judged]
    if source.findings or remarks:
        raise ConfigError(_all_problems(source, remarks))
    warned = sorted(_located(source.places, advice.warnings(configuration)))
    return Loaded(configuration, tuple(warned))


def schema() -> dict[str, object]:
    """Give the JSON schema of the file format, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **ConfigFile.model_json_schema(),
        "title": "hivebot configuration",
    }


def _checked(file: ConfigFile, channels: Channels | None) -> tuple[Configuration, list[Remark]]:
    configuration = to_records(file)
    remarks: list[Remark] = []
    if channels is None:
        configuration = with_revision(configuration)
    else:
        configuration, remarks = resolve_channels(configuration, channels)
    return configuration, remarks + checks.problems(configuration)


def _all_problems(source: sources.Source, remarks: Iterable[Remark]) -> list[Finding]:
    """Join both kinds; of a part that could not even be read nothing else is said."""
    unread = {finding.key for finding in source.findings if finding.key}
    located = _located(source.places, remarks)
    return source.findings + [problem for problem in located if problem.key not in unread]


def _located(places: Places, remarks: Iterable[Remark]) -> list[Finding]:
    return [places.locate(remark) for remark in remarks]
