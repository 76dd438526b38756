import anchors from "markdown-it-anchor";
import path from "node:path";
import { anchor, codes, files, link, read, relative, root, site, title } from "./pages.mjs";

const pages = "budgets soak order zones waves policies pods signals repair expiration commands oncall forecast plan status operators engines steward steward-limits";
const order = ["README.md", ...pages.split(" ").map((name) => `docs/${name}.md`), "karpenter/README.md", "docs/adapters.md", "docs/karpenter.md", "docs/embed.md"];
const short = { "README.md": "Start", "karpenter/README.md": "The guard", "CHANGELOG.md": "Changelog" };

export default function (config) {
  const images = new Set();
  config.amendLibrary("md", (md) => {
    md.set({ html: true, linkify: false });
    md.enable("code"); // indented, which Eleventy switches off
    md.use(anchors, { slugify: anchor, tabIndex: false });
    for (const kind of ["link_open", "image"]) {
      const attribute = kind === "image" ? "src" : "href";
      const usual = md.renderer.rules[kind] ?? ((tokens, i, options, _, self) => self.renderToken(tokens, i, options));
      md.renderer.rules[kind] = (tokens, i, options, env, self) => {
        const token = tokens[i];
        token.attrSet(attribute, link(token.attrGet(attribute), env.file, env.page.url, images));
        return usual(tokens, i, options, env, self);
      };
    }
  });
  const names = [...order, ...Object.keys(files).filter((f) => !order.includes(f))].filter((f) => files[f]);
  config.addGlobalData("menu", [...names.map((f) => ({ url: files[f], title: short[f] ?? title(read(f), f) })), { url: "/codes/", title: "Codes" }]);
  config.addGlobalData("layout", "page.njk");
  config.addFilter("from", (to, url) => relative(url, to));
  for (const f of names) {
    page(files[f], f, read(f), title(read(f), f));
  }
  const all = `${site}/codes/`;
  page("/codes/", "docs", `# Codes\n\n${codes.map((c) => `- [\`${c.code}\`](${all}${c.code}/): ${c.means}`).join("\n")}\n`, "Codes");
  for (const c of codes) page(`/codes/${c.code}/`, "docs", `# ${c.code}\n\n${c.text}\n\n[All codes](${all})\n`, c.code);

  // page adds a page; what is in it is Markdown alone, whatever braces it has.
  function page(url, file, text, name) {
    config.addTemplate(`${url.slice(1)}index.md`, text, { file, title: name, permalink: `${url}index.html`, templateEngineOverride: "md" });
  }
  config.addPassthroughCopy({ "style.css": "style.css" });
  config.on("eleventy.after", async ({ dir }) => {
    const { cpSync, mkdirSync } = await import("node:fs");
    for (const image of images) {
      mkdirSync(path.join(dir.output, "images"), { recursive: true });
      cpSync(path.join(root, image), path.join(dir.output, "images", path.basename(image)));
    }
  });
  return { dir: { input: "content", includes: "../layouts", output: "_site" } };
}
