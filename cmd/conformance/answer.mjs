// Answers cases in JavaScript, by disruptkit compiled to WebAssembly. It needs Node.js 20 or newer:
//
//   node answer.mjs disruptkit.wasm <cases.jsonl >answers.jsonl
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: ["disruptkit", "answer"], returnOnExit: true });
const imports = wasi.getImportObject();

// In Node.js, a pipe that is full or empty for a moment need not block: it may refuse, and the program would fail.
const again = 6; // errno EAGAIN of WASI
const still = new Int32Array(new SharedArrayBuffer(4));
for (const name of ["fd_read", "fd_write"]) {
  const call = imports.wasi_snapshot_preview1[name];
  imports.wasi_snapshot_preview1[name] = (...args) => {
    let errno;
    while ((errno = call(...args)) === again) Atomics.wait(still, 0, 0, 1);
    return errno;
  };
}

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await WebAssembly.instantiate(module, imports);
process.exitCode = wasi.start(instance);
