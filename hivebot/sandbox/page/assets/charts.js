// How are bids, standings and a referral's path drawn? Each drawing says in words what it shows.

import { svg } from "./dom.js";

const WIDTH = 340;
const number = (value) => value.toLocaleString("en");

let ids = 0;

function drawing(height, label, ...parts) {
  const id = `drawing-${++ids}`;
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-labelledby": id, className: "drawing" },
    svg("title", { id }, label), hatch(id), ...parts);
}

function hatch(id) {
  return svg("defs", {}, svg("pattern", { id: `${id}-hatch`, className: "hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 5, height: 5, className: "hatch-ground" }), svg("line", { x1: 0, y1: 0, x2: 0, y2: 5, className: "hatch-line" })));
}

function say(x, y, words, className = "", anchor = "start") {
  return svg("text", { x, y, className, "text-anchor": anchor }, words);
}

export function bidInWords(bid) {
  const parts = [`pull ${number(bid.pull)}`];
  if (bid.bonus) parts.push(`${number(bid.bonus)} for being ${bid.reason}`);
  if (bid.penalty) parts.push(`less ${number(bid.penalty)} for talking most`);
  if (bid.threshold < 0) parts.push(`${number(-bid.threshold)} for having been silent`);
  if (bid.threshold > 0) parts.push(`less ${number(bid.threshold)} for having just spoken`);
  return `${bid.name}: ${bid.bids ? number(bid.surplus) : "no bid"} (${parts.join(", ")})`;
}

// One bar a member. What counts is full; what a penalty or a threshold takes away is hatched.
export function bidsDrawn(step) {
  const bids = step.bids;
  const extent = (bid) => bid.pull + bid.bonus + Math.max(0, -bid.threshold);
  const most = Math.max(1, ...bids.map(extent));
  const left = 74;
  const room = WIDTH - left - 62;
  const row = 36;
  const label = `Bids for the floor. ${bids.map(bidInWords).join(". ")}.${step.name ? ` ${step.name} has it.` : ""}`;
  const id = `drawing-${ids + 1}-hatch`;
  const rows = bids.map((bid, index) => {
    const y = index * row + 4;
    const scale = (value) => Math.max(0, value) / most * room;
    const kept = Math.max(0, bid.surplus);
    const parts = [];
    let at = 0;
    for (const [kind, size] of [["pull", bid.pull], ["bonus", bid.bonus], ["credit", Math.max(0, -bid.threshold)]]) {
      const shown = Math.max(0, Math.min(size, kept - at));
      if (shown) parts.push(svg("rect", { x: left + scale(at), y, width: scale(shown), height: 15, className: `bar ${kind}` }));
      at += size;
    }
    const lost = extent(bid) - kept;
    if (lost > 0) parts.push(svg("rect", { x: left + scale(kept), y, width: scale(lost), height: 15, fill: `url(#${id})`, className: "bar lost" }));
    const mine = bid.agent === step.agent;
    return svg("g", { className: mine ? "mine" : "" },
      mine ? svg("rect", { x: 0, y: y - 4, width: WIDTH, height: row - 2, rx: 6, className: "speaks" }) : null,
      say(6, y + 12, bid.name, "name"), parts,
      say(WIDTH - 6, y + 12, bid.bids ? number(bid.surplus) : "—", "value", "end"),
      say(left, y + 26, bid.bids ? because(bid) : "stays silent", "because"));
  });
  return drawing(bids.length * row + 4, label, rows);
}

const REASONS = {
  salience: "drawn by what was said", addressed: "addressed by name", objected: "its words met an objection",
  knows: "knows the topic", dominant: "has been talking most", novelty: "has something new",
};

function because(bid) {
  const words = REASONS[bid.reason] ?? bid.reason.replaceAll("_", " ");
  return bid.penalty ? `${words} · held back: talks most` : words;
}

// One row an option: how much speaks for it, and who; dots fill up towards the quorum.
export function standingsDrawn(standings, threshold) {
  const most = Math.max(1, ...standings.map((one) => one.support));
  const left = 100;
  const room = WIDTH - left - 70;
  const row = 40;
  const label = standings.length
    ? `Where the options stand; ${threshold} must agree. ${standings.map((one) => standingInWords(one, threshold)).join(" ")}`
    : "No option has been proposed yet.";
  if (!standings.length) return drawing(24, label, say(6, 16, label, "because"));
  return drawing(standings.length * row + 2, label, standings.map((one, index) => {
    const y = index * row + 4;
    const dots = Math.max(threshold, one.supporters.length);
    const carried = threshold > 0 && one.supporters.length >= threshold;
    const size = Math.min(12, (62 - 6) / dots);
    return svg("g", { className: carried ? "carried" : "" },
      say(6, y + 12, `#${cut(one.topic, 14)}`, "name"),
      svg("rect", { x: left, y, width: room, height: 14, rx: 3, className: "track" }),
      one.support > 0 ? svg("rect", { x: left, y, width: Math.max(3, one.support / most * room), height: 14, rx: 3, className: "bar support" }) : null,
      Array.from({ length: dots }, (_, dot) => svg("circle", {
        cx: WIDTH - 6 - size / 2 - (dots - 1 - dot) * size, cy: y + 7, r: size / 2 - 1.5,
        className: dot < one.supporters.length ? "dot on" : "dot",
      })),
      say(left, y + 27, cut(people(one), 42), "because"));
  }));
}

function people(one) {
  const parts = [one.supporters.length ? one.supporters.join(", ") : "nobody now"];
  if (one.silenced.length) parts.push(`objected to: ${one.silenced.join(", ")}`);
  if (one.refuted_by.length) parts.push(`refuted by ${one.refuted_by.join(", ")}`);
  return parts.join(" · ");
}

function standingInWords(one, threshold) {
  return `#${one.topic}: ${one.supporters.length} of ${threshold}, ${people(one)}, support ${number(one.support)}.`;
}

const ENDS = {
  asked: "waiting for the answer", waiting: "waiting for a steward", answered: "answered",
  refused: "refused", failed: "could not be answered", expired: "no answer in time",
};

export function referralInWords(one, asker) {
  const late = one.late ? ", late" : "";
  return `${asker} asked; ${one.asker} of ${one.from.name} put it to ${one.to.name}; ${one.target} there: ${ENDS[one.state] ?? one.state}${late}.`;
}

// From the person to the asking desk, to the desk that was asked, and home again.
export function referralDrawn(one, asker) {
  const label = `The path of the question ${one.reference}. ${referralInWords(one, asker)}`;
  const nodes = [[4, asker, "person"], [124, one.from.name, one.asker], [244, one.to.name, one.target]];
  const state = { answered: "good", refused: "bad", failed: "bad", expired: "bad" }[one.state] ?? "open";
  const arrow = (x, y, to, className) => {
    const head = to > x ? -6 : 6;
    return svg("g", { className: `edge ${className}` },
      svg("line", { x1: x, y1: y, x2: to, y2: y }),
      svg("path", { d: `M${to + head} ${y - 4} L${to} ${y} L${to + head} ${y + 4}`, fill: "none" }));
  };
  return drawing(96, label,
    nodes.map(([x, name, under], index) => svg("g", { className: "node" },
      svg("rect", { x, y: 18, width: 92, height: 44, rx: 10, className: index ? "" : "person" }),
      say(x + 46, 37, cut(index ? `#${name.toLowerCase()}` : name, 13), "name", "middle"),
      say(x + 46, 52, cut(under, 14), "because", "middle"))),
    arrow(98, 32, 122, "good"), arrow(218, 32, 242, "good"),
    arrow(242, 50, 218, state), arrow(122, 50, 98, state),
    say(170, 12, `asked · ${one.reference}`, "because", "middle"),
    say(170, 82, `${ENDS[one.state] ?? one.state}${one.late ? ", late" : ""}`, `end ${state}`, "middle"));
}

function cut(words, most) {
  return words.length > most ? `${words.slice(0, most - 1)}…` : words;
}
