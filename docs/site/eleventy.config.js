import anchors from "markdown-it-anchor";
import path from "node:path";
import { anchor, codes, files, link, read, relative, root, title } from "./pages.mjs";

const order = ["README.md", "docs/budgets.md", "docs/zones.md", "docs/groups.md", "docs/policies.md", "docs/pods.md", "docs/signals.md", "docs/repair.md",
  "docs/plan.md", "docs/oncall.md", "docs/operators.md", "docs/steward.md", "karpenter/README.md", "docs/karpenter.md", "docs/performance.md", "docs/codes.md", "CHANGELOG.md"];
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
  config.addGlobalData("menu", names.map((f) => ({ url: files[f], title: short[f] ?? title(read(f), f) })));
  config.addGlobalData("layout", "page.njk");
  config.addFilter("from", (to, url) => relative(url, to));
  for (const f of names) {
    let text = read(f);
    if (f === "docs/codes.md") {
      text = text.split(/^## /m)[0] + codes().map((c) => `- [\`${c.code}\`](#${c.code}): ${c.text.split("\n\n")[0].replaceAll("\n", " ")}`).join("\n");
      text = text.replace(/\]\(#/g, "](codes.md#");
    }
    page(files[f], f, text, title(text, f));
  }
  for (const c of codes()) page(`/codes/${c.code}/`, "docs/codes.md", `# ${c.code}\n\n${c.text}\n\n[All codes](../docs/codes.md)\n`, c.code);

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
