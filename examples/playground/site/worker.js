// Runs the library apart from the page, which stays responsive whatever is typed.
"use strict";
importScripts("wasm_exec.js");

const go = new Go();
const ready = new Promise((resolve) => (self.disruptkitReady = resolve));

async function load() {
  const response = await fetch("disruptkit.wasm");
  if (!response.ok) throw new Error(`disruptkit.wasm: ${response.status} ${response.statusText}`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  go.run(instance); // it never ends
  await ready;
}

const loaded = load();

self.onmessage = async ({ data: { id, text, flags } }) => {
  try {
    await loaded;
    const answer = (format) => disruptkit(text, ...flags, "-o", format);
    const json = answer("json");
    const picture = json.status === 2 ? "" : answer("svg").stdout;
    self.postMessage({ id, status: json.status, json: json.stdout, errors: json.stderr, picture });
  } catch (error) {
    self.postMessage({ id, status: 2, json: "", errors: String(error), picture: "" });
  }
};
