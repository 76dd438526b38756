// What becomes a page of the site, and where.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");
const source = "https://github.com/disruptkit/disruptkit/blob/main/";

// files are the pages that are files of the repository, by path; the value is the URL within the site.
export const files = { "README.md": "/", "karpenter/README.md": "/guard/", "CHANGELOG.md": "/changelog/" };
for (const name of readdirSync(path.join(root, "docs")).filter((f) => f.endsWith(".md")).sort()) {
  files[`docs/${name}`] = `/${name.replace(/\.md$/, "")}/`;
}

export const read = (file) => readFileSync(path.join(root, file), "utf8");

// codes are the sections of docs/codes.md, each of which is a page of its own: what lint's findings link to.
export function codes() {
  const [, ...sections] = read("docs/codes.md").split(/^## /m);
  return sections.map((section) => {
    const [code, ...rest] = section.split("\n");
    return { code: code.trim(), text: rest.join("\n").trim() };
  });
}

export const title = (text, otherwise) => text.match(/^# (.+)$/m)?.[1].replaceAll("`", "") ?? otherwise;

// anchor is how GitHub names a heading.
export const anchor = (heading) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");

// link turns a link of a file of the repository into one of the site: a page, an image, or else the file on GitHub. url is that of the page.
// Images that are needed are added to a set.
export function link(target, file, url, images) {
  if (/^[a-z]+:/i.test(target) || target.startsWith("#")) return target;
  const [to, fragment] = target.split("#");
  const repository = path.posix.normalize(path.posix.join(path.posix.dirname(file), to));
  if (repository === "docs/codes.md" && fragment) return relative(url, `/codes/${fragment}/`);
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
