// What asks before it counts? The app's modals, and a button's own question.

import { blocks, options } from "./blocks.js";
import { byId, el, toast } from "./dom.js";
import { act, sentence } from "./net.js";

export function askFirst(question) {
  const dialog = byId("confirm");
  return new Promise((done) => {
    const end = (answer) => { dialog.close(); done(answer); };
    dialog.oncancel = () => done(false);
    dialog.replaceChildren(
      el("h2", { id: "confirm-title" }, question.title?.text ?? "Are you sure?"),
      el("p", {}, question.text?.text ?? ""),
      el("div", { className: "dialog-foot" },
        el("button", { type: "button", onclick: () => end(false) }, question.deny?.text ?? "No"),
        el("button", {
          type: "button", className: question.style === "danger" ? "danger" : "primary",
          onclick: () => end(true),
        }, question.confirm?.text ?? "Yes")));
    dialog.showModal();
  });
}

// Uses an element under a message or in a view, after its question was answered.
export async function use(place, item, block, chosen) {
  if (item.confirm && !(await askFirst(item.confirm))) return;
  if (item.url && /^https?:/.test(item.url)) window.open(item.url, "_blank", "noopener");
  try {
    const pressed = { ...place, action_id: item.action_id, block_id: block.block_id ?? "", chosen };
    if (item.value !== undefined) pressed.value = item.value;
    await act("press", pressed);
  } catch (error) {
    toast(sentence(error));
  }
}

let shown = "";

// Shows the topmost modal of a person; one that stands open already is left as it is.
export function showViews(views, world, user) {
  const dialog = byId("view");
  const modals = views.filter((view) => view.type === "modal");
  const top = modals.at(-1);
  if (!top) {
    if (dialog.open) dialog.close();
    shown = "";
    return;
  }
  const sign = `${top.id}/${top.view.hash}`;
  if (sign !== shown) {
    shown = sign;
    dialog.replaceChildren(form(top, world, user));
    dialog.oncancel = (event) => { event.preventDefault(); leave(user, top); };
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("textarea, input, select")?.focus();
  }
  showErrors(dialog, top.errors);
}

function leave(user, view) {
  act("close", { user, view_id: view.id }).catch((error) => toast(sentence(error)));
}

function form(top, world, user) {
  const view = top.view;
  const place = { user, view_id: top.id };
  const fields = (view.blocks ?? []).map((block) => block.type === "input"
    ? field(block, world)
    : blocks([block], world, (item, where, chosen) => use(place, item, where, chosen)));
  const send = async (event) => {
    event.preventDefault();
    const button = event.target.querySelector("[type=submit]");
    button.disabled = true;
    try {
      const done = await act("submit", { user, view_id: top.id, values: entered(event.target) });
      if (!done.closed) showErrors(byId("view"), done.errors ?? {});
    } catch (error) {
      problem.textContent = sentence(error);
      problem.hidden = false;
    }
    button.disabled = false;
  };
  const problem = el("p", { className: "error problem", role: "alert", hidden: true });
  return el("form", { onsubmit: send },
    el("h2", { id: "view-title" }, view.title?.text ?? ""),
    el("div", { className: "dialog-body" }, fields, problem),
    el("div", { className: "dialog-foot" },
      el("button", { type: "button", onclick: () => leave(user, top) }, view.close?.text ?? "Cancel"),
      view.submit ? el("button", { type: "submit", className: "primary" }, view.submit.text) : null));
}

function field(block, world) {
  const item = block.element;
  const id = `field-${block.block_id}`;
  return el("div", { className: "field", data: { block: block.block_id } },
    el("label", { for: id }, block.label?.text ?? "", block.optional ? el("span", {}, " (optional)") : null),
    control(item, id, world, !block.optional),
    block.hint ? el("p", { className: "hint", id: `${id}-hint` }, block.hint.text) : null,
    el("p", { className: "error", id: `${id}-error`, role: "alert", hidden: true }));
}

function control(item, id, world, required) {
  const named = { id, required: required && !item.type.match(/checkboxes|radio/), "data-action": item.action_id, "data-type": item.type, "aria-describedby": `${id}-error` };
  if (item.type === "plain_text_input" && item.multiline) {
    return el("textarea", { ...named, rows: 5, maxlength: item.max_length, placeholder: item.placeholder?.text, value: item.initial_value ?? "" });
  }
  if (item.type.endsWith("static_select")) return select(item, named, options(item).map((one) => [one.value, one.text?.text ?? ""]));
  if (item.type.includes("users_select")) return select(item, named, world.scene.people.filter((one) => !one.is_bot).map((one) => [one.id, one.real_name]));
  if (item.type.includes("channels_select") || item.type.includes("conversations_select")) {
    return select(item, named, world.scene.channels.map((one) => [one.id, one.name]));
  }
  if (item.type === "radio_buttons" || item.type === "checkboxes") return boxes(item, named);
  const kind = { datepicker: "date", timepicker: "time", number_input: "number", email_text_input: "email", url_text_input: "url" }[item.type];
  const value = item.initial_value ?? item.initial_date ?? item.initial_time ?? "";
  return el("input", { ...named, type: kind ?? "text", placeholder: item.placeholder?.text, maxlength: item.max_length, value });
}

function select(item, named, choices) {
  const many = item.type.startsWith("multi_");
  const first = [item.initial_option?.value, item.initial_user, item.initial_channel, item.initial_conversation,
    ...(item.initial_options ?? []).map((one) => one.value)].filter(Boolean);
  const node = el("select", { ...named, multiple: many },
    many ? null : el("option", { value: "" }, item.placeholder?.text ?? "Choose …"),
    choices.map(([value, label]) => el("option", { value }, label)));
  for (const option of node.options) option.selected = first.includes(option.value);
  return node;
}

function boxes(item, named) {
  const first = [item.initial_option?.value, ...(item.initial_options ?? []).map((one) => one.value)];
  const kind = item.type === "checkboxes" ? "checkbox" : "radio";
  return el("div", { ...named, role: "group" }, options(item).map((option) => el("label", { className: "choice" },
    el("input", { type: kind, name: named.id, value: option.value, checked: first.includes(option.value) }),
    ` ${option.text?.text ?? ""}`)));
}

function entered(node) {
  const values = {};
  for (const item of node.querySelectorAll("[data-action]")) {
    const many = item.dataset.type.startsWith("multi_") || item.dataset.type === "checkboxes";
    let left;
    if (item.tagName === "DIV") left = [...item.querySelectorAll("input:checked")].map((box) => box.value);
    else if (item.tagName === "SELECT") left = [...item.selectedOptions].map((one) => one.value).filter(Boolean);
    else left = item.value;
    if (many) values[item.dataset.action] = left;
    else if (left.length) values[item.dataset.action] = left;
    else if (typeof left === "string") values[item.dataset.action] = "";
  }
  return values;
}

function showErrors(dialog, errors) {
  for (const field of dialog.querySelectorAll(".field")) {
    const line = field.querySelector(".error");
    const words = errors[field.dataset.block] ?? "";
    line.hidden = !words;
    if (line.textContent !== words) line.textContent = words;
    field.querySelector("[data-action]")?.setAttribute("aria-invalid", words ? "true" : "false");
  }
}
