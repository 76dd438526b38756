// Runs the library apart from the page, which stays responsive, and ends this worker to cancel what it computes.
"use strict";
importScripts("wasm_exec.js");

let ready; // once the page has handed over the compiled library

async function start(module) {
  const go = new Go();
  const told = new Promise((resolve) => (self.disruptkitReady = resolve));
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const ended = go.run(instance).then(() => {
    throw new Error("the library has ended");
  });
  ended.catch(() => {}); // whoever waits gets it
  await Promise.race([told, ended]);
}

self.onmessage = async ({ data: { module, id, form } }) => {
  if (module) {
    ready = start(module);
    ready.catch(() => {}); // the first answer has it
    return;
  }
  try {
    await ready;
    const answer = disruptkit(form);
    if (!answer) throw new Error("the library has ended");
    self.postMessage({ id, answer });
  } catch (error) {
    self.postMessage({ id, failed: String(error.message ?? error) });
  }
};
