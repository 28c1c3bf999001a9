// What the build says of the site, so that a new page or figure is tested on arrival.
import { readFileSync } from "node:fs";
import { join } from "node:path";

type Site = {
  /** Every page. */
  routes: { path: string; title: string }[];
  /** Every figure, with the parameters of its address that not just any text is a value of. */
  widgets: { id: string; params: string[] }[];
};

export const { routes, widgets } = JSON.parse(readFileSync(join(__dirname, "../../dist/routes.json"), "utf8")) as Site;

/** Where chapters have figures, in the order of the pages. */
export const places = routes
  .filter(({ path }) => path.startsWith("chapter/"))
  .flatMap(({ path }) => {
    const html = readFileSync(join(__dirname, "../../dist", path, "index.html"), "utf8");
    const slots = html.matchAll(/id="?([\w-]+)"? data-slot-widget="?([\w-]+)/g);
    return [...slots].map(([, anchor, widget]) => ({ path, anchor, widget }));
  });

/** The first page of each kind: home, a chapter, a mission, practice … */
export const samples = new Set(new Map(routes.map(({ path }) => [path.split("/")[0], path] as const).reverse()).values());
