// Builds the site into _site: the pages, the playground (which needs Go), and the index of the search.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { root } from "./pages.mjs";

const here = import.meta.dirname;
const out = path.join(here, "_site");
const run = (command, ...args) => execFileSync(command, args, { cwd: here, stdio: "inherit" });
rmSync(out, { recursive: true, force: true });
run("npx", "eleventy", "--quiet");
run("go", "-C", path.join(root, "cmd"), "run", "./playground", "-o", path.join(out, "playground"));
run("npx", "pagefind", "--site", "_site", "--quiet");
