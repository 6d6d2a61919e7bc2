// What is open, for whom, and when is it drawn again?

import { blocks } from "./blocks.js";
import { Composer } from "./composer.js";
import { showViews, use } from "./dialogs.js";
import { byId, el, toast } from "./dom.js";
import { drawMessages } from "./messages.js";
import { act, follow, look, sentence } from "./net.js";
import { drawSidebar, read } from "./sidebar.js";
import { drawTasks } from "./tasks.js";
import { Why } from "./why.js";
import { drawWire } from "./wire.js";
import { World } from "./world.js";

const FIRST = ["U0ANA", "U0BEN", "U0STEW", "U9EVE"];
const ROLES = { U0ANA: "member", U0BEN: "member", U0STEW: "steward", U9EVE: "other organisation", U0GUEST: "guest" };
const world = new World();
const open = { user: sessionStorage.getItem("hivebot-user") ?? "U0ANA", channel: "", thread: "", message: "", home: false };
const why = new Why(world, () => open);
const composer = new Composer(byId("composer"), "composer", world, () => where(""), refresh);
const answerer = new Composer(byId("thread-composer"), "thread", world, () => where(open.thread), refresh);
let busy = false;
let again = false;
let desksAt = 0;

// --- what is open -------------------------------------------------------------------------------

function readPlace() {
  const [, first = "", thread = "", message = ""] = location.hash.split("/");
  open.home = first === "home";
  open.channel = open.home ? "" : first;
  open.thread = thread;
  open.message = message;
  why.message = "";
  if (open.home) act("open_home", { user: open.user }).catch((error) => toast(sentence(error)));
}

function go(channel, thread = "", pane = "") {
  const hash = thread ? `#/${channel}/${thread}` : `#/${channel}`;
  if (location.hash !== hash) location.hash = hash;
  show(pane || (thread ? "thread" : "chat"));
}

function show(pane) {
  byId("frame").dataset.pane = pane;
  for (const button of document.querySelectorAll(".switch button")) {
    button.setAttribute("aria-pressed", String(button.dataset.pane === pane));
  }
}

function select(tab) {
  for (const each of ["tasks", "why", "wire"]) {
    const chosen = each === tab;
    byId(`tab-${each}`).setAttribute("aria-selected", String(chosen));
    byId(`tab-${each}`).tabIndex = chosen ? 0 : -1;
    byId(`panel-${each}`).hidden = !chosen;
  }
  byId(`tab-${tab}`).classList.remove("news");
}

function become(user) {
  open.user = user;
  sessionStorage.setItem("hivebot-user", user);
  refresh();
}

function where(thread) {
  const channel = world.channel(open.channel);
  const me = world.person(open.user);
  if (!channel || !me) return { user: open.user, channel: "", thread_ts: "", can: false, label: "Pick a channel", hint: "" };
  const can = channel.member && !channel.archived;
  const name = world.title(channel);
  return {
    user: open.user, channel: channel.id, thread_ts: thread, can,
    label: !can ? `${me.real_name} cannot write in ${name}` : thread ? "Reply in the thread" : `Message ${name} as ${me.real_name}`,
    hint: can ? "Enter sends" : "",
  };
}

// --- drawing ------------------------------------------------------------------------------------

async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const asked = { user: open.user, channel: open.channel, thread_ts: open.thread };
    world.scene = await look("/sandbox/scene", asked).catch((error) => withoutPlace(error));
    if (world.scene.reasons && !world.desks.length && Date.now() - desksAt > 1000) {
      desksAt = Date.now();
      world.desks = (await look("/page/desks").catch(() => ({ desks: [] }))).desks;
    }
    drawAll();
    why.refresh();
  } catch (error) {
    alive(false);
    if (error.reason) toast(sentence(error));
  }
  busy = false;
  if (again) { again = false; refresh(); }
}

// A person who cannot see the open channel is shown the first one they can.
async function withoutPlace(error) {
  if (!error.reason) throw error;
  open.thread = "";
  open.channel = "";
  return look("/sandbox/scene", { user: open.user });
}

function drawAll() {
  const { scene } = world;
  drawPeople();
  if (!open.channel && !open.home) {
    const first = scene.channels.find((one) => one.member && world.desk(one.id)) ?? scene.channels.find((one) => one.member);
    if (first) { location.replace(`#/${first.id}`); }
    return;
  }
  read(open.user, world.channel(open.channel));
  drawSidebar(world, open.channel, open.home);
  if (open.home) drawHome();
  else drawChat();
  drawThread();
  composer.refresh();
  answerer.refresh();
  drawWire(scene.wire);
  showViews(scene.views, world, open.user);
}

