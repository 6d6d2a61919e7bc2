// How is a piece of the page made? Text only ever becomes text: there is no way to pass markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return node;
}

export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

export function byId(id) {
  return document.getElementById(id);
}

// Brings a list up to date: rows that did not change stay the nodes they are, so that focus, scroll
// and a screen reader's place stay too.
export function reconcile(list, rows, build) {
  const old = new Map([...list.children].map((node) => [node.dataset.key, node]));
  let at = list.firstElementChild;
  for (const row of rows) {
    const sign = JSON.stringify(row.sign);
    let node = old.get(row.key);
    old.delete(row.key);
    if (!node || node.dataset.sign !== sign) {
      const fresh = build(row);
      fresh.dataset.key = row.key;
      fresh.dataset.sign = sign;
      if (node) {
        const focus = node.contains(document.activeElement) && document.activeElement.dataset.focus;
        if (at === node) at = fresh;
        node.replaceWith(fresh);
        if (focus) fresh.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus();
      }
      node = fresh;
    }
    if (node === at) at = at.nextElementSibling;
    else list.insertBefore(node, at);
  }
  for (const node of old.values()) node.remove();
}

let silence = 0;

export function toast(words) {
  const line = byId("toast");
  line.textContent = words;
  // shown anew it lies above a dialog that was opened since
  line.hidePopover();
  line.showPopover();
  clearTimeout(silence);
  silence = setTimeout(() => line.hidePopover(), 8000);
}

// A small menu beside a button: items are [label, act] or nodes.
export function openMenu(anchor, label, items) {
  const menu = byId("menu");
  menu.replaceChildren(...items.map((item) =>
    el("button", {
      type: "button", role: "menuitem", className: item.className, "aria-label": item.says,
      onclick: () => { menu.hidePopover(); anchor.focus(); item.act(); },
    }, item.label)));
  menu.setAttribute("aria-label", label);
  menu.classList.toggle("row", items.some((item) => item.className === "emoji"));
  menu.showPopover();
  const box = anchor.getBoundingClientRect();
  const own = menu.getBoundingClientRect();
  const left = Math.max(8, Math.min(box.right - own.width, innerWidth - own.width - 8));
  const below = box.bottom + 4 + own.height < innerHeight;
  menu.style.left = `${left}px`;
  menu.style.top = `${below ? box.bottom + 4 : Math.max(8, box.top - own.height - 4)}px`;
  menu.querySelector("button")?.focus();
}

byId("menu").addEventListener("keydown", (event) => {
  const items = [...event.currentTarget.querySelectorAll("button")];
  const at = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  items[(at + step + items.length) % items.length].focus();
});

export function clockTime(ts) {
  const at = new Date(Number(ts) * 1000);
  return at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
