//! Syntax highlighting for the six languages of the course, as spans with classes.
//!
//! A lexer of our own, one table a language. The usual library, syntect, brings a regular-expression engine and packed
//! Sublime grammars (about a minute of build time on two cores), has no WGSL among them, and its classes are the
//! grammars' scopes, of which a page would use a tenth. What a reader needs told apart in a listing of twenty lines is
//! words of the language, types, calls, numbers, strings and comments, and those a lexer knows.
//!
//! Classes: `hl-k` keyword, `hl-t` type or constant of the language, `hl-f` name that is called or defined, `hl-n`
//! number, `hl-s` string, `hl-c` comment, `hl-a` attribute or decorator, `hl-v` variable of the shell.

use crate::html::escape_into;

/// What the lexer has to know about a language.
struct Language {
    /// Names in a fence's info string; the first is the class.
    names: &'static [&'static str],
    keywords: &'static [&'static str],
    types: &'static [&'static str],
    line_comment: &'static str,
    block_comment: Option<(&'static str, &'static str)>,
    /// Characters that begin and end a string.
    quotes: &'static [char],
    /// Whether a tripled quote begins a string of several lines.
    triple: bool,
    /// Whether a string may go on over the end of the line.
    multiline: bool,
    /// Begins an attribute or decorator.
    attribute: &'static str,
    /// Whether `$name` is a variable.
    variables: bool,
    /// Whether `'a` is a lifetime and only `'a'` a string.
    lifetimes: bool,
}

const PLAIN: Language = Language {
    names: &["text", "txt", "plain"],
    keywords: &[],
    types: &[],
    line_comment: "",
    block_comment: None,
    quotes: &[],
    triple: false,
    multiline: false,
    attribute: "",
    variables: false,
    lifetimes: false,
};

const LANGUAGES: [Language; 7] = [
    Language {
        names: &["python", "py"],
        keywords: &[
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
            "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not",
            "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case",
        ],
        types: &[
            "True", "False", "None", "self", "int", "float", "str", "bool", "bytes", "list", "dict", "tuple", "set",
        ],
        line_comment: "#",
        quotes: &['"', '\''],
        triple: true,
        attribute: "@",
        ..PLAIN
    },
    Language {
        names: &["rust", "rs"],
        keywords: &[
            "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "fn",
            "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
            "static", "struct", "super", "trait", "type", "unsafe", "use", "where", "while",
        ],
        types: &[
            "true", "false", "Self", "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16",
            "i32", "i64", "i128", "isize", "f32", "f64", "String", "Vec", "Option", "Result", "Some", "None", "Ok",
            "Err", "Box",
        ],
        line_comment: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &['"'],
        multiline: true,
        attribute: "#[",
        lifetimes: true,
        ..PLAIN
    },
    Language {
        names: &["c"],
        keywords: &[
            "break", "case", "const", "continue", "default", "do", "else", "enum", "extern", "for", "if", "return",
            "sizeof", "static", "struct", "switch", "typedef", "union", "while",
        ],
        types: &["NULL", "char", "double", "float", "int", "long", "short", "signed", "size_t", "unsigned", "void"],
        line_comment: "//",
        block_comment: Some(("/*", "*/")),
        quotes: &['"', '\''],
        attribute: "#",
        ..PLAIN
    },
    Language {
        names: &["wgsl"],
        keywords: &[
            "alias",
            "break",
            "case",
            "const",
            "const_assert",
            "continue",
            "continuing",
            "default",
            "diagnostic",
            "discard",
            "else",
            "enable",
            "fn",
            "for",
            "if",
            "let",
            "loop",
            "override",
            "requires",
            "return",
            "struct",
            "switch",
            "var",
            "while",
        ],
        types: &[
            "true",
            "false",
            "bool",
            "i32",
            "u32",
            "f32",
            "f16",
            "vec2",
            "vec3",
            "vec4",
            "vec2f",
            "vec3f",
            "vec4f",
            "vec2u",
            "vec3u",
            "vec4u",
            "vec2i",
            "vec3i",
            "vec4i",
            "vec2h",
            "vec3h",
            "vec4h",
            "mat2x2",
            "mat3x3",
            "mat4x4",
            "mat2x2f",
            "mat3x3f",
            "mat4x4f",
            "array",
            "atomic",
            "ptr",
            "function",
            "private",
            "workgroup",
            "uniform",
            "storage",
            "read",
            "write",
            "read_write",
            "sampler",
            "texture_2d",
            "texture_storage_2d",
        ],
        line_comment: "//",
        block_comment: Some(("/*", "*/")),
        attribute: "@",
        ..PLAIN
    },
    Language {
        names: &["bash", "sh", "shell"],
        keywords: &[
            "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
            "function", "return", "export", "local", "set", "unset", "source", "exit", "echo", "cd",
        ],
        types: &[],
        line_comment: "#",
        quotes: &['"', '\''],
        multiline: true,
        variables: true,
        ..PLAIN
    },
    Language { names: &["json"], types: &["true", "false", "null"], quotes: &['"'], ..PLAIN },
    PLAIN,
];

