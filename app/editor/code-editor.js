// <code-editor>: a kernel between a head and a tail that cannot be changed, or, with language="python", a program for ranks.
import { indentUnit, StreamLanguage } from "@codemirror/language";
import { python } from "@codemirror/legacy-modes/mode/python";
import { Prec } from "@codemirror/state";
import { TextEditor } from "./element.js";
import { wgsl } from "./wgsl.js";

class CodeEditor extends TextEditor {
  extensions() {
    return this.getAttribute("language") === "python" ? [StreamLanguage.define(python), Prec.high(indentUnit.of("    "))] : [wgsl];
  }
}

customElements.define("code-editor", CodeEditor);
