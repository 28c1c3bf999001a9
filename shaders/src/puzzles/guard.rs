//! Keeps a text in WGSL from looping for ever: nothing else ends a kernel that runs, and no page gets a GPU back that hangs.
//!
//! Every loop counts its laps in a variable of its function and breaks after [`LAPS`]; whoever breaks says so in a flag. A
//! counter counts all laps of its loop, however often the loop is begun anew, so that nested loops end too. Counters are
//! variables of a function and not private ones: barriers in loops stay in what the compiler knows to be uniform. Nothing
//! is inserted but within lines, so that lines keep their numbers.

/// Laps of a loop in one invocation, which no right solution needs at the sizes of a check. Mesa's llvmpipe breaks loops off
/// after 65 535 by itself, and says nothing.
pub const LAPS: u32 = 1 << 15;
/// The flag's variable.
const FLAG: &str = "ringside_endless";

/// `text` with its loops guarded, and the flag bound at `binding`: 1 once a loop was broken. Text without loops is as it
/// was but for the flag's declaration.
pub fn guarded(text: &str, binding: usize) -> String {
    let tokens = tokens(text);
    // Where something has to be inserted, and what.
    let mut inserts: Vec<(usize, String)> = Vec::new();
    let mut count = 0;
    let mut depth = 0_u32;
    // Where the body of the function begins that is open, and the counters that it needs.
    let mut function: Option<(usize, String)> = None;
    let mut heads: Vec<usize> = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => {
                depth += 1;
                if depth == 1 && opens_function(&tokens[..i]) {
                    function = Some((token.end, String::new()));
                }
                if heads.last() == Some(&i) {
                    heads.pop();
                    let name = format!("ringside_lap_{count}");
                    count += 1;
                    if let Some((_, counters)) = &mut function {
                        counters.push_str(&format!(" var {name} = 0u;"));
                    }
                    let check = format!(" {name}++; if ({name} > {LAPS}u) {{ atomicStore(&{FLAG}, 1u); break; }}");
                    inserts.push((token.end, check));
                }
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some((place, counters)) = function.take()
                    && !counters.is_empty()
                {
                    inserts.push((place, counters));
                }
            }
            "for" | "while" | "loop" => heads.extend(body_of(&tokens, i)),
            _ => {}
        }
    }
    // A function that is not closed is no text that compiles; its counters are declared all the same.
    inserts.extend(function.filter(|(_, counters)| !counters.is_empty()));
    inserts.sort_by_key(|(place, _)| *place);
    let mut out = String::with_capacity(text.len() + 128 * (inserts.len() + 1));
    let mut from = 0;
    for (place, insert) in inserts {
        out.push_str(text.get(from..place).unwrap_or_default());
        out.push_str(&insert);
        from = place;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push_str(&format!("\n@group(0) @binding({binding}) var<storage, read_write> {FLAG}: atomic<u32>;\n"));
    out
}

/// A word, or a character that means something here, and where it ends.
struct Token<'a> {
    text: &'a str,
    end: usize,
}

/// What is neither space nor comment.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
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

/// Whether the tokens before a brace are the head of a function.
fn opens_function(before: &[Token<'_>]) -> bool {
    let since = before.iter().rposition(|t| matches!(t.text, "}" | ";")).map_or(0, |i| i + 1);
    before.get(since..).unwrap_or_default().iter().any(|t| t.text == "fn")
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
    }

    #[test]
    fn counters_stand_where_their_function_begins() {
        let text = "struct S { n: u32 }\nfn f() -> u32 { loop { break; } return 1u; }\nfn main() { while true { loop { break; } } }";
        let out = guarded(text, 2);
        assert!(out.contains("-> u32 { var ringside_lap_0 = 0u; loop {"), "{out}");
        assert!(out.contains("main() { var ringside_lap_1 = 0u; var ringside_lap_2 = 0u; while true {"), "{out}");
        assert_eq!(out.lines().count(), text.lines().count() + 1, "lines keep their numbers");
    }

    #[test]
    fn what_is_no_wgsl_is_no_trouble() {
        for text in ["", "{", "}}}", "for", "loop {", "fn f( { while", "/* /*", "é for ü {", "fn for { loop }"] {
            guarded(text, 0);
        }
    }
}
