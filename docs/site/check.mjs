// Looks at the built site: every link and every anchor leads somewhere within it, each code has its page, and the search is there.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { codes, files, root } from "./pages.mjs";

const out = path.join(import.meta.dirname, "_site");
const faults = [];
const pages = readdirSync(out, { recursive: true }).filter((f) => f.endsWith(".html"));
const text = new Map(pages.map((f) => [f, readFileSync(path.join(out, f), "utf8")]));
const anchors = (page) => new Set([...text.get(page).matchAll(/\sid="([^"]+)"/g)].map((m) => m[1]));
let links = 0;

for (const page of pages) {
  if (page.startsWith("playground/")) continue; // its own tests look at it
  for (const [, target] of text.get(page).replaceAll("&amp;", "&").matchAll(/\s(?:href|src)="([^"]*)"/g)) {
    links++;
    const github = target.match(/^https:\/\/github\.com\/disruptkit\/disruptkit\/blob\/main\/([^#]*)/);
    if (github && !existsSync(path.join(root, decodeURI(github[1])))) faults.push(`${page}: no file ${github[1]} in the repository`);
    if (/^[a-z]+:/i.test(target)) continue;
    const [to, fragment] = target.split("#");
    let file = path.join(path.dirname(page), decodeURI(to));
    if (to === "") file = page;
    else if (file.startsWith("..")) { faults.push(`${page}: ${target} leaves the site`); continue; }
    else if (existsSync(path.join(out, file)) && statSync(path.join(out, file)).isDirectory()) file = path.join(file, "index.html");
    if (!existsSync(path.join(out, file))) faults.push(`${page}: ${target} leads nowhere`);
    else if (fragment && text.has(file) && !anchors(file).has(decodeURIComponent(fragment))) faults.push(`${page}: ${target} has no such heading`);
  }
}
for (const url of [...Object.values(files), "/playground/", "/codes/", ...codes.map((c) => `/codes/${c.code}/`)]) {
  if (!existsSync(path.join(out, url, "index.html"))) faults.push(`there is no page ${url}`);
}
const indexed = JSON.parse(readFileSync(path.join(out, "pagefind/pagefind-entry.json"), "utf8")).languages.en.page_count;
if (indexed !== pages.length - 1) faults.push(`the search knows ${indexed} pages`); // all but the playground
if (!text.get("operators/index.html").includes("<pre><code>{&quot;disruption&quot;")) faults.push("indented code is not shown as code");
if (links < 500) faults.push(`only ${links} links were looked at`);
console.log(`${pages.length} pages, ${links} links, ${faults.length} faults`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
