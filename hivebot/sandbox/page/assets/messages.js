// How does a message look, and what can be done with it?

import { body } from "./blocks.js";
import { use } from "./dialogs.js";
import { byId, clockTime, el, openMenu, reconcile, toast } from "./dom.js";
import { icon } from "./icons.js";
import { PICKED, emoji } from "./emoji.js";
import { act, sentence } from "./net.js";

const SHORTCUT = "why_this_speaker";

// Draws a list of messages and what only this person sees among them, oldest first.
export function drawMessages(list, rows, context) {
  const near = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const fresh = list.dataset.place !== context.place;
  list.dataset.place = context.place;
  const ordered = [...rows].sort((one, other) => (one.ts < other.ts ? -1 : 1));
  reconcile(list, ordered.map((row, index) => ({
    key: `${row.ts}${row.ephemeral ? "e" : ""}`,
    row,
    joined: follows(ordered[index - 1], row),
    sign: [row, follows(ordered[index - 1], row), context.user, context.sign],
  })), (item) => draw(item.row, item.joined, context));
  list.querySelector(".nothing")?.remove();
  if (!ordered.length) list.append(el("li", { className: "nothing", role: "none" }, context.empty));
  if (near || fresh) list.scrollTop = list.scrollHeight;
}

function follows(before, row) {
  if (!before || before.ephemeral || row.ephemeral) return false;
  return before.author === row.author && before.user === row.user && Number(row.ts) - Number(before.ts) < 120
    && (before.thread_ts ?? "") === (row.thread_ts ?? "") && !before.reply_count;
}

function draw(row, joined, context) {
  const { world } = context;
  const person = world.person(row.user);
  const name = row.ephemeral ? world.botName : row.bot_id && row.author !== world.personName(row.user) ? row.author : person?.real_name ?? row.author;
  const press = (item, block, chosen) => use({ user: context.user, channel: row.channel, ts: row.ts }, item, block, chosen);
  const kinds = ["message", joined ? "joined" : "", row.ephemeral ? "ephemeral" : "", row.bot_id ? "app" : ""];
  return el("li", { className: kinds.filter(Boolean).join(" "), role: "none", id: `m-${context.name}-${row.ts}` },
    joined ? el("time", { className: "gutter" }, clockTime(row.ts)) : avatar(name, row),
    el("article", { "aria-label": `${name}, ${clockTime(row.ts)}` },
      joined ? null : el("header", {},
        el("strong", { className: "author" }, name),
        row.bot_id || row.ephemeral ? el("span", { className: "badge" }, row.own && row.author !== world.personName(world.scene.app.user) ? "agent" : "app") : null,
        person?.stranger ? el("span", { className: "badge" }, "other organisation") : null,
        el("time", { datetime: new Date(Number(row.ts) * 1000).toISOString() }, clockTime(row.ts))),
      row.ephemeral ? el("p", { className: "only-you" }, "Only visible to you") : null,
      el("div", { className: "body" }, body(row, world, press),
        row.edited && !row.own ? el("span", { className: "edited" }, " (edited)") : null),
      files(row), attachments(row), reactions(row, context), replies(row, context)),
    row.ephemeral ? null : tools(row, context, name));
}

