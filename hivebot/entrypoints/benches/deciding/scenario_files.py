"""What does a scenario file say? A decision with its right answer, for one desk or for several.

Read as strictly as a configuration: no unknown keys, and every problem with file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from pydantic import Field, ValidationError, model_validator

from hivebot.adapters.config_files import ConfigError, Finding, sources
from hivebot.adapters.config_files.findings import Remark
from hivebot.adapters.config_files.format import FactEntry
from hivebot.adapters.config_files.kinds import Id, Line, Topic, misfit
from hivebot.adapters.config_files.policies import Entry
from hivebot.adapters.llm.briefed.scenarios import Scenario, Shape
from hivebot.hive.options import OPTIONS_MAX, OPTIONS_MIN
from hivebot.services.records.policy import AgentConfig, BriefFact, RuleBrief
from hivebot.services.records.replies import Option

MEMBERS_MIN: Final = 2
MEMBERS_MAX: Final = 32
DESKS_MAX: Final = 8

_PACKAGED: Final = Path(__file__).parents[1] / "scenarios"
_CHECKOUT: Final = Path(__file__).parents[4] / "config" / "scenarios"


@dataclass(frozen=True, slots=True)
class FederatedDesk:
    """One of several desks before the same question.

    Attributes:
        members: In desk order; the first answers and asks for the desk.
    """

    id: str
    name: str
    members: tuple[AgentConfig, ...]


@dataclass(frozen=True, slots=True)
class Federation:
    """A decision put to several desks, none of which can find the right answer alone.

    Attributes:
        right: Id of the option that everything known together speaks for.
        turn_budget: Turns each desk is granted.
    """

    name: str
    question: str
    options: tuple[Option, ...]
    right: str
    desks: tuple[FederatedDesk, ...]
    turn_budget: int

    @property
    def members(self) -> tuple[AgentConfig, ...]:
        """Everybody, desk by desk."""
        return tuple(member for desk in self.desks for member in desk.members)


Case: TypeAlias = Scenario | Federation


class OptionEntry(Entry):
    """One of the options."""

    id: Topic
    text: Line


class MemberEntry(Entry):
    """Somebody on the desk, with what only they know."""

    id: Id
    name: str = ""
    role: str = ""
    brief: str = ""
    holds: tuple[FactEntry, ...] = ()
    opening_facts: int | None = Field(default=None, ge=1, le=3)


class DeskEntry(Entry):
    """One of several desks, with what all of it was told."""

    id: Id
    name: str = ""
    shared: tuple[FactEntry, ...] = ()
    members: tuple[MemberEntry, ...] = Field(min_length=MEMBERS_MIN, max_length=MEMBERS_MAX)


class ScenarioFile(Entry):
    """Everything that may stand in a scenario file: `members`, or `desks`."""

    name: Line
    question: Line
    options: tuple[OptionEntry, ...] = Field(min_length=OPTIONS_MIN, max_length=OPTIONS_MAX)
    right: Topic
    alone: Topic | None = None
    shape: Shape = Shape.HIDDEN
    turn_budget: int = Field(default=15, ge=1, le=10_000)
    opening_facts: int = Field(default=3, ge=1, le=3)
    shared: tuple[FactEntry, ...] = ()
    members: Annotated[tuple[MemberEntry, ...], Field(max_length=MEMBERS_MAX)] = ()
    desks: Annotated[tuple[DeskEntry, ...], Field(max_length=DESKS_MAX)] = ()

    @model_validator(mode="after")
    def _hangs_together(self) -> ScenarioFile:
        """Check what one key says about another."""
        if bool(self.members) == bool(self.desks):
            raise misfit("needs either `members` or `desks`", "write one of the two")
        if self.members and len(self.members) < MEMBERS_MIN:
            raise misfit("one member alone decides nothing", "write at least two members")
        if self.desks and (len(self.desks) < MEMBERS_MIN or self.shared):
            raise misfit(
                "several desks know different things", "write two desks or more, `shared` in each"
            )
        self._check_names()
        return self

    def _check_names(self) -> None:
        listed = [option.id for option in self.options]
        everybody = [*self.members, *(one for desk in self.desks for one in desk.members)]
        facts = [*self.shared, *(fact for desk in self.desks for fact in desk.shared)]
        facts.extend(fact for member in everybody for fact in member.holds)
        named = [self.right, *([self.alone] if self.alone else [])]
        named.extend(fact.option for fact in facts if fact.option)
        unknown = [option for option in named if option not in listed]
        if unknown:
            raise misfit(f"`{unknown[0]}` is no option", f"the options are {', '.join(listed)}")
        for ids in (
            listed,
            [member.id for member in everybody],
            [desk.id for desk in self.desks],
        ):
            if len(set(ids)) < len(ids):
                raise misfit("an id stands twice", "give each option, member and desk its own")


def shipped() -> tuple[str, ...]:
    """Names of the scenarios that come with the program, sorted."""
    return tuple(sorted(path.stem for path in _shipped_dir().glob("*.yaml")))


def find(place: str) -> Path:
    """Give the file behind a path, or behind the name of a shipped scenario."""
    return _shipped_dir() / f"{place}.yaml" if place in shipped() else Path(place)


def read(place: str) -> Case:
    """Read a scenario.

    Args:
        place: A file, or the name of a shipped scenario.

    Raises:
        ConfigError: the file cannot be used; every problem that was found is in it.
    """
    path = find(place)
    source = sources.read(path)
    if source.findings:
        raise ConfigError(source.findings)
    try:
        entry = ScenarioFile.model_validate(source.data)
    except ValidationError as error:
        details = error.errors(include_url=False)
        remarks = (Remark(tuple(one["loc"]), _said(one["msg"]), "") for one in details)
        raise ConfigError(source.places.locate(remark) for remark in remarks) from error
    return _federation(entry) if entry.desks else _scenario(entry)


def scenario(place: str) -> Scenario:
    """Read a scenario for one desk.

    Raises:
        ConfigError: as `read`, or it is for several desks.
    """
    found = read(place)
    if isinstance(found, Scenario):
        return found
    remedy = "add --federated, or name a scenario with `members`"
    raise ConfigError([Finding(str(find(place)), 0, "", "is for several desks", remedy)])


def federation(place: str) -> Federation:
    """Read a scenario for several desks.

    Raises:
        ConfigError: as `read`, or it is for one desk.
    """
    found = read(place)
    if isinstance(found, Federation):
        return found
    remedy = "leave out --federated, or name a scenario with `desks`"
    raise ConfigError([Finding(str(find(place)), 0, "", "is for one desk", remedy)])


def _said(message: str) -> str:
    return message[:1].lower() + message[1:]


def _shipped_dir() -> Path:
    """Inside an installed package, or beside it in a checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def _scenario(entry: ScenarioFile) -> Scenario:
    return Scenario(
        name=entry.name,
        question=entry.question,
        options=_options(entry),
        right=entry.right,
        alone=entry.alone or "",
        members=_members(entry, entry.shared, entry.members),
        turn_budget=entry.turn_budget,
        shape=entry.shape,
    )


def _federation(entry: ScenarioFile) -> Federation:
    return Federation(
        name=entry.name,
        question=entry.question,
        options=_options(entry),
        right=entry.right,
        desks=tuple(
            FederatedDesk(desk.id, desk.name or desk.id, _members(entry, desk.shared, desk.members))
            for desk in entry.desks
        ),
        turn_budget=entry.turn_budget,
    )


def _options(entry: ScenarioFile) -> tuple[Option, ...]:
    return tuple(Option(option.id, option.text) for option in entry.options)


def _members(
    entry: ScenarioFile, shared: Sequence[FactEntry], members: Iterable[MemberEntry]
) -> tuple[AgentConfig, ...]:
    return tuple(
        AgentConfig(
            id=member.id,
            name=member.name or member.id.capitalize(),
            role=member.role,
            brief=member.brief,
            model="briefed",
            rules=RuleBrief(
                shared=_facts(shared),
                holds=_facts(member.holds),
                opening_facts=member.opening_facts or entry.opening_facts,
            ),
        )
        for member in members
    )


def _facts(entries: Iterable[FactEntry]) -> tuple[BriefFact, ...]:
    return tuple(
        BriefFact(one.option, one.bearing, one.strength, one.text, one.about) for one in entries
    )
