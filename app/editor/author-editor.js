// <author-editor>: a file of a chapter, with what fits where the cursor is.
//
// Attributes beside those of `element.js`: `language`, "md" or "toml". Property: `words`, JSON of what there is to name
// (`Vocabulary` of ringside_content). The constructor packs a draft into a link and reads it back.
import { autocompletion } from "@codemirror/autocomplete";
import { EditorView } from "@codemirror/view";
import { TextEditor } from "./element.js";
import { markdown } from "./markdown.js";
import { pack, unpack } from "./packed.js";
import { completion } from "./suggest.js";
import { toml } from "./toml.js";

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
      autocompletion({ override: [source], icons: false }),
    ];
  }
}

customElements.define("author-editor", AuthorEditor);
