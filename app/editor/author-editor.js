// <author-editor>: a file of a chapter, with what fits where the cursor is.
//
// Attributes beside those of `element.js`: `language`, "md" or "toml". Property: `words`, JSON of what there is to name
// (`Vocabulary` of ringside_content). The constructor packs a draft into a link and reads it back.
import { autocompletion } from "@codemirror/autocomplete";
import { search, searchKeymap } from "@codemirror/search";
import { EditorView, keymap } from "@codemirror/view";
import { TextEditor } from "./element.js";
import { markdown } from "./markdown.js";
import { pack, unpack } from "./packed.js";
import { completion } from "./suggest.js";
import { toml } from "./toml.js";

/** The panel that searches, in the page's colours. */
const panel = EditorView.theme({
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--panel)", borderColor: "var(--edge)", fontFamily: "var(--sans)" },
  ".cm-panel.cm-search :is(input, button)": { fontSize: "inherit" },
  ".cm-textfield": { backgroundColor: "var(--paper)", border: "1px solid var(--edge)" },
  ".cm-button": { color: "var(--ink)", backgroundImage: "none", backgroundColor: "var(--wash)", border: "1px solid var(--edge)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 22%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--warn) 45%, transparent)" },
});

class AuthorEditor extends TextEditor {
  static pack = pack;
  static unpack = unpack;
  #words = {};

  constructor() {
    super();
    // Set before this script was there.
    if (Object.hasOwn(this, "words")) {
      const early = this.words;
      delete this.words;
      this.words = early;
    }
  }

  set words(json) {
    try {
      this.#words = JSON.parse(json || "{}");
    } catch {
      this.#words = {};
    }
  }

  extensions() {
    const language = this.getAttribute("language");
    const source = (context) => completion(context, language, this.#words);
    return [
      language === "toml" ? toml : markdown,
      EditorView.lineWrapping,
      search({ top: true }),
      keymap.of(searchKeymap),
      panel,
      autocompletion({ override: [source], icons: false }),
    ];
  }
}

customElements.define("author-editor", AuthorEditor);
