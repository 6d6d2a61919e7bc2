// How are Block Kit's blocks drawn? In messages, modals and the Home tab alike.

import { el, openMenu } from "./dom.js";
import { icon } from "./icons.js";
import { emoji } from "./emoji.js";
import { channelNode, inline, linkNode, mention, mrkdwn } from "./mrkdwn.js";

// `use(element, block, chosen)` is called when somebody presses or picks.
export function blocks(list, world, use) {
  return (list ?? []).map((block) => one(block, world, use)).filter(Boolean);
}

function one(block, world, use) {
  const draw = DRAWN[block.type];
  if (draw) return draw(block, world, use);
  return el("p", { className: "unknown" }, `[a block of the kind “${block.type}”, which this page does not draw]`);
}

const DRAWN = {
  section: section,
  context: (block, world) => el("div", { className: "b-context" },
    (block.elements ?? []).map((item) => item.type === "image" ? picture(item) : el("div", {}, words(item, world)))),
  actions: (block, world, use) => el("div", { className: "b-actions" },
    (block.elements ?? []).map((item) => element(item, block, world, use))),
  context_actions: (block, world, use) => el("div", { className: "b-actions" },
    (block.elements ?? []).map((item) => element(item, block, world, use))),
  header: (block) => el("h3", { className: "b-header" }, block.text?.text ?? ""),
  divider: () => el("hr"),
  image: picture,
  rich_text: (block, world) => el("div", { className: "b-rich" }, (block.elements ?? []).map((item) => rich(item, world))),
  markdown: (block, world) => el("div", {}, mrkdwn(markdown(block.text ?? ""), world)),
  alert: (block, world) => el("div", { className: "b-alert", role: "note" }, words(block.text ?? {}, world)),
  table: (block, world) => el("table", {}, el("tbody", {}, (block.rows ?? []).map((row) =>
    el("tr", {}, row.map((cell) => el("td", {}, cell.type === "raw_text" ? cell.text : rich(cell, world))))))),
};

function section(block, world, use) {
  return el("div", { className: "b-section" },
    el("div", { className: "b-text" },
      block.text ? words(block.text, world) : null,
      block.fields ? el("div", { className: "b-fields" }, block.fields.map((item) => el("div", {}, words(item, world)))) : null),
    block.accessory ? element(block.accessory, block, world, use) : null);
}

function words(item, world) {
  const text = item.text ?? "";
  return item.type === "mrkdwn" ? mrkdwn(text, world) : text;
}

function picture(item) {
  return el("span", { className: "b-image" }, `${item.alt_text ?? "an image"} (images are not loaded here)`);
}

function markdown(text) {
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return safe.replace(/\*\*([^*\n]+)\*\*/g, "*$1*").replace(/^#+ (.*)$/gm, "*$1*");
}

function rich(item, world) {
  if (item.type === "rich_text_list") {
    const tag = item.style === "ordered" ? "ol" : "ul";
    return el(tag, {}, (item.elements ?? []).map((row) => el("li", {}, spans(row.elements, world))));
  }
  const tag = { rich_text_quote: "blockquote", rich_text_preformatted: "pre" }[item.type] ?? "p";
  return el(tag, {}, spans(item.elements, world));
}

function spans(elements, world) {
  return (elements ?? []).map((item, index) => {
    const asks = (one) => one?.type === "text" && !one.style?.code && one.text.endsWith("@");
    const desk = item.type === "channel" && asks(elements[index - 1]);
    const text = asks(item) && elements[index + 1]?.type === "channel" ? item.text.slice(0, -1) : item.text;
    switch (item.type) {
      case "text": return styled(text, item.style);
      case "link": return linkNode(item.url, item.text ?? item.url, world);
      case "user": return mention(`@${world.personName(item.user_id)}`);
      case "usergroup": return mention(`@${world.groupName(item.usergroup_id) ?? "group"}`);
      case "channel": return channelNode(item.channel_id, undefined, world, desk);
      case "broadcast": return mention(`@${item.range}`);
      case "emoji": return emoji(item.name) ?? `:${item.name}:`;
      default: return item.text ?? "";
    }
  });
}

function styled(text, style = {}) {
  let node = text.split("\n").flatMap((line, index) => (index ? [el("br"), line] : [line]));
  for (const [name, tag] of [["code", "code"], ["bold", "strong"], ["italic", "em"], ["strike", "s"]]) {
    if (style[name]) node = [el(tag, {}, node)];
  }
  return node;
}

export function element(item, block, world, use) {
  if (item.type === "button" || item.type === "workflow_button" || item.type === "icon_button") {
    const label = item.text?.text ?? item.accessibility_label ?? "…";
    return el("button", {
      type: "button", className: `b-button ${item.style ?? ""}`, "aria-label": item.accessibility_label,
      data: { focus: `${block.block_id}/${item.action_id}/${item.value ?? ""}` },
      onclick: () => use(item, block, []),
    }, emojis(label));
  }
  if (item.type === "overflow") return overflow(item, block, use);
  if (item.type === "static_select") return menu(item, block, use);
  if (item.type === "feedback_buttons") {
    return [item.positive_button, item.negative_button].filter(Boolean).map((each) =>
      el("button", { type: "button", className: "b-button", onclick: () => use(item, block, [each.value]) }, each.text?.text ?? ""));
  }
  if (item.type === "radio_buttons" || item.type === "checkboxes") return choices(item, block, use);
  return el("span", { className: "unknown" }, `[${item.type}]`);
}

function emojis(label) {
  return label.replace(/:([a-z0-9_+-]+):/g, (whole, name) => emoji(name) ?? whole);
}

export function options(item) {
  return [...(item.options ?? []), ...(item.option_groups ?? []).flatMap((group) => group.options ?? [])];
}

function overflow(item, block, use) {
  return el("button", {
    type: "button", className: "b-button b-more", "aria-label": "More to do with this", "aria-haspopup": "menu",
    data: { focus: `${block.block_id}/${item.action_id}` },
    onclick: (event) => openMenu(event.currentTarget, "More to do with this", options(item).map((option) => ({
      label: emojis(option.text?.text ?? ""), act: () => use(item, block, [option.value]),
    }))),
  }, icon("more"));
}

function menu(item, block, use) {
  const label = item.placeholder?.text ?? "Choose …";
  const pick = el("select", {
    className: "b-select", "aria-label": label, data: { focus: `${block.block_id}/${item.action_id}` },
    onchange: (event) => {
      const chosen = event.target.value;
      event.target.value = "";
      if (chosen) use(item, block, [chosen]);
    },
  },
  el("option", { value: "" }, label),
  options(item).map((option) => el("option", { value: option.value }, emojis(option.text?.text ?? ""))));
  pick.value = item.initial_option?.value ?? "";
  return pick;
}

function choices(item, block, use) {
  const kind = item.type === "checkboxes" ? "checkbox" : "radio";
  return el("div", {}, options(item).map((option) => el("label", { className: "choice" },
    el("input", {
      type: kind, name: `${block.block_id}/${item.action_id}`, value: option.value,
      onchange: (event) => {
        const all = [...event.target.closest("div").querySelectorAll("input:checked")];
        use(item, block, all.map((box) => box.value));
      },
    }), ` ${option.text?.text ?? ""}`)));
}

// A block is drawn by its own text where it has no blocks.
export function body(message, world, use) {
  if (message.blocks?.length) return blocks(message.blocks, world, use);
  return mrkdwn(message.text ?? "", world);
}

export { inline };
