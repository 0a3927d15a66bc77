// The script of the API reference: a filter of its operations, buttons that copy examples, the language of samples that a
// reader chose, and calls of this server. Without it the pages are complete, and show none of these.
"use strict";

const isKorean = document.documentElement.lang === "ko";
const word = (english, korean) => (isKorean ? korean : english);

// MARK: The list

const list = document.querySelector(".operations");
const field = document.getElementById("filter");
const said = list.querySelector("[role=status]");
const entries = [...list.querySelectorAll("li[data-words]")];
const rows = [...document.querySelectorAll("main li[data-words]")];
const areas = [...list.querySelectorAll("details")];
const opened = new Map(areas.map((area) => [area, area.open]));

function narrow() {
  const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry) => wanted.every((one) => entry.dataset.words.includes(one));
  for (const entry of [...entries, ...rows]) entry.hidden = !fits(entry);
  for (const area of areas) {
    area.hidden = wanted.length > 0 && !area.querySelector("li[data-words]:not([hidden])");
    area.open = wanted.length > 0 ? !area.hidden : opened.get(area);
  }
  for (const row of rows) {
    const section = row.closest("section");
    section.hidden = wanted.length > 0 && !section.querySelector("li:not([hidden])");
  }
  const count = entries.filter((entry) => !entry.hidden).length;
  said.textContent = wanted.length > 0 ? word(`${count} of ${entries.length}`, `${entries.length}개 중 ${count}개`) : "";
}

// Marks the operation that the address names.
function mark() {
  for (const link of list.querySelectorAll("a[href*='#']")) {
    if (link.hash !== location.hash || link.pathname !== location.pathname) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "location");
    const area = link.closest("details");
    if (area) area.open = true;
  }
}

// When the reference was one page, operations and schemas were places on it: such an address leads on to their pages.
function leadOn() {
  if (location.hash === "" || rows.length === 0) return;
  if (location.hash.startsWith("#schema-")) {
    location.replace(document.querySelector("#schemas a").pathname + location.hash);
    return;
  }
  const link = entries.map((entry) => entry.querySelector("a")).find((one) => one.hash === location.hash);
  if (link) location.replace(link.href);
}

field.closest("p").hidden = false;
field.addEventListener("input", narrow);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("li[data-words]:not([hidden]) a")?.click();
});
addEventListener("hashchange", () => {
  leadOn();
  mark();
});

// MARK: Samples

const chosen = "upmc.sample";

// Storage may be forbidden; then nothing is remembered.
function remembered() {
  try {
    return localStorage.getItem(chosen) ?? "curl";
  } catch {
    return "curl";
  }
}

function remember(language) {
  try {
    localStorage.setItem(chosen, language);
  } catch {
    // The samples are shown all the same.
  }
}

for (const sample of document.querySelectorAll("details.sample")) {
  const text = sample.querySelector("pre");
  text.textContent = text.textContent.replaceAll("http://127.0.0.1:8080", location.origin);
  sample.open = sample.dataset.language === remembered();
  sample.querySelector("summary").addEventListener("click", () => {
    if (!sample.open) remember(sample.dataset.language);
  });
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = word("Copied", "복사됨");
  } catch {
    // Without TLS browsers give no clipboard: the text is at least selected.
    getSelection().selectAllChildren(text);
  }
}

for (const text of document.querySelectorAll("main pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.hidden = text.hidden;
  button.textContent = word("Copy", "복사");
  button.addEventListener("click", () => copy(button, text));
  text.before(button);
}

// MARK: Calls

// More than this many characters of an answer are not shown.
const most = 200000;

const keys = [...document.querySelectorAll("form input[type=password]")];

function call(form) {
  const inputs = [...form.querySelectorAll("input[data-in]")];
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of inputs) {
    const { name, value } = input;
    if (input.dataset.in === "path") path = path.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (value === "") continue;
    else if (input.dataset.in === "query") query.append(name, value);
    else headers.set(name, value);
  }
  const key = form.elements.namedItem("key")?.value.trim();
  if (key) headers.set("Authorization", `Bearer ${key}`);
  const address = query.size > 0 ? `${path}?${query}` : path;
  // Who is signed in to the console in this browser has no part in it.
  return fetch(address, { headers, credentials: "omit", cache: "no-store", redirect: "error" });
}

async function text(answer) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return "";
  let all = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return all;
    all += value;
    if (all.length <= most) continue;
    await reader.cancel();
    return `${all.slice(0, most)}\n${word("… cut off here", "… 여기서 잘랐습니다")}`;
  }
}

function readable(body, type) {
  if (!/json/.test(type ?? "")) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

async function run(form) {
  const status = form.querySelector("[role=status]");
  const shown = form.querySelector("pre");
  const button = form.querySelector("button:not(.copy)");
  button.disabled = true;
  status.textContent = word("Waiting…", "기다리는 중…");
  try {
    const begin = performance.now();
    const answer = await call(form);
    const body = await text(answer);
    const milliseconds = Math.round(performance.now() - begin);
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    shown.textContent = `${headers}\n\n${readable(body, answer.headers.get("content-type"))}`;
    shown.hidden = false;
    form.querySelector("button.copy").hidden = false;
    status.textContent = `${answer.status} ${answer.statusText} · ${milliseconds} ms`;
  } catch (problem) {
    status.textContent = word(`No answer: ${problem.message}`, `응답 없음: ${problem.message}`);
  } finally {
    button.disabled = false;
    if (document.activeElement === document.body) button.focus();
  }
}

for (const part of document.querySelectorAll("details.run")) {
  part.hidden = false;
  const form = part.querySelector("form");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(form);
  });
}
// A key serves every form of the page that takes one of its kind. It is kept nowhere but in the fields.
for (const key of keys) {
  key.addEventListener("change", () => {
    for (const other of keys) if (other.dataset.scheme === key.dataset.scheme) other.value = key.value;
  });
}

leadOn();
mark();