/// Every name that a fence may have.
pub(crate) fn names() -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|l| l.names.iter().copied()).collect()
}

/// The class name and the highlighted HTML of `code`; `None` for an unknown language.
pub(crate) fn highlight(name: &str, code: &str) -> Option<(&'static str, String)> {
    let language = LANGUAGES.iter().find(|l| l.names.contains(&name))?;
    let mut out = String::with_capacity(code.len() * 2);
    let mut rest = code;
    let mut before = '\n';
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(language, rest, before);
        // Progress is certain even if a table is wrong.
        let length = if length == 0 { first.len_utf8() } else { length };
        let (text, tail) = rest.split_at(length);
        if class.is_empty() {
            escape_into(&mut out, text);
        } else {
            out.push_str("<span class=\"hl-");
            out.push_str(class);
            out.push_str("\">");
            escape_into(&mut out, text);
            out.push_str("</span>");
        }
        before = text.chars().next_back().unwrap_or(before);
        rest = tail;
    }
    Some((language.names[0], out))
}

/// The class (empty for none) and the length of the token at the beginning of `text`.
fn token(language: &Language, text: &str, before: char) -> (&'static str, usize) {
    let Some(first) = text.chars().next() else { return ("", 0) };
    let to_line_end = || text.find('\n').unwrap_or(text.len());
    if !language.line_comment.is_empty() && text.starts_with(language.line_comment) {
        // `$#` and `a#b` are not comments of a shell.
        if !language.variables || before.is_whitespace() {
            return if is_attribute(language, text) { ("a", attribute_length(text)) } else { ("c", to_line_end()) };
        }
    }
    if let Some((open, close)) = language.block_comment
        && let Some(body) = text.strip_prefix(open)
    {
        return ("c", body.find(close).map_or(text.len(), |i| open.len() + i + close.len()));
    }
    if is_attribute(language, text) {
        return ("a", attribute_length(text));
    }
    if language.lifetimes && first == '\'' {
        return character_or_lifetime(text);
    }
    if language.quotes.contains(&first) {
        return ("s", string_length(language, text, first));
    }
    if language.variables && first == '$' {
        return variable(text);
    }
    if first.is_ascii_digit() {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))).unwrap_or(text.len());
        // `1e-3` goes on after its sign, `0..n` does not go on after its first number.
        let number = &text[..text[..end].find("..").unwrap_or(end)];
        let signed =
            number.ends_with(['e', 'E']) && !number.starts_with("0x") && text[number.len()..].starts_with(['-', '+']);
        let more = if signed {
            let digits = &text[number.len() + 1..];
            1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())
        } else {
            0
        };
        return ("n", number.len() + more);
    }
    if first.is_alphabetic() || first == '_' {
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        let word = &text[..end];
        // A string with a prefix: f"…", rb'…'.
        if language.triple && word.len() <= 2 && word.chars().all(|c| "rbfuRBFU".contains(c)) {
            let quote = text[end..].chars().next().filter(|c| language.quotes.contains(c));
            if let Some(quote) = quote {
                return ("s", end + string_length(language, &text[end..], quote));
            }
        }
        let called = text[end..].starts_with('(') || (language.lifetimes && text[end..].starts_with("!("));
        let class = if language.keywords.contains(&word) {
            "k"
        } else if language.types.contains(&word) {
            "t"
        } else if called {
            "f"
        } else {
            ""
        };
        return (class, end);
    }
    ("", first.len_utf8())
}

