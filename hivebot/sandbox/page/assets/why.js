// Why did it come to this? The bot's own record of each turn, step by step, beside the chat.

import { bidInWords, bidsDrawn, referralDrawn, standingsDrawn } from "./charts.js";
import { byId, clockTime, el } from "./dom.js";
import { mrkdwn } from "./mrkdwn.js";
import { look } from "./net.js";

const KINDS = {
  answer: "answers", referred: "answers another desk", sponsor: "brings the answer home",
  consult: "asks other desks first", framing: "says what is to be decided", relay: "passes on a late answer",
};
const STATES = {
  waiting: "waits its turn", authorised: "has the floor", running: "is speaking", held: "waits for a steward",
  failed: "failed", cancelled: "was cancelled",
};
const ENDS = {
  converged: "agreed on", deadlocked: "is deadlocked", exhausted: "used up its turns", idle: "fell silent",
  timed_out: "ran out of time", stopped: "was stopped", failed: "failed", chosen: "was decided by a person:",
  lead_answers: "was left to the lead",
};

export class Why {
  constructor(world, place) {
    this.world = world;
    this.place = place;
    this.message = "";
    this.steps = new Map();
    this.questions = null;
    this.busy = false;
    this.again = false;
  }

  // Follows the open thread or channel; `ts` looks at one message instead.
  about(ts) {
    this.message = ts;
    return this.refresh();
  }

  async refresh() {
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    const { user, channel, thread } = this.place();
    try {
      const query = this.message ? { ts: this.message } : { thread_ts: thread };
      const found = channel && this.world.scene?.reasons ? await look("/page/why", { user, channel, ...query }) : { questions: [] };
      this.questions = found.questions;
      this.trouble = this.world.scene?.reasons
        ? ""
        : "This workspace was started without the bot’s reasons: start it with “hivebot sandbox”.";
    } catch {
      this.trouble = "The bot’s reasons cannot be had at the moment.";
    }
    this.busy = false;
    this.draw();
    clearTimeout(this.timer);
    if (this.again) { this.again = false; this.refresh(); }
    else if (this.open) this.timer = setTimeout(() => this.refresh(), 1200);
  }

  get open() {
    return (this.questions ?? []).some((one) =>
      one.turns.some((turn) => ["waiting", "authorised", "running"].includes(turn.state))
      || one.episodes.some((episode) => !episode.end)
      || one.referrals.some((referral) => referral.state === "asked"));
  }

  draw() {
    const host = byId("panel-why");
    const sign = JSON.stringify([this.trouble, this.questions, [...this.steps], this.message, this.world.scene?.me]);
    if (sign === this.sign) return;
    this.sign = sign;
    const focus = host.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
    const scroll = host.scrollTop;
    host.replaceChildren(...this.parts());
    host.scrollTop = scroll;
    if (focus) host.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
  }

  parts() {
    if (this.trouble) return [el("p", { className: "empty" }, this.trouble)];
    const found = [...(this.questions ?? [])].reverse();
    const head = this.message
      ? el("p", { className: "following" }, "About one message. ",
        el("button", { type: "button", className: "link", data: { focus: "follow" }, onclick: () => this.about("") }, "Follow the chat again"))
      : el("p", { className: "following" }, "Follows what is open in the chat, newest question first.");
    if (!found.length) {
      return [head, el("div", { className: "empty" },
        el("p", {}, this.message
          ? "Nothing was decided about this message: it woke nobody."
          : "Nothing has been decided here yet. Ask something, or open a thread: who speaks and why is drawn here as it happens."))];
    }
    return [head, ...found.map((one) => this.question(one))];
  }

  question(one) {
    const asker = one.user ? this.world.personName(one.user, true) : "Somebody elsewhere";
    const turns = one.turns.filter((turn) => turn.kind !== "episode");
    return el("article", { className: "why-question" },
      el("h3", {}, asker, " asked", one.ts ? el("time", {}, ` ${clockTime(one.ts)}`) : null),
      one.text ? el("blockquote", {}, this.world.named(one.text)) : null,
      one.decisions.map((decision) => el("p", { className: "decided" }, this.decided(decision), el("span", { className: "ref" }, decision.reference))),
      one.referrals.map((referral) => el("section", {},
        el("h4", {}, "The way of the question"), referralDrawn(referral, asker),
        el("p", { className: "path" }, "Desks on the way: ", referral.path.map((name) => `#${name.toLowerCase()}`).join(" → "), "; hop ", String(referral.hop),
          referral.reason ? `; ${referral.reason.replaceAll("_", " ")}` : ""))),
      one.episodes.map((episode) => this.episode(one, episode)),
      turns.length ? el("section", {}, el("h4", {}, "Who spoke, and why"),
        el("ol", { className: "turns" }, turns.map((turn) => this.turn(turn)))) : null);
  }

