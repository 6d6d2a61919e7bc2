"""How do accuracy and turns of all arms look in one picture?"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import ceil
from typing import Final

from hivebot.bench.measures import SHARES, mean
from hivebot.bench.tally import ArmResult, Results

_WIDTH: Final = 760
_HEIGHT: Final = 480
_LEFT: Final = 64
_RIGHT: Final = 150
_TOP: Final = 40
_BOTTOM: Final = 56
_TICKS: Final = 5
_INKS: Final = ("#1b6ca8", "#b3452c", "#2f7d4f", "#7a4fa3", "#a07a14", "#3c3c3c")


def accuracy_against_turns(title: str, results: Results) -> str:
    """Draw every arm at its turns and its accuracy, with the 95% interval, as SVG."""
    widest = max((mean(result.tally, "turns") for result in results.values()), default=0.0)
    scale = _nice(widest)
    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15">{escape(title)}</text>',
        *_axes(scale),
        *_arms(results, scale),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _nice(widest: float) -> int:
    """Round up to a whole number of turns that the ticks divide."""
    return max(_TICKS, ceil(widest / _TICKS) * _TICKS)


def _x(turns: float, scale: int) -> float:
    return round(_LEFT + turns / scale * (_WIDTH - _LEFT - _RIGHT), 2)


def _y(per_cent: float) -> float:
    return round(_HEIGHT - _BOTTOM - per_cent / 100 * (_HEIGHT - _TOP - _BOTTOM), 2)


def _axes(scale: int) -> Iterator[str]:
    left, right, bottom = _x(0, scale), _x(scale, scale), _y(0)
    for step in range(_TICKS + 1):
        per_cent, turns = 100 * step // _TICKS, scale * step // _TICKS
        y, x = _y(per_cent), _x(turns, scale)
        yield f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}" stroke="#dddddd"/>'
        yield f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{per_cent}%</text>'
        yield f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{turns}</text>'
    yield f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{bottom}" stroke="#333333"/>'
    middle = (left + right) / 2
    yield f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">turns an episode</text>'
    yield f'<text x="16" y="{_y(50)}" transform="rotate(-90 16 {_y(50)})">correct</text>'


def _arms(results: Results, scale: int) -> Iterator[str]:
    labels: list[float] = []
    ranked = sorted(results.items(), key=_accuracy, reverse=True)
    for number, (arm, result) in enumerate(ranked):
        ink = _INKS[number % len(_INKS)]
        share = SHARES["correct%"](result.tally)
        x, y = _x(mean(result.tally, "turns"), scale), _y(share.percent)
        low, high = _y(share.interval.low), _y(share.interval.high)
        label = max(y, labels[-1] + 14) if labels else y
        labels.append(label)
        text = f"{escape(arm)} {share.percent:.1f}%"
        yield f'<line x1="{x}" y1="{low}" x2="{x}" y2="{high}" stroke="{ink}" stroke-width="2"/>'
        yield f'<circle cx="{x}" cy="{y}" r="4" fill="{ink}"/>'
        yield (
            f'<polyline points="{x},{y} {_WIDTH - _RIGHT},{y} {_WIDTH - _RIGHT + 12},{label}" '
            f'fill="none" stroke="{ink}" stroke-opacity="0.25"/>'
        )
        yield f'<text x="{_WIDTH - _RIGHT + 16}" y="{label + 4}" fill="{ink}">{text}</text>'


def _accuracy(item: tuple[str, ArmResult]) -> float:
    return SHARES["correct%"](item[1].tally).percent
