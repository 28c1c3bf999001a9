// What an author tells apart in a chapter: front matter, headings, fences, computed numbers, formulas, links.
import { StreamLanguage } from "@codemirror/language";

function token(stream, state) {
  if (stream.sol()) {
    if (stream.match(/^\+\+\+\s*$/)) {
      state.front = !state.front && !state.text;
      return "meta";
    }
    if (!state.front) state.text = true;
    const fence = stream.match(/^(`{3,}|~{3,})\s*(\S*).*/);
    if (fence) {
      state.fence = state.fence ? "" : fence[1];
      return "meta";
    }
    if (!state.fence && stream.match(/^#{1,6} .*/)) return "keyword";
    if (!state.fence && stream.match(/^> \[![A-Z]+\]/)) return "keyword";
  }
  if (state.front || state.fence) {
    if (stream.match(/^[\w-]+(?=\s*=)/)) return "variableName.function";
    if (stream.match(/^"[^"]*"/) || stream.match(/^-?\d[\d.e+-]*/)) return "number";
    stream.next();
    return null;
  }
  if (stream.match(/^`[^`]*`/) || stream.match(/^\$\$?[^$]*\$\$?/)) return "number";
  if (stream.match(/^\]\([^)]*\)/)) return "variableName.function";
  stream.next();
  return null;
}

export const markdown = StreamLanguage.define({
  name: "chapter",
  startState: () => ({ front: false, text: false, fence: "" }),
  copyState: (state) => ({ ...state }),
  token,
});
