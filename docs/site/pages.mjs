// What becomes a page of the site, and where.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");
const source = "https://github.com/disruptkit/disruptkit/blob/main/";
export const site = "https://disruptkit.github.io/disruptkit"; // where it is published

// files are the pages that are files of the repository, by path; the value is the URL within the site.
export const files = { "README.md": "/", "karpenter/README.md": "/guard/", "CHANGELOG.md": "/changelog/" };
for (const name of readdirSync(path.join(root, "docs")).filter((f) => f.endsWith(".md")).sort()) {
  files[`docs/${name}`] = `/${name.replace(/\.md$/, "")}/`;
}

export const read = (file) => readFileSync(path.join(root, file), "utf8");

// codes are those of kubectl disruption explain. Each has a page of its own, to which lint's findings link.
const explained = execFileSync("go", ["-C", path.join(root, "cmd"), "run", "./kubectl-disruption", "explain", "-o", "json"], { encoding: "utf8" });
const plain = (text) => text.replace(/[*_]/g, "\\$&").replaceAll("<", "&lt;");
export const codes = JSON.parse(explained).codes.map((c) => ({
  code: c.code, means: plain(c.means), text: `${plain(c.means)}\n\n\`\`\`text\n${c.example}\n\`\`\`\n\n${plain(c.do)}`,
}));

export const title = (text, otherwise) => text.match(/^# (.+)$/m)?.[1].replaceAll("`", "") ?? otherwise;

// anchor is how GitHub names a heading.
export const anchor = (heading) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");

// link turns a link of a file of the repository into one of the site: a page, an image, or else the file on GitHub. url is that of the page.
// Images that are needed are added to a set.
export function link(target, file, url, images) {
  if (target.startsWith(site)) return relative(url, target.slice(site.length));
  if (/^[a-z]+:/i.test(target) || target.startsWith("#")) return target;
  const [to, fragment] = target.split("#");
  const repository = path.posix.normalize(path.posix.join(path.posix.dirname(file), to));
  if (files[repository]) return relative(url, files[repository]) + (fragment ? `#${fragment}` : "");
  if (repository.endsWith(".svg")) {
    images.add(repository);
    return relative(url, `/images/${path.posix.basename(repository)}`);
  }
  return source + repository + (fragment ? `#${fragment}` : "");
}

// relative makes the site work under any path.
export function relative(from, to) {
  const way = path.posix.relative(from, to) || ".";
  return to.endsWith("/") ? `${way}/` : way;
}
