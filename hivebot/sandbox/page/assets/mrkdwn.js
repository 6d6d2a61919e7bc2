// How does Slack's text become nodes? Tokens become names, marks become elements, the rest is text.

import { el } from "./dom.js";
import { emoji } from "./emoji.js";

const TOKEN = /<([^<>]+)>/;
const PIECES = /((?:@(?=<#))?<[^<>]+>)|(`[^`\n]+`)|(?<![\w*])(\*[^\s*](?:[^*\n]*[^\s*])?\*)(?![\w*])|(?<![\w_])(_[^\s_](?:[^_\n]*[^\s_])?_)(?![\w_])|(?<![\w~])(~[^\s~](?:[^~\n]*[^\s~])?~)(?![\w~])|(:[a-z0-9_+-]+:)/g;

export function decode(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

export function mrkdwn(text, world) {
  const nodes = [];
  text.split(/```/).forEach((part, index) => {
    if (index % 2) nodes.push(el("pre", {}, el("code", {}, decode(part.replace(/^\n/, "")))));
    else if (part) nodes.push(...paragraphs(part, world));
  });
  return nodes;
}

function paragraphs(text, world) {
  const nodes = [];
  let quoted = [];
  const flush = () => {
    if (quoted.length) nodes.push(el("blockquote", {}, lines(quoted, world)));
    quoted = [];
  };
  let plain = [];
  const said = () => {
    const words = plain.join("\n").replace(/^\n+|\n+$/g, "");
    if (words) nodes.push(el("p", {}, lines(words.split("\n"), world)));
    plain = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("&gt;") || line.startsWith(">")) {
      said();
      quoted.push(line.replace(/^(&gt;|>) ?/, ""));
    } else {
      flush();
      plain.push(line);
    }
  }
  flush();
  said();
  return nodes;
}

function lines(rows, world) {
  return rows.flatMap((row, index) => (index ? [el("br"), ...inline(row, world)] : inline(row, world)));
}

export function inline(text, world) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index > at) nodes.push(decode(text.slice(at, match.index)));
    at = match.index + match[0].length;
    nodes.push(piece(match, world));
  }
  if (at < text.length) nodes.push(decode(text.slice(at)));
  return nodes;
}

function piece(match, world) {
  const [whole, token, code, bold, italic, strike, name] = match;
  if (token) return tokenNode(token, world);
  if (code) return el("code", {}, decode(code.slice(1, -1)));
  if (bold) return el("strong", {}, inline(bold.slice(1, -1), world));
  if (italic) return el("em", {}, inline(italic.slice(1, -1), world));
  if (strike) return el("s", {}, inline(strike.slice(1, -1), world));
  return emoji(name.slice(1, -1)) ?? whole;
}

function tokenNode(token, world) {
  const [, inner] = token.match(TOKEN);
  const desk = token.startsWith("@");
  const [target, label] = split(inner);
  if (target.startsWith("@")) return mention(`@${world.personName(target.slice(1))}`);
  if (target.startsWith("#")) return channelNode(target.slice(1), label, world, desk);
  if (target.startsWith("!subteam^")) return mention(`@${world.groupName(target.slice(9)) ?? label ?? "group"}`);
  if (target.startsWith("!")) return mention(label ?? `@${target.slice(1)}`);
  return linkNode(decode(target), decode(label ?? target), world);
}

function split(inner) {
  const bar = inner.indexOf("|");
  return bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
}

export function mention(words) {
  return el("span", { className: "mention" }, words);
}

// `@#desk` is one name, the question to a desk, though Slack sends the two marks apart.
export function channelNode(id, label, world, desk = false) {
  const sign = desk ? "@#" : "#";
  const name = world.channelName(id) ?? label ?? id;
  if (!world.channelName(id)) return mention(`${sign}${name}`);
  return el("a", { href: `#/${id}`, className: "mention" }, `${sign}${name}`);
}

// A permalink of this workspace leads to the message here; other addresses open beside the page.
export function linkNode(address, label, world) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return label;
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return label;
  const here = world.permalink(url);
  if (here) return el("a", { href: here }, label);
  return el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, label);
}
