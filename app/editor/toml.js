// TOML: keys, tables, strings, numbers, comments.
import { StreamLanguage } from "@codemirror/language";

function token(stream, state) {
  if (state.long) {
    if (stream.match(/^.*?"""/)) state.long = false;
    else stream.skipToEnd();
    return "number";
  }
  if (stream.sol() && stream.match(/^\s*\[\[?[\w.-]+\]\]?/)) return "keyword";
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match('"""')) {
    state.long = true;
    return "number";
  }
  if (stream.match(/^"(\\.|[^"\\])*"/) || stream.match(/^'[^']*'/)) return "number";
  if (stream.match(/^[\w-]+(?=\s*=)/)) return "variableName.function";
  if (stream.match(/^(true|false)\b/) || stream.match(/^[+-]?\d[\w.+-]*/)) return "typeName";
  stream.next();
  return null;
}

export const toml = StreamLanguage.define({
  name: "toml",
  startState: () => ({ long: false }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: "#" } },
});
