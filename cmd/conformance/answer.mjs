// Answers cases in JavaScript, by disruptkit compiled to WebAssembly. It needs Node.js 20 or newer:
//
//   node answer.mjs disruptkit.wasm <cases.jsonl >answers.jsonl
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1", args: ["disruptkit", "answer"], returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
