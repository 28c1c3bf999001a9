//! Keeps a text in WGSL from looping for ever: nothing else ends a kernel that runs, and no page gets a GPU back that hangs.
//!
//! Every loop counts its laps and breaks after [`LAPS`]; whoever breaks says so in a flag. A loop of `main` counts in a variable of
//! `main`: barriers in it stay in what the compiler knows to be uniform. It counts all laps, however often the loop is begun
//! anew, so that nested loops end too. The loops of all other functions count in one variable of the invocation, so that it
//! does not matter how often they are called. A workgroup that begins when the flag is up ends at once: a million invocations
//! that run to the limit take minutes. Nothing is inserted but within lines, so that lines keep their numbers.

/// Laps of a loop in one invocation, which no right solution needs at the sizes of a check. Mesa's llvmpipe breaks loops off
/// after 65 535 by itself, and says nothing.
pub const LAPS: u32 = 1 << 15;
/// What a guarded text calls.
const CALLS: [&str; 3] = ["atomicLoad", "atomicStore", "workgroupUniformLoad"];

/// A name that a guarded text needs and that `text` declares as something else.
pub fn taken(text: &str) -> Option<&'static str> {
    let tokens = tokens(text);
    let at = |i: usize| tokens.get(i).map_or("", |token| token.text);
    CALLS.into_iter().find(|name| {
        let declares = |i: usize| at(i) == *name && (at(i + 1) != "(" || i > 0 && at(i - 1) == "fn");
        (0..tokens.len()).any(declares)
    })
}

/// `text` with its loops guarded, and the flag bound at `binding`: 1 once a loop was broken.
pub fn guarded(text: &str, binding: usize) -> String {
    // Names that are not in the text.
    let own = |n: u32| format!("ringside{n}");
    let own = (0..=text.len() as u32).map(own).find(|own| !text.contains(own.as_str())).unwrap_or_default();
    let broken = format!("{{ atomicStore(&{own}_endless, 1u); break; }}");
    let tokens = tokens(text);
    // Where something has to be inserted, and what.
    let mut inserts: Vec<(usize, String)> = Vec::new();
    let mut count = 0;
    let mut depth = 0_u32;
    // Where the body of `main` begins, if it is open, and the counters that it needs.
    let mut main: Option<(usize, String)> = None;
    let mut heads: Vec<usize> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => {
                depth += 1;
                if depth == 1 && function(&tokens[..i]) == Some("main") {
                    let stop = format!(
                        " {own}_stop = atomicLoad(&{own}_endless); if (workgroupUniformLoad(&{own}_stop) != 0u) {{ return; }}"
                    );
                    main = Some((token.end, stop));
                }
                if heads.last() == Some(&i) {
                    heads.pop();
                    let name = match &mut main {
                        Some((_, counters)) => {
                            count += 1;
                            counters.push_str(&format!(" var {own}_lap_{count} = 0u;"));
                            format!("{own}_lap_{count}")
                        }
                        None => format!("{own}_laps"),
                    };
                    inserts.push((token.end, format!(" {name}++; if ({name} > {LAPS}u) {broken}")));
                }
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    inserts.extend(main.take());
                }
            }
            "for" | "while" | "loop" => heads.extend(body_of(&tokens, i)),
            _ => {}
        }
    }
    // A function that is not closed is no text that compiles; its counters are declared all the same.
    inserts.extend(main);
    inserts.sort_by_key(|(place, _)| *place);
    let mut out = String::with_capacity(text.len() + 128 * (inserts.len() + 3));
    let mut from = 0;
    for (place, insert) in inserts {
        out.push_str(text.get(from..place).unwrap_or_default());
        out.push_str(&insert);
        from = place;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push_str(&format!(
        "\n@group(0) @binding({binding}) var<storage, read_write> {own}_endless: atomic<u32>; \
         var<workgroup> {own}_stop: u32; var<private> {own}_laps = 0u;\n"
    ));
    out
}

