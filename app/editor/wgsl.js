// WGSL for CodeMirror: what a reader needs told apart, and how deep a line is indented. The classes of words are those of
// content/src/markdown/highlight.rs.
import { StreamLanguage } from "@codemirror/language";

const words = (text) => new Set(text.split(" "));
const KEYWORDS = words(
  "alias break case const const_assert continue continuing default diagnostic discard else enable fn for if let loop override requires return struct switch var while",
);
const TYPES = words(
  "true false bool i32 u32 f32 f16 vec2 vec3 vec4 vec2f vec3f vec4f vec2u vec3u vec4u vec2i vec3i vec4i array atomic ptr function private workgroup uniform storage read write read_write",
);

function token(stream, state) {
  if (state.comment > 0) {
    while (!stream.eol() && state.comment > 0) {
      if (stream.match("*/")) state.comment--;
      else if (stream.match("/*")) state.comment++;
      else stream.next();
    }
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match("/*")) {
    state.comment = 1;
    return "comment";
  }
  if (stream.match(/^@\w+/)) return "meta";
  if (stream.match(/^(0[xX][\da-fA-F]+[iu]?|\d+\.?\d*([eE][+-]?\d+)?[iufh]?|\.\d+([eE][+-]?\d+)?[fh]?)/)) return "number";
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
  if (word) {
    if (KEYWORDS.has(word[0])) return "keyword";
    if (TYPES.has(word[0])) return "typeName";
    return stream.match(/^\s*\(/, false) ? "variableName.function" : null;
  }
  const character = stream.next();
  if (character === "{") state.depth++;
  if (character === "}") state.depth = Math.max(0, state.depth - 1);
  return null;
}

export const wgsl = StreamLanguage.define({
  name: "wgsl",
  startState: () => ({ comment: 0, depth: 0 }),
  copyState: (state) => ({ ...state }),
  token,
  indent: (state, after, context) => (state.depth - (/^\s*\}/.test(after) ? 1 : 0)) * context.unit,
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{"] }, indentOnInput: /^\s*\}$/ },
});
