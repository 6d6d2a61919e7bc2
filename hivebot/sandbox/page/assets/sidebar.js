// Which channels can this person open, and where is something new?

import { byId, el } from "./dom.js";
import { icon } from "./icons.js";

const seen = new Map();

export function read(user, channel) {
  if (channel) seen.set(`${user}/${channel.id}`, channel.latest);
}

function unread(user, channel) {
  const key = `${user}/${channel.id}`;
  if (!seen.has(key)) seen.set(key, channel.latest);
  return channel.member && channel.latest > seen.get(key);
}

export function drawSidebar(world, open, home) {
  const { channels, me } = world.scene;
  const host = byId("channels");
  const groups = [
    ["Desks", channels.filter((one) => one.kind === "channel" && world.desk(one.id))],
    ["Channels", channels.filter((one) => one.kind === "channel" && !world.desk(one.id))],
    ["Direct messages", channels.filter((one) => one.kind !== "channel")],
  ];
  const sign = JSON.stringify([channels, me, open, home, world.desks.length, [...seen]]);
  if (host.dataset.sign === sign) return;
  host.dataset.sign = sign;
  const focus = host.contains(document.activeElement) ? document.activeElement.dataset.focus : "";
  host.replaceChildren(
    ...groups.filter(([, rows]) => rows.length).map(([name, rows]) => el("section", {},
      el("h2", {}, name),
      el("ul", {}, rows.map((one) => row(world, one, open, me))))),
    el("section", {}, el("h2", {}, "App"), el("ul", {}, el("li", {},
      el("a", { href: "#/home", "aria-current": home ? "page" : false, data: { focus: "home" } },
        el("span", { className: "sign" }, "⌂"), "hivebot Home")))));
  if (focus) host.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
}

function row(world, one, open, me) {
  const news = one.id !== open && unread(me, one);
  const sign = one.kind === "im" ? icon("bee") : one.kind === "mpim" ? icon("group") : one.private ? icon("lock") : one.shared ? "⇄" : "#";
  const about = [one.shared ? "shared with another organisation" : "", one.member ? "" : "not a member", one.archived ? "archived" : "", one.bot ? "" : "the bot is not in it"].filter(Boolean).join(", ");
  return el("li", {}, el("a", {
    href: `#/${one.id}`, "aria-current": one.id === open ? "page" : false, className: [news ? "news" : "", one.member ? "" : "outside"].join(" ").trim(),
    title: about, data: { focus: one.id },
  },
  el("span", { className: "sign", "aria-hidden": "true" }, sign), world.title(one).replace(/^#/, ""),
  news ? el("span", { className: "quiet" }, ", something new") : null,
  about ? el("span", { className: "quiet" }, `, ${about}`) : null));
}
