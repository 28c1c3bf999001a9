// What the site's editors have in common: an element that takes over a plain <textarea> within it, which serves until the script is
// there, and where it does not come. Everything is in a shadow root, where CodeMirror uses constructed style sheets, which the
// site's Content-Security-Policy allows; in the document it would write a <style>, which it does not.
//
// Attributes: `label`; `head` and `tail`, which stand around the text and cannot be changed. Properties: `value`, the text between
// them; `marks`, what is wrong with it, a line for each: "line:column message", both from 1, lines counted from the head's
// first; `places`, who is at which line now, a line for each: "line who". An `input` event says that the text was edited; a `go-to` event puts the cursor where its detail says, "line:column".
import { defaultKeymap, history, historyKeymap, indentWithTab, undoDepth } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorSelection, EditorState, Prec, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** On a change that comes from the page. */
const fromPage = Annotation.define();
const setMarks = StateEffect.define();
const setPlaces = StateEffect.define();

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)" },
  { tag: [tags.typeName, tags.number, tags.string], color: "light-dark(#7a3e9d, #cfa3e8)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.function(tags.variableName), tags.definition(tags.variableName), tags.standard(tags.variableName)], color: "light-dark(#2f5d9b, #8fb6ea)" },
  { tag: tags.meta, color: "var(--warn)" },
]);

const look = EditorView.theme({
  "&": { flex: "1", minWidth: "0", color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--edge)", borderRadius: "var(--radius)", fontSize: "var(--code-size, 13.5px)" },
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
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--panel)", border: "1px solid var(--edge)", borderRadius: "var(--radius)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "14em" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--paper)", backgroundColor: "var(--accent)" },
  ".cm-completionDetail": { fontFamily: "var(--sans)", fontStyle: "normal", opacity: "0.75" },
  ".fixed": { backgroundColor: "var(--wash)" },
  ".place-line": { backgroundColor: "color-mix(in srgb, var(--accent) 13%, transparent)" },
  ".place": { marginLeft: "1.5em", padding: "1px 6px", color: "var(--paper)", backgroundColor: "var(--accent)", borderRadius: "4px", fontFamily: "var(--sans)", fontSize: "0.82em" },
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

/** Decorations that an effect sets as text, which `make` reads; they move with what is edited. */
function decorated(set, make) {
  return StateField.define({
    create: () => Decoration.none,
    update(marks, transaction) {
      marks = marks.map(transaction.changes);
      for (const effect of transaction.effects) {
        if (effect.is(set)) marks = make(transaction.state.doc, effect.value);
      }
      return marks;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

/** What a compiler complains about. */
const marked = decorated(setMarks, complaints);
/** Who is at which line. */
const placed = decorated(setPlaces, places);

/** Where a character of a line, counted from 1, stands in UTF-16. */
function units(line, column) {
  return [...line].slice(0, Math.max(0, column - 1)).join("").length;
}

/** Who is at a line, after its text. */
class Place extends WidgetType {
  constructor(who) {
    super();
    this.who = who;
  }

  eq(other) {
    return other.who === this.who;
  }

  toDOM() {
    const place = document.createElement("span");
    place.className = "place";
    place.textContent = this.who;
    return place;
  }
}

function places(doc, text) {
  const ranges = [];
  for (const place of text.split("\n")) {
    const [, number, who] = /^(\d+) (.+)$/.exec(place) ?? [];
    if (!(number >= 1 && number <= doc.lines)) continue;
    const { from, to } = doc.line(Number(number));
    ranges.push(Decoration.line({ class: "place-line" }).range(from));
    ranges.push(Decoration.widget({ widget: new Place(who), side: 1 }).range(to));
  }
  return Decoration.set(ranges, true);
}

function complaints(doc, text) {
  const ranges = [];
  for (const mark of text.split("\n")) {
    const [, line, column, title] = /^(\d+):(\d+) ?(.*)$/.exec(mark) ?? [];
    if (!(line >= 1 && line <= doc.lines)) continue;
    const { from, to, text: content } = doc.line(Number(line));
    ranges.push(Decoration.line({ class: "bad-line", attributes: title ? { title } : {} }).range(from));
    const start = units(content, Number(column));
    const word = /^(\w+|\S)/.exec(content.slice(start));
    if (word && from + start < to) ranges.push(Decoration.mark({ class: "bad" }).range(from + start, from + start + word[0].length));
  }
  return Decoration.set(ranges, true);
}

/** An editor; `extensions` are those of its language. */
export class TextEditor extends HTMLElement {
  #view = null;
  #value = "";
  #marks = "";
  #places = "";

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    // CodeMirror says when something was edited; the browser's own events come before it has taken it over.
    this.shadowRoot.addEventListener("input", (event) => event.stopPropagation());
    this.addEventListener("go-to", (event) => this.#goTo(event.detail));
    // Set before this script was there.
    for (const name of ["value", "marks", "places"]) {
      if (Object.hasOwn(this, name)) {
        const early = this[name];
        delete this[name];
        this[name] = early;
      }
    }
  }

  /** What a language adds. */
  extensions() {
    return [];
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
        indentUnit.of("  "), syntaxHighlighting(colours), look, marked, placed, inBody, fixedLines(head, tail), this.extensions(),
        // The page runs the text then; here it would be an empty line.
        Prec.high(keymap.of([{ key: "Mod-a", run: selectBody }, { key: "Mod-Enter", run: () => true }])),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({
          // It takes the focus by itself; axe sees it only so.
          tabindex: "0",
          "aria-label": this.getAttribute("label") ?? "",
          "aria-description": "Tab indents. To leave the editor press Escape, then Tab.",
          spellcheck: this.getAttribute("spell") ?? "false",
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
    this.#view.dispatch({ effects: [setMarks.of(this.#marks), setPlaces.of(this.#places)] });
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
    // Undo takes back what somebody did, and never the text that they began with.
    const untouched = undoDepth(this.#view.state) === 0;
    this.#view.dispatch({
      changes: { from, to: from + before.length, insert: text },
      annotations: [fromPage.of(true), ...(untouched ? [Transaction.addToHistory.of(false)] : [])],
    });
  }

  get marks() {
    return this.#marks;
  }

  set marks(text) {
    this.#marks = text;
    this.#view?.dispatch({ effects: setMarks.of(text) });
  }

  get places() {
    return this.#places;
  }

  set places(text) {
    this.#places = text;
    this.#view?.dispatch({ effects: setPlaces.of(text) });
  }

  #goTo(place) {
    const view = this.#view;
    if (!view) return;
    const [number, column] = String(place).split(":").map(Number);
    const line = view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
    const start = column > 1 ? Math.min(units(line.text, column), line.length) : /^\s*/.exec(line.text)[0].length;
    view.dispatch({
      selection: { anchor: line.from + start },
      effects: EditorView.scrollIntoView(line.from + start, { y: "center" }),
    });
    view.focus();
  }
}