/// A word, or a character that means something here, and where it ends.
struct Token<'a> {
    text: &'a str,
    end: usize,
}

/// What ends a line, and a comment that lasts to its end (WGSL, section 3.2).
const BREAKS: [char; 7] = ['\n', '\u{b}', '\u{c}', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// What is neither space nor comment.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            rest.find(BREAKS).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else {
            let length = if word > 0 { word } else { rest.chars().next().map_or(1, char::len_utf8) };
            let token = rest.get(..length).unwrap_or_default();
            if !token.trim().is_empty() {
                all.push(Token { text: token, end: at + length });
            }
            length
        };
        at += length;
    }
    all
}

/// The length of the block comment that the text begins with; they nest.
fn comment(text: &str) -> usize {
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let step = if rest.starts_with("/*") {
            depth += 1;
            2
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            2
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The name of the function whose head the tokens before a brace are.
fn function<'a>(before: &[Token<'a>]) -> Option<&'a str> {
    let since = before.iter().rposition(|t| matches!(t.text, "}" | ";")).map_or(0, |i| i + 1);
    let head = before.get(since..).unwrap_or_default();
    let keyword = head.iter().position(|t| t.text == "fn")?;
    head.get(keyword + 1).map(|t| t.text)
}

/// The brace that opens the body of the loop whose keyword this is: the first one outside of parentheses.
fn body_of(tokens: &[Token<'_>], keyword: usize) -> Option<usize> {
    let mut open = 0_u32;
    for (i, token) in tokens.iter().enumerate().skip(keyword + 1) {
        match token.text {
            "(" => open += 1,
            ")" => open = open.saturating_sub(1),
            "{" if open == 0 => return Some(i),
            "}" => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> usize {
        guarded(text, 3).matches("atomicStore").count()
    }

    #[test]
    fn every_kind_of_loop_is_guarded_and_nothing_else() {
        assert_eq!(counted("fn main() { for (var i = 0u; i < f((1u)); i++) { while (true) { } } loop { break; } }"), 3);
        assert_eq!(counted("fn main() { // for (;;) { }\n /* while (x) { /* loop { } */ } */ let former = 1; }"), 0);
        assert_eq!(counted("fn f() { loop { break; } }\nfn main() { let loops = 2u; while loops > 1u { break; } }"), 2);
        for end in BREAKS {
            assert_eq!(counted(&format!("fn main() {{ // x{end} loop {{ }}\n }}")), 1, "{end:?}");
        }
    }

    #[test]
    fn loops_of_main_count_in_main_and_others_in_the_invocation() {
        let text = "struct S { n: u32 }\nfn f() -> u32 { loop { break; } return 1u; }\nfn main() { while true { loop { break; } } }";
        let out = guarded(text, 2);
        assert!(out.contains("-> u32 { loop { ringside0_laps++; if (ringside0_laps > 32768u)"), "{out}");
        assert!(out.contains(" return; } var ringside0_lap_1 = 0u; var ringside0_lap_2 = 0u; while true {"), "{out}");
        assert_eq!(out.lines().count(), text.lines().count() + 1, "lines keep their numbers");
    }

    #[test]
    fn no_text_has_the_names_of_the_guard() {
        let out = guarded("fn main() { var ringside0_lap_1 = 0u; loop { ringside1 = 0u; } }", 2);
        assert!(out.contains("ringside2_lap_1++"), "{out}");
        assert_eq!(taken("var<workgroup> w: atomic<u32>; fn main() { atomicStore(&w, 1u); }"), None);
        for text in
            ["fn atomicStore(p: u32) { }", "fn f() { let atomicLoad = 1; }", "var<private> workgroupUniformLoad: u32;"]
        {
            assert!(taken(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_no_wgsl_is_no_trouble() {
        for text in
            ["", "{", "}}}", "for", "loop {", "fn f( { while", "/* /*", "é for ü {", "fn for { loop }", "fn main( {"]
        {
            guarded(text, 0);
            taken(text);
        }
    }
}
