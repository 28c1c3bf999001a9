// <code-editor>: a kernel between a head and a tail that cannot be changed.
import { TextEditor } from "./element.js";
import { wgsl } from "./wgsl.js";

class CodeEditor extends TextEditor {
  extensions() {
    return [wgsl];
  }
}

customElements.define("code-editor", CodeEditor);
