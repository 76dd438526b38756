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

let restored = 0; // how often; a link that is read slowly does not overwrite a later one

async function restore() {
  const fragment = location.hash.slice(1), turn = ++restored;
  if (fragment.startsWith("1")) {
    try {
      const state = await unpack(fragment);
      if (turn === restored) show(state);
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

// ---- ask the library: each edit is a question, and only the answer to the last one is shown

const output = element("output"), cancel = element("cancel"), details = element("details");
const library = compile(); // once, for all workers
let worker = hire();
let edits = 0; // the number of the question that is on the page
let shown = 0; // the question that was answered, or failed, last
let asking = false; // a worker has a question
let timer, ticking, since;

async function compile() {
  if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly, or it is switched off");
  const response = await fetch("disruptkit.wasm");
  if (!response.ok) throw new Error(`disruptkit.wasm: ${response.status} ${response.statusText}`);
  try {
    return await WebAssembly.compileStreaming(response.clone());
  } catch {
    return WebAssembly.compile(await response.arrayBuffer()); // servers may not say that it is WebAssembly
  }
}

// hire returns a worker that starts the library as soon as that is compiled.
function hire() {
  const hired = new Worker("worker.js");
  library.then((module) => hired.postMessage({ module }), () => {}); // ask reports why not
  hired.onmessage = ({ data }) => hired === worker && answered(data);
  hired.onerror = (event) => hired === worker && failed(edits, event.message || "see the console of the browser");
  return hired;
}

// replace ends a worker. What it still says, such as that it could not load something, is of no question.
function replace() {
  worker.terminate();
  worker = hire();
}

// dismiss ends what is being computed: nobody waits for it any more.
function dismiss() {
  clearTimeout(timer);
  if (!asking) return;
  asking = false;
  replace();
}

// edited marks what is shown as the answer to something else, at once, and asks after a while without other edits.
function edited(wait) {
  edits++;
  dismiss();
  element("nodes-shown").textContent = nodes.value;
  busy(true);
  timer = setTimeout(ask, wait);
}

async function ask() {
  const id = edits;
  const choices = Object.fromEntries([...as.options].map((option) => [option.value, option.text]));
  const form = {
    text: text.value, as: as.value, zone: zone.value, from: from.value, nodes: nodes.value, json: details.open, choices,
  };
  try {
    await library;
  } catch (error) {
    failed(id, error.message);
    return;
  }
  if (id !== edits || shown === id) return; // there is another edit, or it was cancelled
  asking = true;
  worker.postMessage({ id, form });
}

function answered({ id, answer, failed: why }) {
  if (id !== edits || !asking) return; // it is the answer to something else
  asking = false;
  if (!answer) {
    failed(id, why);
    return;
  }
  shown = id;
  busy(false);
  draw(answer);
}

function failed(id, why) {
  if (id !== edits) return;
  shown = id;
  asking = false;
  replace();
  busy(false);
  clear(`The library cannot be run: ${why}`);
}

cancel.addEventListener("click", () => {
  if (shown === edits) { // nothing is computed
    edited(0);
    return;
  }
  dismiss();
  shown = edits;
  busy(false);
  clear("Cancelled: there is no answer to what is written now.");
  offer("Ask again");
  cancel.focus();
});

// busy shows that there is work, and that what is shown is not the answer to what is written.
function busy(working) {
  document.body.dataset.answered = shown === edits ? edits : "";
  element("answer").setAttribute("aria-busy", String(working));
  output.classList.toggle("old", working);
  element("work").classList.toggle("idle", !working);
  offer(working ? "Cancel" : "");
  clearInterval(ticking);
  element("said").textContent = "";
  if (!working) return;
  since = performance.now();
  tick();
  ticking = setInterval(tick, 500);
}

// tick describes how long it takes. Screen readers announce it once, when it takes long.
function tick() {
  const seconds = Math.floor((performance.now() - since) / 1000);
  const old = element("findings").childElementCount + element("picture").childElementCount > 0;
  element("working").textContent = seconds < 1 ? "Working …" : `Working for ${seconds} s …`;
  element("older").textContent = old ? "Below is the answer to what was written before." : "";
  if (seconds === 1) element("said").textContent = "Working …";
}

function offer(label) {
  cancel.textContent = label || "Cancel";
  cancel.classList.toggle("idle", label === "");
  cancel.disabled = label === "";
}

// ---- show the answer; what comes out of it is only ever text, or a picture

function clear(state) {
  element("state").textContent = state;
  for (const id of ["findings", "picture", "json"]) element(id).replaceChildren();
  reach();
}

function draw({ error, findings, pools, notes, picture, json }) {
  if (error) {
    text.setAttribute("aria-invalid", "true");
    clear(error);
    return;
  }
  text.removeAttribute("aria-invalid");
  element("json").textContent = json;
  const counts = ["error", "warning", "info"].map((s) => [findings.filter((f) => f.severity === s).length, s]).filter(([n]) => n > 0);
  const said = counts.length === 0 ? "No findings." :
    counts.map(([n, s]) => `${n} ${s}${n === 1 || s === "info" ? "" : "s"}`).join(", ") + ".";
  element("state").textContent = notes ? `${said}\nNote: ${notes}` : said;
  const list = document.createElement("ul");
  list.append(...findings.map((f) => item(f, pools > 1)));
  element("findings").replaceChildren(list);
  const drawn = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
  element("picture").replaceChildren(...(drawn.localName === "svg" ? [document.importNode(drawn, true)] : []));
  reach();
}

// reach lets the keyboard scroll the picture where it is wider than its place. Elsewhere it would be a stop for nothing.
function reach() {
  const region = element("picture");
  if (region.scrollWidth > region.clientWidth) {
    region.tabIndex = 0;
    region.setAttribute("role", "region");
  } else {
    region.removeAttribute("tabindex");
    region.removeAttribute("role");
  }
}
new ResizeObserver(reach).observe(element("picture"));

function item(finding, named) {
  const li = document.createElement("li");
  li.className = finding.severity;
  const strong = document.createElement("strong");
  strong.textContent = finding.severity;
  li.append(strong, ` ${finding.code}`);
  const line = finding.line;
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
    edited(150);
  } else if (event.key !== "Shift") {
    leaving = false;
  }
});
text.addEventListener("focus", () => (leaving = false));

for (const field of [text, as, zone, from, nodes]) {
  field.addEventListener("input", () => edited(field === text || field === zone ? 150 : 20));
}
details.addEventListener("toggle", () => {
  if (details.open && element("json").textContent === "") edited(0); // it is made for those who look at it
});
addEventListener("hashchange", () => restore().then(() => edited(0)));

for (const name of Intl.supportedValuesOf?.("timeZone") ?? []) {
  element("zones").append(new Option(name));
}
restore().then(() => edited(0));
