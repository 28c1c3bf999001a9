//! LaTeX to MathML.
//!
//! pulldown-latex does the work; this file keeps it from doing what a page must not have: inline styles (the site's
//! Content-Security-Policy ignores them), its own error boxes, and macros, which could expand without end.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Event, Parser, ParserError, Storage, push_mathml};

/// Longest formula and deepest nesting that are tried: the parser is recursive.
const MAX_LENGTH: usize = 2000;
const MAX_DEPTH: usize = 40;

/// Commands that define macros.
const DEFINITIONS: [&str; 8] =
    ["\\def", "\\edef", "\\gdef", "\\xdef", "\\let", "\\futurelet", "\\newcommand", "\\renewcommand"];

/// The elements that a formula may have: those of MathML Core.
const ELEMENTS: [&str; 29] = [
    "annotation",
    "math",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "none",
    "semantics",
];

/// A `<math>` element, or what is wrong with the formula.
pub(crate) fn mathml(latex: &str, display: bool) -> Result<String, String> {
    let latex = latex.trim();
    if latex.is_empty() {
        return Err("This formula is empty.".to_owned());
    }
    if latex.len() > MAX_LENGTH || depth(latex) > MAX_DEPTH {
        return Err(format!(
            "This formula is too long (over {MAX_LENGTH} bytes) or nested too deeply (over {MAX_DEPTH})."
        ));
    }
    if let Some(command) = DEFINITIONS.iter().find(|d| has_command(latex, d)) {
        return Err(format!("A formula cannot define macros: “{command}”."));
    }
    // The library has internal assertions; a formula that meets one is an author's problem, not the build's.
    let rendered = catch_unwind(AssertUnwindSafe(|| render(latex, display)));
    match rendered {
        Ok(Ok(html)) if is_mathml(&html) => Ok(html),
        Ok(Ok(_)) | Err(_) => Err("This formula cannot be rendered as MathML.".to_owned()),
        Ok(Err(message)) => Err(message),
    }
}

fn render(latex: &str, display: bool) -> Result<String, String> {
    let storage = Storage::new();
    let events: Result<Vec<Event<'_>>, ParserError> = Parser::new(latex, &storage).collect();
    let events = events.map_err(|e| {
        let text = e.to_string();
        let cause = text.lines().next().unwrap_or_default().trim_end_matches(':').trim_start_matches("error: ");
        format!("This formula is not LaTeX that can be read: {cause}.")
    })?;
    let mode = if display { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode: mode, ..RenderConfig::default() };
    let mut html = String::new();
    push_mathml(&mut html, events.into_iter().map(Ok::<_, ParserError>), config)
        .map_err(|e| format!("This formula cannot be rendered: {e}."))?;
    let html = without_styles(&html)?;
    Ok(escaped(&html))
}

/// Escapes what the library leaves: `>` outside a tag, and braces, which are the templates' of exercises.
fn escaped(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' if !in_tag => {
                out.push_str("&gt;");
                continue;
            }
            '>' => in_tag = false,
            _ => {}
        }
        match c {
            '{' => out.push_str("&#123;"),
            '}' => out.push_str("&#125;"),
            c => out.push(c),
        }
    }
    out
}

/// Takes out ` style="…"`. What it is used for (colours, negative spaces) has no other form; colours are refused.
fn without_styles(html: &str) -> Result<String, String> {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(" style=\"") {
        let value = &rest[at + 8..];
        let end = value.find('"').unwrap_or(value.len());
        if value[..end].contains("rgb") {
            return Err("A formula cannot have colours of its own.".to_owned());
        }
        out.push_str(&rest[..at]);
        rest = value.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    Ok(out)
}

fn has_command(latex: &str, command: &str) -> bool {
    latex
        .match_indices(command)
        .any(|(i, _)| !latex[i + command.len()..].starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// An upper bound of how deeply groups, environments and arguments nest.
fn depth(latex: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in latex.bytes() {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let commands = |name: &str| latex.matches(name).count();
    deepest + commands("\\begin") + commands("\\left") + commands("\\sqrt") / 2 + commands("\\frac") / 4
}

/// Whether every tag is one of MathML's.
fn is_mathml(html: &str) -> bool {
    html.starts_with("<math")
        && html.split('<').skip(1).all(|tag| {
            let name = tag.trim_start_matches('/');
            let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
            ELEMENTS.contains(&&name[..end])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_nothing_else() {
        let html = mathml(r"\frac{2(n-1)}{n}\,\Psi \cdot 16\text{ bytes} \! x", true).expect("a formula");
        assert!(html.starts_with("<math display=\"block\"") && html.contains("<mfrac>"), "{html}");
        for latex in [
            r"a < b > c \& d",
            r"\text{<script>alert(1)</script>}",
            r"\begin{cases} a & b \\[2pt] c \end{cases}",
            r"\{x\}",
            r"\sqrt[3]{x}",
            r"\begin{aligned} a &= b \\ &= c \end{aligned}",
            r"\mathrm{<img src=x>}",
            r"\operatorname{<b>}",
            r"\left( \sum_{i=1}^{n} x_i \right)",
            r"\underbrace{2\Psi}_{\text{weights}}",
            r"\times \approx \le \ldots \lceil x \rceil \log_2 n \mathcal{O}(n^2)",
        ] {
            if let Ok(html) = mathml(latex, false) {
                assert!(is_mathml(&html) && !html.contains("style=") && !html.contains(['{', '}']), "{latex}: {html}");
            }
        }
    }

    #[test]
    fn broken_formulas_are_messages() {
        for latex in
            ["", "\\frac{1}", "}", "\\nosuchcommand", "\\def\\a{\\a}\\a", "\\textcolor{red}{x}", "\\left(", "$"]
        {
            assert!(mathml(latex, false).is_err(), "{latex}: {:?}", mathml(latex, false));
        }
        for unit in ["{", "\\sqrt", "^", "_", "\\left(", "\\frac", "\\begin{matrix}", "\\text", "a^{", "\\sqrt{"] {
            let _ = mathml(&unit.repeat(MAX_LENGTH / unit.len()), true);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_formula_panics_or_leaves_mathml(latex in "[\\\\{}^_&$ a-d<>\"'#%\\[\\]()0-9]{0,60}") {
            if let Ok(html) = mathml(&latex, true) {
                assert!(is_mathml(&html));
            }
        }
    }
}
