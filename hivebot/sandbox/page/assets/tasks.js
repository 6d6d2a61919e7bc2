// What can be tried here? Six tasks, each with where to do it and who to be.

import { byId, el } from "./dom.js";

const TASKS = [
  {
    name: "Ask",
    who: "U0ANA", channel: "C0PAY",
    words: "@hive when does a refund reach the customer?",
    text: "You are Ana, in #payments. Mention @hive and ask something the payments desk knows, such as when a refund reaches the customer. One agent answers in a thread under your message.",
  },
  {
    name: "Ask another desk",
    who: "U0ANA", channel: "C0PAY",
    words: "@#platform does the gateway retry on 503?",
    text: "Still in #payments, type @# and pick a desk. Your question crosses to #platform, exactly one agent answers there, and the answer comes home to your thread.",
  },
  {
    name: "Read why",
    who: "U0BEN", channel: "C0DATA",
    words: "@hive the new ingest is ready: #canary, #revert or #ship?",
    text: "Be Ben, in #data: its five agents deliberate. Open “Why” and step through the bids: who wanted the floor, how much, and where the options stood. Who spoke first, and which option nobody proposed at the start won?",
  },
  {
    name: "Decide a gate",
    who: "U0BEN", channel: "C0REL",
    words: "@hive may we release on Friday?",
    text: "Be Ben, in #releases, and ask whether you may release on Friday. The answer is held: a steward has to look first. Then be Stew (at the top of the page), open the thread, and press Approve.",
  },
  {
    name: "Correct an answer",
    who: "U0STEW", channel: "C0PAY",
    words: "@hive when do we settle with the acquirer?",
    text: "Be Stew, a steward of #payments. Ask, open the thread, and press ⋯ under the answer: Correct. Write what should be said instead and send it. Your words take the answer’s place; the old ones stay below, struck out.",
  },
  {
    name: "Break the network",
    who: "U0ANA", channel: "C0PAY",
    words: "@hive what is a chargeback?", wire: true,
    text: "Open “Network”, switch a fault on — answers that get lost, every event twice, a cut line — and ask something. The answer must still come, and come once.",
  },
];

export function drawTasks(world, go) {
  const done = new Set(JSON.parse(localStorage.getItem("hivebot-tasks") ?? "[]"));
  const mark = (index, on) => {
    if (on) done.add(index);
    else done.delete(index);
    localStorage.setItem("hivebot-tasks", JSON.stringify([...done]));
  };
  byId("panel-tasks").replaceChildren(
    el("h2", {}, "Six things to try"),
    el("p", { className: "lead" }, "This is a workspace of your own with the real bot in it. Nothing leaves this machine. Its agents are rule-based: they know a few facts and say so when they do not."),
    el("ol", { className: "tasks" }, TASKS.map((task, index) => el("li", {},
      el("label", { className: "task-name" },
        el("input", { type: "checkbox", checked: done.has(index), onchange: (event) => mark(index, event.target.checked) }),
        el("strong", {}, `${index + 1}. ${task.name}`)),
      el("p", {}, task.text),
      el("button", { type: "button", className: "go", onclick: () => go(task), "aria-label": `Take me there: ${task.name}` },
        task.words ? "Take me there and type it" : "Take me there")))),
    el("p", { className: "lead" }, "Change who you are at the top of the page: Ana and Ben are members, Stew is a steward, Eve is of another organisation and sees only the channel shared with it."));
}
