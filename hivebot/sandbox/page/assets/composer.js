// What may be typed, and what is offered while typing? `@` people and agents, `@#` desks, `#` channels.

import { el, toast } from "./dom.js";
import { act, sentence } from "./net.js";

const TYPED = /(^|[\s(])(@#|@|#)([\w.-]*)$/;
const COMMANDS = [
  ["/hive help", "what the bot can do"],
  ["/hive desks", "the desks you may ask"],
  ["/hive ask ", "ask a desk without a mention"],
  ["/hive policy", "what this desk may do and spend"],
  ["/hive mute", "be quiet in this thread until mentioned"],
];

export class Composer {
  // `where()` gives { user, channel, thread_ts, can, hint }; `world` names things; `sent` follows.
  constructor(host, name, world, where, sent) {
    this.world = world;
    this.where = where;
    this.sent = sent;
    this.name = name;
    this.found = [];
    this.at = 0;
    this.list = el("ul", { className: "offers", role: "listbox", id: `${name}-offers`, "aria-label": "Suggestions", hidden: true });
    this.text = el("textarea", {
      id: `${name}-text`, rows: 2, role: "combobox", "aria-autocomplete": "list",
      "aria-controls": `${name}-offers`, "aria-expanded": "false", "aria-describedby": `${name}-hint`,
      oninput: () => this.offer(), onkeydown: (event) => this.key(event),
      onblur: () => setTimeout(() => this.hide(), 150), onclick: () => this.offer(),
    });
    this.label = el("label", { className: "quiet", for: `${name}-text` }, "Message");
    this.hint = el("p", { className: "hint", id: `${name}-hint` });
    this.button = el("button", { type: "submit", className: "primary" }, "Send");
    this.form = el("form", { onsubmit: (event) => { event.preventDefault(); this.send(); } },
      this.label, this.list,
      el("div", { className: "box" }, this.text,
        el("div", { className: "tools" },
          el("button", { type: "button", className: "tool", title: "Name a person or an agent", "aria-label": "Name a person or an agent", onclick: () => this.put("@") }, "@"),
          el("button", { type: "button", className: "tool", title: "Ask another desk", "aria-label": "Ask another desk", onclick: () => this.put("@#") }, "@#"),
          this.hint, this.button)));
    host.replaceChildren(this.form);
  }

  refresh() {
    const { can, label, hint } = this.where();
    this.text.disabled = this.button.disabled = !can;
    this.text.placeholder = label;
    this.label.textContent = label;
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
  }

  put(mark) {
    const { text } = this;
    const before = text.value.slice(0, text.selectionStart);
    const gap = before && !/\s$/.test(before) ? " " : "";
    text.setRangeText(gap + mark, text.selectionStart, text.selectionEnd, "end");
    text.focus();
    this.offer();
  }

  fill(words) {
    this.text.value = words;
    this.text.focus();
    this.text.setSelectionRange(words.length, words.length);
    this.hide();
  }

  offer() {
    const before = this.text.value.slice(0, this.text.selectionStart);
    const typed = before.match(TYPED);
    if (typed) {
      this.found = this.candidates(typed[2], typed[3].toLowerCase());
      this.from = before.length - typed[2].length - typed[3].length;
    } else if (before.startsWith("/") && !before.includes("\n")) {
      this.found = COMMANDS.filter(([words]) => words.startsWith(before)).map(([words, about]) => ({ insert: words, label: words, about }));
      this.from = 0;
    } else {
      this.found = [];
    }
    this.at = 0;
    this.draw();
  }

  candidates(mark, start) {
    const all = { "@#": () => this.desks(), "@": () => this.people(), "#": () => this.channels() }[mark]();
    const fits = all.filter((one) => one.keys.some((key) => key.toLowerCase().startsWith(start)));
    return fits.slice(0, 8);
  }

  desks() {
    return this.world.desks.map((desk) => ({
      insert: `@#${desk.id} `, label: `@#${desk.id}`, about: `desk · ${desk.description}`, keys: [desk.id, desk.name],
    }));
  }

  people() {
    const { channel } = this.where();
    const scene = this.world.scene;
    const bot = scene.people.find((one) => one.id === scene.app.user);
    const own = this.world.desks.filter((desk) => desk.channel === channel);
    const others = this.world.desks.filter((desk) => desk.channel !== channel);
    const agents = [...own, ...others].flatMap((desk) => desk.agents.map((agent) => ({
      insert: `@${agent.id} `, label: `@${agent.id}`, about: `agent of #${desk.id} · ${agent.role}`, keys: [agent.id, agent.name],
    })));
    const here = bot ? [{ insert: `@${bot.name} `, label: `@${bot.name}`, about: "the bot itself: this channel's desk answers", keys: [bot.name] }] : [];
    const desks = [{ insert: "@#", label: "@#…", about: "ask another desk", keys: ["#", ""], again: true }];
    const people = scene.people.filter((one) => !one.is_bot && !one.deleted).map((one) => ({
      insert: `@${one.name} `, label: `@${one.name}`, about: `person · ${one.real_name}`, keys: [one.name, one.real_name],
    }));
    const groups = scene.groups.map((one) => ({ insert: `@${one.handle} `, label: `@${one.handle}`, about: `user group · ${one.name}`, keys: [one.handle] }));
    return [...here, ...agents.slice(0, own.length ? 3 : 0), ...desks, ...agents.slice(own.length ? 3 : 0), ...people, ...groups];
  }

  channels() {
    return this.world.scene.channels.filter((one) => one.kind === "channel").map((one) => ({
      insert: `#${one.name} `, label: `#${one.name}`, about: one.private ? "private channel" : "channel", keys: [one.name],
    }));
  }

  draw() {
    const open = this.found.length > 0;
    this.list.hidden = !open;
    this.text.setAttribute("aria-expanded", String(open));
    this.list.replaceChildren(...this.found.map((one, index) => el("li", {
      role: "option", id: `${this.name}-offer-${index}`, "aria-selected": String(index === this.at),
      onmousedown: (event) => { event.preventDefault(); this.take(index); },
    }, el("strong", {}, one.label), el("span", {}, one.about))));
    if (open) this.text.setAttribute("aria-activedescendant", `${this.name}-offer-${this.at}`);
    else this.text.removeAttribute("aria-activedescendant");
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  hide() {
    this.found = [];
    this.draw();
  }

  take(index) {
    const one = this.found[index];
    this.text.setRangeText(one.insert, this.from, this.text.selectionStart, "end");
    this.text.focus();
    if (one.again) this.offer();
    else this.hide();
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (this.found.length && step) {
      event.preventDefault();
      this.at = (this.at + step + this.found.length) % this.found.length;
      this.draw();
    } else if (this.found.length && (event.key === "Tab" || event.key === "Enter")) {
      event.preventDefault();
      this.take(this.at);
    } else if (this.found.length && event.key === "Escape") {
      event.preventDefault();
      this.hide();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.send();
    }
  }

  async send() {
    const words = this.text.value.trim();
    const { user, channel, thread_ts: thread } = this.where();
    if (!words || this.button.disabled) return;
    this.button.disabled = true;
    try {
      if (words.startsWith("/")) await this.command(words, user, channel, thread);
      else await act("say", { user, channel, text: words, thread_ts: thread || null });
      this.text.value = "";
      this.sent();
    } catch (error) {
      toast(sentence(error));
    }
    this.button.disabled = false;
  }

  async command(words, user, channel, thread) {
    if (thread) {
      toast("Slack takes no slash commands in threads. Write “@hive …” here instead.");
      return;
    }
    const [command, ...rest] = words.split(" ");
    await act("command", { user, channel, command, text: rest.join(" ") });
  }
}
