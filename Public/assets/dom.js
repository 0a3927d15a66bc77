/// Making elements. Text only ever becomes a text node: nothing in the console writes markup from strings, and the page's
/// policy (Trusted Types) would refuse it.

const svg = "http://www.w3.org/2000/svg";

/// h("button", {class: "button", onclick: f, disabled: true}, "Save"). Attributes that are null, undefined or false are left
/// out; `on…` become listeners; `style` is an object. Children may be nodes, strings, numbers, lists, or nothing.
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/// The same for drawings.
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(svg, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "value" && "value" in element && element.tagName !== "LI") element.value = value;
    else if (name === "checked" || name === "indeterminate") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  // A selection can only be made once the options are there.
  if (element.tagName === "SELECT" && attributes?.value !== undefined) element.value = attributes.value;
  return element;
}

function add(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(element, child);
    else element.append(child);
  }
}

/// Puts other children into an element.
export function put(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/// Brings an element to the same children in place: what is there already stays, with its focus, its place, and a press that
/// has begun on it; nobody hears again what has not changed. Only for what has no listeners.
export function renew(element, ...children) {
  match(element, put(element.cloneNode(false), ...children));
  return element;
}

function match(old, wanted) {
  const present = [...old.childNodes];
  const nodes = [...wanted.childNodes];
  nodes.forEach((one, place) => {
    const there = present[place];
    if (!there) return old.append(one);
    if (there.isEqualNode(one)) return;
    if (!isAlike(there, one)) return there.replaceWith(one);
    if (one.nodeType === Node.TEXT_NODE) there.data = one.data;
    else {
      for (const { name } of [...there.attributes]) if (!one.hasAttribute(name) && name !== "open") there.removeAttribute(name);
      for (const { name, value } of one.attributes) if (there.getAttribute(name) !== value) there.setAttribute(name, value);
      match(there, one);
    }
  });
  for (const one of present.slice(nodes.length)) one.remove();
}

/// A link that leads elsewhere is another one. The page's policy lets no style be set as an attribute.
function isAlike(one, other) {
  if (one.nodeName !== other.nodeName) return false;
  return one.nodeType !== Node.ELEMENT_NODE || ["href", "style"].every((name) => one.getAttribute(name) === other.getAttribute(name));
}

let last = 0;

/// An id that no other element has.
export function freshID(word = "x") {
  last += 1;
  return `${word}-${last}`;
}

/// Calls `action` once nothing has happened for a while.
export function later(milliseconds, action) {
  let timer;
  const run = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
  run.stop = () => clearTimeout(timer);
  return run;
}

/// The address of a file beside these: the directory's name changes with what is in it.
export const asset = (path) => new URL(path, import.meta.url).pathname;
