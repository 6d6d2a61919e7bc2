// What goes on between the workspace and the bot, and what shall go wrong with it?

import { byId, el, toast } from "./dom.js";
import { act, sentence } from "./net.js";

const MANY = 100000;
const SWITCHES = [
  {
    id: "limited", name: "Slack is busy (429)", text: "The next three posts are told to wait two seconds.",
    on: () => act("fault", { method: "chat.postMessage", answer: "ratelimited", times: 3, retry_after_s: 2 }),
    is: (wire) => wire.call_faults.some((one) => one.answer === "ratelimited"),
  },
  {
    id: "errors", name: "Slack fails (500)", text: "The next three posts are answered with a server error.",
    on: () => act("fault", { method: "chat.postMessage", answer: "status", status: 500, times: 3 }),
    is: (wire) => wire.call_faults.some((one) => one.answer === "status"),
  },
  {
    id: "lost", name: "The answer gets lost", text: "The next post arrives, but the bot never hears so. It must find out, and not post twice.",
    on: () => act("fault", { method: "chat.postMessage", answer: "drop", applied: true, times: 1 }),
    is: (wire) => wire.call_faults.some((one) => one.answer === "drop" && one.applied),
  },
  {
    id: "silence", name: "Slack is silent (timeout)", text: "The next post is never answered and never happens.",
    on: () => act("fault", { method: "chat.postMessage", answer: "silence", times: 1 }),
    is: (wire) => wire.call_faults.some((one) => one.answer === "silence"),
  },
  {
    id: "twice", name: "Every event twice", text: "Each of the next ten messages reaches the bot twice, the second time under a new id.",
    on: () => act("event_fault", { event: "message", effect: "reissue", times: 10, copies: 1 }),
    is: (wire) => wire.event_faults.some((one) => one.effect === "reissue"),
  },
  {
    id: "cut", name: "Cut the line", text: "Nothing gets through either way until you plug it in again.",
    on: async () => {
      await act("event_fault", { event: "*", effect: "hold", times: MANY });
      await act("fault", { method: "*", answer: "drop", times: MANY });
    },
    is: (wire) => wire.event_faults.some((one) => one.effect === "hold"),
  },
];

async function mend() {
  await act("mend", {});
  await act("release", {});
}

async function attempt(what) {
  try {
    await what();
  } catch (error) {
    toast(sentence(error));
  }
}

export function drawWire(wire) {
  const host = byId("panel-wire");
  const sign = JSON.stringify(wire);
  if (host.dataset.sign === sign) return;
  host.dataset.sign = sign;
  const focus = host.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
  const broken = wire.call_faults.length + wire.event_faults.length + wire.held > 0;
  host.replaceChildren(
    el("h2", {}, "Break the network"),
    el("p", { className: "lead" }, "Each switch works once, as its text says, then it is used up. Then ask something and watch."),
    el("ul", { className: "switches" }, SWITCHES.map((one) => {
      const on = one.is(wire);
      return el("li", {},
        el("button", {
          type: "button", role: "switch", "aria-checked": String(on), data: { focus: one.id }, "aria-describedby": `about-${one.id}`,
          onclick: () => attempt(on ? mend : one.on),
        }, el("i", {}), one.name),
        el("p", { id: `about-${one.id}` }, one.text));
    })),
    el("p", { className: "buttons" },
      el("button", { type: "button", className: broken ? "primary" : "", data: { focus: "mend" }, onclick: () => attempt(mend) }, "Mend everything"),
      wire.delivery === "socket"
        ? el("button", { type: "button", data: { focus: "close" }, onclick: () => attempt(() => act("disconnect", { reason: "refresh_requested", close: true })) }, "Close the socket")
        : null),
    el("p", { className: "facts" },
      `Events under way: ${wire.pending}. Held: ${wire.held}. Given up: ${wire.failed}. `,
      wire.delivery === "socket" ? `Sockets open: ${wire.sockets}.` : "Events go to the bot over HTTP."),
    log("What the bot called", "Calls of the Web API, newest first", wire.calls, (one) => [one.method, one.error ?? "ok", one.error]),
    log("What the bot was told", "Events, newest first", wire.events, (one) => [
      one.subtype ? `${one.subtype}` : one.subscription,
      one.attempts.length > 1 ? `${one.state} after ${one.attempts.length} tries` : one.state,
      ["failed", "lost", "held"].includes(one.state),
    ]));
  if (focus) host.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}

function log(title, about, rows, read) {
  return el("details", { className: "log", open: true },
    el("summary", {}, title),
    el("ol", { "aria-label": about }, [...rows].reverse().slice(0, 12).map((row) => {
      const [name, state, bad] = read(row);
      return el("li", { className: bad ? "bad" : "" }, el("code", {}, name), el("span", {}, state));
    })));
}
