// Answers cases in JavaScript, by disruptkit compiled to WebAssembly. It needs Node.js 20 or newer:
//
//   node answer.mjs disruptkit.wasm <cases.jsonl >answers.jsonl
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: ["disruptkit", "answer"], returnOnExit: true });
const imports = wasi.getImportObject();

// In Node.js, a pipe that nobody reads for a moment does not block: it refuses more, and the program would fail.
const { fd_write: write } = imports.wasi_snapshot_preview1;
const again = 6; // errno EAGAIN of WASI
const still = new Int32Array(new SharedArrayBuffer(4));
imports.wasi_snapshot_preview1.fd_write = (...args) => {
  let errno;
  while ((errno = write(...args)) === again) Atomics.wait(still, 0, 0, 1);
  return errno;
};

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await WebAssembly.instantiate(module, imports);
process.exitCode = wasi.start(instance);
