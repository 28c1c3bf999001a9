// What fits where the cursor is: ids of widgets, their parameters and quantities, terms, sources, chapters, skills, kinds.

const BOXES = ["widget", "exercise", "exercises", "notes", "sources"];

/** Options for the end of `before`, of which the last `typed` characters are replaced. */
function options(context, typed, list, suffix = "") {
  const entries = list.map((one) => (typeof one === "string" ? { label: one } : one));
  return { from: context.pos - typed.length, options: entries.map((one) => ({ ...one, apply: one.label + suffix })), validFor: /^[\w.-]*$/ };
}

const models = (words) => Object.entries(words.models ?? {}).map(([label, { title }]) => ({ label, detail: title }));
const parameters = (words, model) => Object.entries(words.models?.[model]?.parameters ?? {}).map(([label, { means }]) => ({ label, detail: means }));
const values = (words, model, name) => words.models?.[model]?.parameters?.[name]?.values ?? [];
const quantities = (words, model) => (words.models?.[model]?.quantities ?? []).map(([label, detail]) => ({ label, detail }));

/** The lines before the cursor's, the nearest first. */
function* above(context) {
  const { doc } = context.state;
  for (let n = doc.lineAt(context.pos).number - 1; n >= 1; n--) yield doc.line(n).text;
}

/** The widget in whose fence the cursor is, or of the nearest figure above. */
function figure(context, inside) {
  for (const line of above(context)) {
    const fence = /^```\s*widget\s+([\w-]+)/.exec(line);
    if (fence) return fence[1];
    if (inside && /^```/.test(line)) return null;
  }
  return null;
}

/** The model of the exercise that the cursor is in. */
function asked(context) {
  const { doc } = context.state;
  const here = doc.lineAt(context.pos).number;
  for (const step of [-1, 1]) {
    for (let n = here; n >= 1 && n <= doc.lines; n += step) {
      const line = doc.line(n).text;
      const model = /^model\s*=\s*"([\w-]+)"/.exec(line);
      if (model) return model[1];
      if (/^\[\[exercise\]\]/.test(line) && n !== here) break;
    }
  }
  return null;
}

function inChapter(context, line, words) {
  let found;
  if ((found = /^```\s*([a-z]*)$/.exec(line))) return options(context, found[1], BOXES);
  if ((found = /^```\s*widget\s+([\w-]*)$/.exec(line))) return options(context, found[1], models(words));
  if ((found = /\]\(term:([\w.-]*)$/.exec(line))) return options(context, found[1], words.terms ?? []);
  if ((found = /\]\(source:([\w.-]*)$/.exec(line))) return options(context, found[1], words.sources ?? []);
  if ((found = /\]\(chapter:([\w.-]*)$/.exec(line))) return options(context, found[1], words.chapters ?? []);
  if ((found = /\]\(see:\?(?:[^)]*&)?([\w-]*)$/.exec(line))) return options(context, found[1], parameters(words, figure(context, false)), "=");
  if ((found = /`=([\w-]*)$/.exec(line))) return options(context, found[1], models(words));
  if ((found = /`=([\w-]+) +([\w-]*)$/.exec(line))) return options(context, found[2], quantities(words, found[1]));
  if ((found = /`=([\w-]+) +[\w-]+ *\? *(?:[^`]*&)?([\w-]*)$/.exec(line))) return options(context, found[2], parameters(words, found[1]), "=");
  if ((found = /`=([\w-]+) +[\w-]+ *\?[^`]*?([\w-]+)=([\w.-]*)$/.exec(line))) return options(context, found[3], values(words, found[1], found[2]));
  const inside = figure(context, true);
  if (inside && (found = /^([\w-]*)$/.exec(line))) return options(context, found[1], parameters(words, inside), " = ");
  if (inside && (found = /^([\w-]+)\s*=\s*"([\w.-]*)$/.exec(line))) return options(context, found[2], values(words, inside, found[1]));
  return null;
}

function inData(context, line, words) {
  let found;
  if ((found = /^model\s*=\s*"([\w-]*)$/.exec(line))) return options(context, found[1], models(words));
  if ((found = /^widgets\s*=\s*\[(?:.*,\s*)?"([\w-]*)$/.exec(line))) return options(context, found[1], models(words));
  if ((found = /^kind\s*=\s*"([\w-]*)$/.exec(line))) return options(context, found[1], words.kinds ?? []);
  if ((found = /^skill\s*=\s*"([\w.-]*)$/.exec(line))) return options(context, found[1], words.skills ?? []);
  const model = asked(context);
  if ((found = /(?:\bparams|\bset|\bdraw|\bwins)\s*=\s*(?:\[\s*)?\{(?:.*,)?\s*([\w-]*)$/.exec(line))) return options(context, found[1], parameters(words, model), " = ");
  // Expressions write `_` for the `-` in an id.
  const named = () => quantities(words, model).map((one) => ({ ...one, label: one.label.replaceAll("-", "_") }));
  if ((found = /\b(?:answer|measure|value|size|by)\s*=\s*"(?:[^"]*[^\w"])?(\w*)$/.exec(line))) return options(context, found[1], named());
  if ((found = /\{(\w*)$/.exec(line)) && /"/.test(line)) return options(context, found[1], named());
  return null;
}

export function completion(context, language, words) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const found = language === "toml" ? inData(context, before, words) : inChapter(context, before, words);
  return found && found.options.length > 0 ? found : null;
}
