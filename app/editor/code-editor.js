// <code-editor>: a kernel between a head and a tail that cannot be changed, or, with language="python", a program for ranks.
import { indentUnit, StreamLanguage } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import { Prec } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { TextEditor } from "./element.js";
import { wgsl } from "./wgsl.js";

class CodeEditor extends TextEditor {
  extensions() {
    if (this.getAttribute("language") !== "python") return [wgsl];
    // Beside its run a program has half of the page, and on a phone 40 characters: lines wrap, and keep their numbers.
    return [StreamLanguage.define(python), Prec.high(indentUnit.of("    ")), EditorView.lineWrapping];
  }
}

customElements.define("code-editor", CodeEditor);
