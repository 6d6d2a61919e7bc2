"""How is a committed reply shown? The wanted Slack message of one turn.

Source: turns.md 6, product.md 3, rights.md 2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hivebot.hive.crossing import Audience
from hivebot.hive.transcript import author_name
from hivebot.services import lines
from hivebot.services.answer_menu import answer_menu, answer_of
from hivebot.services.outcomes import again_buttons
from hivebot.services.records.asking import RenderedTurn
from hivebot.services.records.outgoing import Body, Persona, Quote, SourceLink
from hivebot.services.records.policy import AgentConfig, ReferralsShown
from hivebot.services.records.replies import SPONSOR_ADDS_MAX, AnswerTurn, Known, Reply
from hivebot.services.records.rows import MessageRole, MessageRow, TurnKind
from hivebot.services.turns.scene import Scene

_ROW_NUMBER = re.compile(r"^\[(\d+)\]$")
PRIVATE_PLACE = "said in a private desk"
LATE = "This answer came late"
UNSOURCED = "No source: the model's own knowledge"


def persona_of(agent: AgentConfig) -> Persona:
    """Under which name and icon the agent posts."""
    return Persona(agent.name, agent.icon, agent.rule_based)


def thread_of(scene: Scene) -> int | None:
    """The outbox row of the far question, where its answer is shown under it."""
    under = scene.desk is not None and scene.desk.referral.shown is ReferralsShown.THREAD
    if scene.turn.kind is not TurnKind.REFERRED or not under or scene.referral is None:
        return None
    return scene.referral.post_id


def answer_body(
    scene: Scene,
    agent: AgentConfig,
    reply: Reply,
    rendered: RenderedTurn,
    quotes: tuple[Quote, ...],
    told: str = "",
) -> Body:
    """The message of an answer: words, quotes, and one small line saying what it rests on.

    `told` is what is to be said beside it of corrections in the matter.
    """
    desk = scene.desk
    text = rendered.shown
    if scene.turn.kind is TurnKind.SPONSOR:
        nothing = isinstance(reply, AnswerTurn) and not reply.answer.strip()
        text = "" if nothing and quotes else _cut(text, SPONSOR_ADDS_MAX)
    labels, links = _sources(scene, agent, rendered.sources)
    unknown = isinstance(reply, AnswerTurn) and reply.known is Known.UNKNOWN
    if not labels and not links and not unknown and scene.turn.kind is not TurnKind.SPONSOR:
        labels = [UNSOURCED]
    if _came_late(scene):
        labels = [LATE, *labels]
    if told:
        labels = [*labels, told]
    return Body(
        text=text,
        persona=persona_of(agent),
        quotes=quotes,
        sources=tuple(links),
        small=" · ".join(labels),
        buttons=again_buttons(scene.turn.notes),
        link_hosts=desk.links if desk is not None else (),
        menu=answer_menu(answer_of(scene.turn.id)),
    )


def failure_body(
    scene: Scene, agent: AgentConfig | None, why: str, quotes: tuple[Quote, ...]
) -> Body:
    """The message of a turn whose model gave nothing: a sponsor still passes on what came back."""
    persona = persona_of(agent) if agent is not None else None
    if scene.turn.kind is TurnKind.SPONSOR:
        return Body(
            text="" if quotes else "; ".join(scene.turn.notes),
            persona=persona,
            quotes=quotes,
            small=LATE if _came_late(scene) else "",
            buttons=again_buttons(scene.turn.notes),
        )
    reference = f"T{scene.turn.id}"
    plain = lines.could_not_answer(why, reference)
    return Body(text=plain.text, small=plain.small, persona=persona)


def quote_of(
    scene: Scene, answer: MessageRow, answer_post: int | None, far_audience: Audience
) -> Quote:
    """The far answer, verbatim, with as much of its place as the asking side may know."""
    referral = scene.referral
    same_place = referral is not None and referral.to_desk_id == scene.conversation.desk_id
    visible = far_audience is Audience.PUBLIC or same_place
    name = referral.to_desk_id if referral is not None else ""
    return Quote(
        author=author_name(answer.author),
        place=f"#{name}" if visible else PRIVATE_PLACE,
        link=f"outbox:{answer_post}" if visible and answer_post is not None else "",
        text=answer.shown or answer.content,
    )


def _came_late(scene: Scene) -> bool:
    referral, trigger = scene.referral, scene.trigger
    returned = trigger is not None and trigger.role is MessageRole.RETURN
    return returned and referral is not None and referral.late


def _sources(
    scene: Scene, agent: AgentConfig, rests_on: Sequence[str]
) -> tuple[list[str], list[SourceLink]]:
    labels: list[str] = []
    links: list[SourceLink] = []
    for source in dict.fromkeys(rests_on):
        numbered = _ROW_NUMBER.match(source)
        if source == "brief":
            labels.append(f"From {agent.name}'s brief")
        elif numbered is not None:
            row = next((row for row in scene.rows if row.seq == int(numbered[1])), None)
            if row is not None:
                links.append(_row_link(scene, row))
        elif source:
            links.append(SourceLink(source, source if source.startswith("https://") else ""))
    return labels, links


def _row_link(scene: Scene, row: MessageRow) -> SourceLink:
    link = f"message:{scene.conversation.channel_id}/{row.ts}" if row.ts else ""
    return SourceLink(author_name(row.author), link)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    stop = max(head.rfind(". "), head.rfind("! "), head.rfind("? "))
    return f"{head[: stop + 1] if stop > limit // 2 else head}…"