function drawPeople() {
  const pick = byId("person");
  const people = world.scene.people.filter((one) => !one.is_bot && !one.deleted)
    .sort((one, other) => rank(one.id) - rank(other.id));
  const sign = people.map((one) => one.id).join();
  if (pick.dataset.sign !== sign) {
    pick.dataset.sign = sign;
    pick.replaceChildren(...people.map((one) => el("option", { value: one.id },
      `${one.real_name} — ${ROLES[one.id] ?? (one.stranger ? "other organisation" : one.guest ? "guest" : "member")}`)));
  }
  if (pick.value !== open.user) pick.value = open.user;
}

function rank(id) {
  const at = FIRST.indexOf(id);
  return at < 0 ? FIRST.length : at;
}

function context(name, sign) {
  return {
    name, world, user: open.user, place: `${open.user}/${open.channel}/${name === "thread" ? open.thread : ""}`, sign,
    empty: name === "thread" ? "" : "Nothing has been said here yet.",
    openThread: (ts) => go(open.channel, ts),
    why: (ts) => { select("why"); show("side"); why.about(ts); },
  };
}

function drawChat() {
  const channel = world.channel(open.channel);
  if (!channel) return;
  const desk = world.desk(channel.id);
  byId("chat-title").textContent = world.title(channel);
  document.title = `${world.title(channel)} · hivebot sandbox`;
  byId("chat-about").textContent = desk
    ? `${desk.description} Agents: ${desk.agents.map((one) => one.name).join(", ")}.`
    : channel.kind === "im" ? "A direct message with the bot." : channel.bot ? "No desk is bound to this channel." : "The bot is not in this channel.";
  const own = world.scene.ephemerals.filter((one) => one.channel === channel.id && !one.thread_ts).map(hidden);
  drawMessages(byId("messages"), [...(world.scene.messages ?? []), ...own], context("chat", open.thread));
  byId("composer").hidden = false;
  for (const node of document.querySelectorAll(".message.open")) node.classList.remove("open");
  if (open.thread) byId(`m-chat-${open.thread}`)?.classList.add("open");
  if (open.message) {
    const found = byId(`m-chat-${open.message}`);
    open.message = "";
    found?.scrollIntoView({ block: "center" });
    found?.classList.add("pointed");
  }
}

function hidden(row) {
  return { ...row, ephemeral: true, reactions: {}, user: null, author: "" };
}

function drawThread() {
  const pane = byId("thread");
  const rows = world.scene.thread ?? [];
  const closed = !open.thread || !rows.length;
  byId("frame").classList.toggle("with-thread", !closed);
  pane.hidden = closed;
  document.querySelector(".switch [data-pane=thread]").disabled = closed;
  if (closed) return;
  byId("thread-about").textContent = world.title(world.channel(open.channel));
  const own = world.scene.ephemerals.filter((one) => one.channel === open.channel && one.thread_ts === open.thread).map(hidden);
  drawMessages(byId("replies"), [...rows, ...own], context("thread", ""));
}

function drawHome() {
  byId("chat-title").textContent = "hivebot Home";
  byId("chat-about").textContent = "What the app shows this person.";
  byId("composer").hidden = true;
  const home = world.scene.views.find((view) => view.type === "home");
  const list = byId("messages");
  const sign = JSON.stringify([home?.view.blocks ?? null, open.user]);
  if (list.dataset.home === sign && list.dataset.place === "home") return;
  list.dataset.home = sign;
  list.dataset.place = "home";
  const press = (item, block, chosen) => use({ user: open.user, view_id: home.id }, item, block, chosen);
  list.replaceChildren(el("li", { className: "home-tab", role: "none" }, home
    ? blocks(home.view.blocks, world, press)
    : el("p", { className: "nothing" }, "The app has published nothing here.")));
}

function alive(yes) {
  const line = byId("line");
  const words = yes ? "Live" : "The sandbox does not answer";
  line.dataset.state = yes ? "on" : "off";
  if (line.textContent !== words) line.textContent = words;
}

// --- the beginning ------------------------------------------------------------------------------

async function takeThere(task) {
  if (task.who && open.user !== task.who) become(task.who);
  if (task.channel) go(task.channel, "", "chat");
  if (task.wire) select("wire");
  await refresh();
  if (task.words) setTimeout(() => composer.fill(task.words), 150);
}

byId("person").addEventListener("change", (event) => become(event.target.value));
byId("thread-close").addEventListener("click", () => go(open.channel));
for (const button of document.querySelectorAll(".switch button")) {
  button.addEventListener("click", () => show(button.dataset.pane));
}
const tabs = ["tasks", "why", "wire"];
for (const tab of tabs) {
  const button = byId(`tab-${tab}`);
  button.addEventListener("click", () => select(tab));
  button.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    select(next);
    byId(`tab-${next}`).focus();
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  show("chat");
  byId("composer-text").focus();
});
addEventListener("hashchange", () => {
  readPlace();
  show(open.thread ? "thread" : "chat");
  refresh();
});
drawTasks(world, takeThere);
select("tasks");
readPlace();
show(open.thread ? "thread" : "chat");
follow(refresh, alive);
refresh();
