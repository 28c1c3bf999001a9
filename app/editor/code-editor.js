// <code-editor>: a text between a head and a tail that cannot be changed, edited as one document with CodeMirror.
//
// Until this script is there, or where it does not come, a plain <textarea> within the element does. Everything is in a shadow
// root, where CodeMirror uses constructed style sheets, which the site's Content-Security-Policy allows; in the document it
// would write a <style>, which it does not.
//
// Attributes: `head`, `tail`, `label`. Properties: `value`, the text between them; `marks`, what a compiler complains about as
// "line:column line:column", both from 1, lines counted from the head's first. An `input` event says that the text was edited;
// a `go-to` event whose detail is a line puts the cursor there.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorSelection, EditorState, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { wgsl } from "./wgsl.js";

/** On a change that comes from the page. */
const fromPage = Annotation.define();
const setMarks = StateEffect.define();

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: [tags.typeName, tags.number], color: "light-dark(#7a3e9d, #cfa3e8)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.function(tags.variableName), color: "light-dark(#2f5d9b, #8fb6ea)" },
  { tag: tags.meta, color: "var(--warn)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--edge)", borderRadius: "var(--radius)", fontSize: "var(--code-size, 13.5px)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflowX: "auto" },
  ".cm-content": { padding: "6px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-line": { padding: "0 14px 0 8px" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--paper)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 10px", minWidth: "34px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 22%, transparent)" },
  ".fixed": { backgroundColor: "var(--wash)" },
  ".bad-line": { boxShadow: "inset 3px 0 0 var(--warn)" },
  ".bad": { textDecoration: "underline wavy var(--warn)", textUnderlineOffset: "3px" },
});

/** The lines that cannot be changed, in another colour. */
function fixedLines(head, tail) {
  const line = Decoration.line({ class: "fixed" });
  return EditorView.decorations.compute(["doc"], (state) => {
    const lines = [];
    const last = state.doc.length - tail.length;
    for (let i = 1; i <= state.doc.lines; i++) {
      const { from } = state.doc.line(i);
      if (from < head.length || from > last) lines.push(line.range(from));
    }
    return Decoration.set(lines);
  });
}

/** What a compiler complains about, until it is edited. */
const marked = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) marks = decorations(transaction.state.doc, effect.value);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc, text) {
  const ranges = [];
  for (const [line, column] of text.split(" ").map((mark) => mark.split(":").map(Number))) {
    if (!(line >= 1 && line <= doc.lines)) continue;
    const { from, to, text: content } = doc.line(line);
    ranges.push(Decoration.line({ class: "bad-line" }).range(from));
    const start = Math.max(0, (column || 1) - 1);
    const word = /^(\w+|\S)/.exec(content.slice(start));
    if (word && from + start < to) ranges.push(Decoration.mark({ class: "bad" }).range(from + start, from + start + word[0].length));
  }
  return Decoration.set(ranges, true);
}

class CodeEditor extends HTMLElement {
  #view = null;
  #value = "";
  #marks = "";

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    // CodeMirror says when something was edited; the browser's own events come before it has taken it over.
    this.shadowRoot.addEventListener("input", (event) => event.stopPropagation());
    this.addEventListener("go-to", (event) => this.#goTo(event.detail));
    // Set before this script was there.
    for (const name of ["value", "marks"]) {
      if (Object.hasOwn(this, name)) {
        const early = this[name];
        delete this[name];
        this[name] = early;
      }
    }
  }

  connectedCallback() {
    const head = this.getAttribute("head") ?? "";
    const tail = this.getAttribute("tail") ?? "";
    const body = (state) => EditorSelection.range(head.length, state.doc.length - tail.length);
    const inBody = EditorState.changeFilter.of((transaction) => {
      const last = transaction.startState.doc.length - tail.length;
      let allowed = true;
      transaction.changes.iterChanges((from, to) => {
        if (from < head.length || to > last) allowed = false;
      });
      return allowed;
    });
    const selectBody = ({ state, dispatch }) => {
      dispatch(state.update({ selection: body(state), userEvent: "select" }));
      return true;
    };
    const state = EditorState.create({
      doc: head + this.#value + tail,
      selection: { anchor: head.length + this.#value.length },
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), indentOnInput(),
        indentUnit.of("  "), wgsl, syntaxHighlighting(colours), look, marked, inBody, fixedLines(head, tail),
        // The page runs the text then; here it would be an empty line.
        Prec.high(keymap.of([{ key: "Mod-a", run: selectBody }, { key: "Mod-Enter", run: () => true }])),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({
          // It takes the focus by itself; axe sees it only so.
          tabindex: "0",
          "aria-label": this.getAttribute("label") ?? "",
          "aria-description": "Tab indents. To leave the editor press Escape, then Tab.",
          spellcheck: "false",
        }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const range = body(update.state);
          this.#value = update.state.sliceDoc(range.from, range.to);
          const own = update.transactions.every((transaction) => !transaction.annotation(fromPage));
          if (own) this.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      ],
    });
    this.#view = new EditorView({ state, parent: this.shadowRoot, root: this.shadowRoot });
    this.#view.dispatch({ effects: setMarks.of(this.#marks) });
  }

  disconnectedCallback() {
    this.#view?.destroy();
    this.#view = null;
  }

  get value() {
    return this.#value;
  }

  set value(text) {
    if (text === this.#value) return;
    const before = this.#value;
    this.#value = text;
    if (!this.#view) return;
    const from = (this.getAttribute("head") ?? "").length;
    this.#view.dispatch({ changes: { from, to: from + before.length, insert: text }, annotations: fromPage.of(true) });
  }

  get marks() {
    return this.#marks;
  }

  set marks(text) {
    this.#marks = text;
    this.#view?.dispatch({ effects: setMarks.of(text) });
  }

  #goTo(number) {
    const view = this.#view;
    if (!view) return;
    const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
    view.dispatch({ selection: { anchor: line.from + /^\s*/.exec(line.text)[0].length }, scrollIntoView: true });
    view.focus();
  }
}

customElements.define("code-editor", CodeEditor);
