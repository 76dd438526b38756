"use strict";

const example = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  disruption:
    consolidateAfter: 5m
    budgets:
    - nodes: "10%"
    # no drift on working days
    - nodes: "0"
      reasons: [Drifted]
      schedule: "0 17 * * mon-fri"
      duration: 16h
`;

const element = (id) => document.getElementById(id);
const text = element("text"), as = element("as"), zone = element("zone"), from = element("from"), nodes = element("nodes");

// ---- what is shared, in the fragment of the address: no server sees it

const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const fromBase64 = (s) => Uint8Array.from(atob(s.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function packed() {
  const state = { text: text.value, as: as.value, zone: zone.value, from: from.value, nodes: nodes.value };
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return "1" + toBase64(await through(new CompressionStream("deflate-raw"), bytes));
}

async function unpack(fragment) {
  const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(fragment.slice(1)));
  return JSON.parse(new TextDecoder().decode(bytes));
}

function show(state) {
  if (typeof state.text === "string") text.value = state.text;
  for (const [field, value] of [[as, state.as], [zone, state.zone], [from, state.from], [nodes, state.nodes]]) {
    if (typeof value === "string" && value !== "") field.value = value;
  }
  if (as.selectedIndex < 0) as.selectedIndex = 0;
}

async function restore() {
  const fragment = location.hash.slice(1);
  if (fragment.startsWith("1")) {
    try {
      show(await unpack(fragment));
      return;
    } catch {
      element("shared").textContent = "This link is damaged: the example is shown instead.";
    }
  }
  if (text.value === "") text.value = example;
}

element("share").addEventListener("click", async () => {
  history.replaceState(null, "", "#" + (await packed()));
  let said = "The link is in the address bar.";
  try {
    await navigator.clipboard.writeText(location.href);
    said = "Copied. The link holds everything; no server has it.";
  } catch {} // not allowed: it is in the address bar
  element("shared").textContent = said;
});

// ---- ask the library, the last question only

const worker = new Worker("worker.js");
let asked = 0, busy = false, again = false;

function ask() {
  element("nodes-shown").textContent = nodes.value;
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  const flags = ["-as", as.value, "-zone", zone.value || "UTC", "-nodes", nodes.value];
  if (from.value !== "") flags.push("-from", from.value);
  worker.postMessage({ id: ++asked, text: text.value, flags });
}

worker.onmessage = ({ data }) => {
  busy = false;
  if (again) {
    again = false;
    ask();
    return;
  }
  draw(data);
};
worker.onerror = (event) => {
  element("state").textContent = `The library cannot be loaded: ${event.message || "see the console of the browser"}`;
};

// ---- show the answer; what comes out of it is only ever text, or a picture

function draw({ status, json, errors, picture }) {
  document.body.dataset.answered = asked;
  element("json").textContent = json;
  if (status === 2) {
    text.setAttribute("aria-invalid", "true");
    element("state").textContent = errors.replace(/^forecast: /, "");
    element("findings").replaceChildren();
    element("picture").replaceChildren();
    return;
  }
  text.removeAttribute("aria-invalid");
  const answer = JSON.parse(json);
  const findings = answer.pools.flatMap((pool) => pool.findings.map((finding) => ({ ...finding, pool: pool.name })));
  const faults = answer.faults.map((fault) => ({ severity: "error", code: "unreadable", message: fault, places: [] }));
  const all = faults.concat(findings);
  const counts = ["error", "warning", "info"].map((s) => [all.filter((f) => f.severity === s).length, s]).filter(([n]) => n > 0);
  element("state").textContent = counts.length === 0 ? "No findings." :
    counts.map(([n, s]) => `${n} ${s}${n === 1 || s === "info" ? "" : "s"}`).join(", ") + ".";
  const list = document.createElement("ul");
  list.append(...all.map((f) => item(f, answer.pools.length > 1)));
  element("findings").replaceChildren(list);
  const drawn = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
  element("picture").replaceChildren(...(drawn.localName === "svg" ? [document.importNode(drawn, true)] : []));
}

function item(finding, named) {
  const li = document.createElement("li");
  li.className = finding.severity;
  const strong = document.createElement("strong");
  strong.textContent = finding.severity;
  li.append(strong, ` ${finding.code}`);
  const line = Number((/:(\d+)$/.exec(finding.places[0] ?? "") ?? [])[1]);
  if (line > 0) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `line ${line}`;
    button.addEventListener("click", () => select(line));
    li.append(", ", button);
  }
  li.append(named && finding.pool ? `, ${finding.pool}: ` : ": ", finding.message);
  if (finding.advice) {
    const advice = document.createElement("span");
    advice.className = "advice";
    advice.textContent = "→ " + finding.advice;
    li.append(advice);
  }
  return li;
}

// select selects a line of the text, and shows it.
function select(line) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  text.scrollTop = (line - 4) * parseFloat(getComputedStyle(text).lineHeight);
}

// ---- Tab indents, unless Escape came before it: so the keyboard can leave

let leaving = false;
text.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    leaving = true;
  } else if (event.key === "Tab" && !event.shiftKey && !leaving) {
    event.preventDefault();
    text.setRangeText("  ", text.selectionStart, text.selectionEnd, "end");
    ask();
  } else if (event.key !== "Shift") {
    leaving = false;
  }
});
text.addEventListener("focus", () => (leaving = false));

let timer;
for (const field of [text, as, zone, from, nodes]) {
  field.addEventListener("input", () => {
    element("nodes-shown").textContent = nodes.value;
    clearTimeout(timer);
    timer = setTimeout(ask, field === text ? 150 : 0);
  });
}
addEventListener("hashchange", () => restore().then(ask));

for (const name of Intl.supportedValuesOf?.("timeZone") ?? []) {
  element("zones").append(new Option(name));
}
restore().then(ask);