function avatar(name, row) {
  const icon = row.icons?.emoji ? emoji(row.icons.emoji.replaceAll(":", "")) : null;
  const tone = [...(name ?? "")].reduce((sum, sign) => sum + sign.codePointAt(0), 0) % 6;
  return el("span", { className: `avatar tone-${tone}`, "aria-hidden": "true" }, icon ?? (name ?? "?").replace(/\(.*/, "").trim().slice(0, 1).toUpperCase());
}

function files(row) {
  if (!row.files?.length) return null;
  return el("p", { className: "files" }, row.files.map((file) => el("span", {}, `${file.name ?? "file"}`)));
}

function attachments(row) {
  return (row.attachments ?? []).map((one) => el("div", { className: "attachment" },
    one.title ? el("strong", {}, one.title) : null, one.text ? el("p", {}, one.text) : null));
}

function reactions(row, context) {
  const entries = Object.entries(row.reactions ?? {});
  if (!entries.length) return null;
  return el("p", { className: "reactions" }, entries.map(([name, users]) => {
    const mine = users.includes(context.user);
    const who = users.map((user) => context.world.personName(user, true)).join(", ");
    return el("button", {
      type: "button", className: mine ? "reaction mine" : "reaction", "aria-pressed": String(mine), title: `${who}: ${name}`,
      "aria-label": `${name}, ${users.length}: ${who}`, data: { focus: `r-${row.ts}-${name}` },
      onclick: () => react(row, context, name, !mine),
    }, `${emoji(name) ?? `:${name}:`} ${users.length}`);
  }));
}

function react(row, context, name, added) {
  act("react", { user: context.user, channel: row.channel, ts: row.ts, name, added }).catch((error) => toast(sentence(error)));
}

function replies(row, context) {
  if (!row.reply_count || context.name === "thread") return null;
  const words = row.reply_count === 1 ? "1 reply" : `${row.reply_count} replies`;
  return el("button", {
    type: "button", className: "replies", data: { focus: `t-${row.ts}` }, onclick: () => context.openThread(row.ts),
  }, icon("reply"), words);
}

function tools(row, context, name) {
  const root = row.thread_ts && row.thread_ts !== row.ts ? row.thread_ts : row.ts;
  const mine = row.user === context.user && !row.bot_id;
  const tool = (key, label, sign, onclick) => el("button", {
    type: "button", className: "icon", "aria-label": `${label}: ${name}, ${clockTime(row.ts)}`, title: label, data: { focus: `${key}-${row.ts}` }, onclick,
  }, sign);
  const more = [
    { label: "Why? (drawn beside the chat)", act: () => context.why(row.ts) },
    row.own ? { label: "Why this speaker? (the bot’s own shortcut)", act: () => shortcut(row, context) } : null,
    mine ? { label: "Edit", act: () => edit(row, context) } : null,
    mine || context.world.person(context.user)?.admin ? { label: "Delete", className: "danger", act: () => remove(row, context) } : null,
  ].filter(Boolean);
  return el("div", { className: "toolbar", role: "group", "aria-label": "What to do with this message" },
    tool("e", "React", icon("smile"), (event) => openMenu(event.currentTarget, "Reactions", PICKED.map((each) => ({
      label: emoji(each), says: each, className: "emoji",
      act: () => react(row, context, each, !(row.reactions?.[each] ?? []).includes(context.user)),
    })))),
    context.name === "thread" ? null : tool("p", "Reply in a thread", icon("reply"), () => context.openThread(root, true)),
    tool("w", "Why?", icon("why"), () => context.why(row.ts)),
    tool("m", "More", icon("more"), (event) => openMenu(event.currentTarget, "More", more)));
}

function shortcut(row, context) {
  act("shortcut", { user: context.user, callback_id: SHORTCUT, channel: row.channel, ts: row.ts }).catch((error) => toast(sentence(error)));
}

function remove(row, context) {
  act("delete", { user: context.user, channel: row.channel, ts: row.ts }).catch((error) => toast(sentence(error)));
}

function edit(row, context) {
  const item = byId(`m-${context.name}-${row.ts}`);
  const place = item.querySelector(".body");
  const before = [...place.childNodes];
  const leave = () => place.replaceChildren(...before);
  const save = async () => {
    try {
      await act("edit", { user: context.user, channel: row.channel, ts: row.ts, text: text.value });
      leave();
    } catch (error) {
      toast(sentence(error));
    }
  };
  const text = el("textarea", {
    rows: 3, "aria-label": "Edit the message", value: context.world.typed(row.text),
    onkeydown: (event) => {
      if (event.key === "Escape") leave();
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); save(); }
    },
  });
  place.replaceChildren(text, el("p", { className: "buttons" },
    el("button", { type: "button", onclick: leave }, "Cancel"),
    el("button", { type: "button", className: "primary", onclick: save }, "Save")));
  text.focus();
}