  decided(one) {
    const fold = { responder: "Who answers", referral: "Where it goes", waking: "Whether it wakes the bot", crossing: "Whether it may cross" }[one.fold] ?? one.fold;
    return `${fold}: ${one.reason.replaceAll("_", " ")} `;
  }

  turn(turn) {
    const state = STATES[turn.state];
    const where = this.world.channelName(turn.channel);
    return el("li", {},
      el("p", { className: "turn-head" }, el("strong", {}, turn.name), ` ${KINDS[turn.kind] ?? turn.kind}`,
        where ? ` in #${where}` : "", state ? el("span", { className: `state ${turn.state}` }, state) : null),
      el("p", {}, turn.why),
      turn.tokens_in + turn.tokens_out ? el("p", { className: "cost" }, `${turn.tokens_in} + ${turn.tokens_out} tokens, $${(turn.usd_micros / 1e6).toFixed(4)}`) : null,
      turn.ts[0] && where ? el("a", { href: `#/${turn.channel}/${turn.thread_ts || turn.ts[0]}` }, "Show it") : null);
  }

  episode(question, episode) {
    const steps = episode.steps;
    const chosen = this.steps.get(episode.id) ?? steps.length;
    const at = Math.max(1, Math.min(chosen, steps.length));
    const step = steps[at - 1];
    const end = episode.end ? `${ENDS[episode.end] ?? episode.end}${episode.topic ? ` #${episode.topic}` : ""}` : "is deliberating …";
    const turn = step && question.turns.find((one) => one.why.includes(`(${step.reference})`));
    return el("section", { className: "episode" },
      el("h4", {}, `#${episode.desk} ${end}`),
      el("p", { className: "path" }, episode.options.map((option) => `#${option.id}`).join(" · "),
        ` — ${episode.threshold} must agree, at most ${episode.budget} turns.`,
        episode.reason ? ` ${episode.reason}` : ""),
      steps.length ? this.stepper(episode, at) : el("p", {}, "It has not come to a first turn yet."),
      step ? this.step(episode, step, turn) : null);
  }

  stepper(episode, at) {
    const last = episode.steps.length;
    const go = (to) => { this.steps.set(episode.id, Math.max(1, Math.min(to, last))); if (to >= last) this.steps.delete(episode.id); this.draw(); };
    return el("div", { className: "stepper" },
      el("button", { type: "button", className: "icon", "aria-label": "Step before", data: { focus: `${episode.id}-back` }, onclick: () => go(at - 1), disabled: at === 1 }, "◀"),
      el("label", {}, el("span", { className: "quiet" }, "Step of the deliberation"),
        el("input", { type: "range", min: 1, max: last, value: at, data: { focus: `${episode.id}-range` }, oninput: (event) => go(Number(event.target.value)) })),
      el("button", { type: "button", className: "icon", "aria-label": "Next step", data: { focus: `${episode.id}-next` }, onclick: () => go(at + 1), disabled: at === last }, "▶"),
      el("output", {}, `step ${at} of ${last}`));
  }

  step(episode, step, turn) {
    const what = step.what === "speak" ? `${step.name} speaks` : ({
      converged: `Agreed on #${(step.topics ?? [])[0]}`, deadlocked: "Deadlocked", exhausted: "No turns left", idle: "Nobody bids",
    }[step.what] ?? "The record cannot be read");
    const facts = [step.visibility === "blind" ? "sees nobody else yet" : "", step.phase === "commit" ? "puts it on record" : ""].filter(Boolean);
    return el("div", { className: "step" },
      el("p", { className: "turn-head" }, el("strong", {}, what), facts.length ? ` (${facts.join(", ")})` : "",
        el("span", { className: "ref" }, step.reference),
        step.verdict === "equal" ? null : el("span", { className: "state failed" }, step.verdict)),
      step.text ? el("blockquote", {}, mrkdwn(escaped(step.text), this.world)) : null,
      step.bids.length ? [el("h5", {}, "Bids for the floor"), bidsDrawn(step), legend(step),
        el("details", {}, el("summary", {}, "In words"), el("ul", {}, step.bids.map((bid) => el("li", {}, bidInWords(bid)))), turn ? el("p", {}, turn.why) : null)] : null,
      el("h5", {}, "Where the options stand", step.what === "speak" ? " before this turn" : ""), standingsDrawn(step.standings, episode.threshold));
  }
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function legend(step) {
  const has = {
    pull: true, bonus: step.bids.some((bid) => bid.bonus), credit: step.bids.some((bid) => bid.threshold < 0),
    lost: step.bids.some((bid) => bid.penalty || bid.threshold > 0),
  };
  const words = { pull: "pull of what was said", bonus: "addressed or knows", credit: "was silent", lost: "taken off" };
  return el("p", { className: "legend", "aria-hidden": "true" },
    Object.keys(words).filter((kind) => has[kind]).map((kind) => el("span", {}, el("i", { className: kind }), words[kind])));
}