fn is_attribute(language: &Language, text: &str) -> bool {
    let Some(after) = text.strip_prefix(language.attribute).filter(|_| !language.attribute.is_empty()) else {
        return false;
    };
    language.attribute.ends_with('[') || after.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn attribute_length(text: &str) -> usize {
    if text.starts_with("#[") || text.starts_with("#!") {
        return text.find(']').map_or(text.len(), |i| i + 1);
    }
    text[1..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).map_or(text.len(), |i| i + 1)
}

fn string_length(language: &Language, text: &str, quote: char) -> usize {
    let tripled: String = [quote; 3].iter().collect();
    if language.triple && text.starts_with(&tripled) {
        return text[3..].find(&tripled).map_or(text.len(), |i| i + 6);
    }
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' if !language.multiline => return i,
            c if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn character_or_lifetime(text: &str) -> (&'static str, usize) {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => {
            ("s", text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(text.len(), |(i, _)| i + 3))
        }
        (Some(_), Some((i, '\''))) => ("s", i + 1),
        _ => {
            let end = text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |i| i + 1);
            ("t", end)
        }
    }
}

fn variable(text: &str) -> (&'static str, usize) {
    if text.starts_with("${") {
        return ("v", text.find('}').map_or(text.len(), |i| i + 1));
    }
    let end = text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |i| i + 1);
    if end > 1 { ("v", end) } else { ("", 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(language: &str, code: &str) -> String {
        let (_, html) = highlight(language, code).expect("a known language");
        html.replace("<span class=\"hl-", "‹").replace("</span>", "›").replace("\">", ":")
    }

    #[test]
    fn each_language_has_its_words() {
        let cases = [
            (
                "python",
                "@torch.no_grad\ndef f(x): # no\n  return rb'a\\'b' + 1e-3",
                "‹a:@torch.no_grad›\n‹k:def› ‹f:f›(x): ‹c:# no›\n  ‹k:return› ‹s:rb'a\\'b'› + ‹n:1e-3›",
            ),
            ("py", "'''a\nb''' None", "‹s:'''a\nb'''› ‹t:None›"),
            (
                "rust",
                "#[test]\nfn f<'a>(c: char) { '\\'' 'x' /* a */ 0..10 }",
                "‹a:#[test]›\n‹k:fn› f&lt;‹t:'a›&gt;(c: ‹t:char›) &#123; ‹s:'\\''› ‹s:'x'› ‹c:/* a */› ‹n:0›..‹n:10› &#125;",
            ),
            (
                "c",
                "#pragma omp parallel\nfor (long i = 0;;) sum += x[i]; // a",
                "‹a:#pragma› omp parallel\n‹k:for› (‹t:long› i = ‹n:0›;;) sum += x[i]; ‹c:// a›",
            ),
            (
                "wgsl",
                "@compute fn main(@builtin(x) a: vec3<u32>) {}",
                "‹a:@compute› ‹k:fn› ‹f:main›(‹a:@builtin›(x) a: ‹t:vec3›&lt;‹t:u32›&gt;) &#123;&#125;",
            ),
            (
                "bash",
                "export A=\"$B\" # c\necho $A ${B} $# x#y",
                "‹k:export› A=‹s:&quot;$B&quot;› ‹c:# c›\n‹k:echo› ‹v:$A› ‹v:$&#123;B&#125;› $# x#y",
            ),
            ("json", "{\"a\": [1.5, true]}", "&#123;‹s:&quot;a&quot;›: [‹n:1.5›, ‹t:true›]&#125;"),
        ];
        for (language, code, expected) in cases {
            assert_eq!(lexed(language, code), expected, "{language}");
        }
        assert!(highlight("cobol", "").is_none());
    }

    proptest::proptest! {
        #[test]
        fn no_code_panics_or_is_lost(code in "\\PC{0,80}", odd in "['\"\\\\$#@/*\\n{a1é ]{0,40}") {
            for name in names() {
                for code in [&code, &odd] {
                    let (_, html) = highlight(name, code).expect("a known language");
                    let mut text = String::new();
                    for piece in html.split('<') {
                        text.push_str(piece.split_once('>').map_or(piece, |(_, t)| t));
                    }
                    assert_eq!(text, crate::html::escape(code));
                }
            }
        }
    }
}
