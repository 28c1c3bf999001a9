//! Kernels are written with loops over names, which are unrolled here: WGSL has arrays that are indexed at run time, which
//! few compilers keep in registers, and no other way to say "sixteen sums".
//!
//! A line `//# for r in 0..ROWS` starts what is repeated up to `//# end`, with `$(r)` replaced by each number in turn; the
//! bounds are numbers or names of constants, and `$(ROWS)` stands for a constant anywhere.

/// A name and what stands for it.
pub type Constant = (&'static str, String);

/// A number as a constant.
pub fn number(name: &'static str, value: u64) -> Constant {
    (name, value.to_string())
}

/// The WGSL that `template` says. What is not known stays as it is, for the compiler to complain about.
pub fn expand(template: &str, constants: &[Constant]) -> String {
    let lines: Vec<&str> = template.lines().collect();
    let mut names: Vec<(&str, String)> = constants.iter().map(|(name, text)| (*name, text.clone())).collect();
    let mut out = String::with_capacity(template.len() * 2);
    block(&lines, &mut names, &mut out);
    out
}

fn block<'a>(mut lines: &[&'a str], names: &mut Vec<(&'a str, String)>, out: &mut String) {
    while let [line, rest @ ..] = lines {
        lines = rest;
        let Some((name, from, to)) = loop_of(line) else {
            replace(line, names, out);
            out.push('\n');
            continue;
        };
        let end = end_of(rest);
        let (body, after) = (&rest[..end], rest.get(end + 1..).unwrap_or_default());
        for i in bound(from, names)..bound(to, names) {
            names.push((name, i.to_string()));
            block(body, names, out);
            names.pop();
        }
        lines = after;
    }
}

/// `//# for r in 0..ROWS`
///
/// Here and below one character at a time is looked for: the search for texts would be a twentieth of the worker.
fn loop_of(line: &str) -> Option<(&str, &str, &str)> {
    let (name, range) = line.trim_ascii().strip_prefix("//# for ")?.split_once(' ')?;
    let (from, to) = range.strip_prefix("in ")?.split_once('.')?;
    Some((name, from, to.strip_prefix('.')?))
}

/// Where the loop ends whose body starts these lines.
fn end_of(lines: &[&str]) -> usize {
    let mut open = 1;
    for (i, line) in lines.iter().enumerate() {
        if loop_of(line).is_some() {
            open += 1;
        } else if line.trim_ascii() == "//# end" {
            open -= 1;
            if open == 0 {
                return i;
            }
        }
    }
    lines.len()
}

fn bound(text: &str, names: &[(&str, String)]) -> u32 {
    value(text, names).unwrap_or(text).parse().unwrap_or(0)
}

fn value<'a>(name: &str, names: &'a [(&str, String)]) -> Option<&'a str> {
    names.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
}

fn replace(line: &str, names: &[(&str, String)], out: &mut String) {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let known = after.strip_prefix('(').and_then(|hole| hole.split_once(')'));
        match known.and_then(|(name, tail)| Some((value(name, names)?, tail))) {
            Some((text, tail)) => {
                out.push_str(text);
                rest = tail;
            }
            None => {
                out.push('$');
                rest = after;
            }
        }
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_unrolled_and_names_replaced() {
        let template = "a $(N)\n//# for r in 0..N\n//# for c in 1..3\n$(r)_$(c)u\n//# end\n//# end\nz $(unknown)";
        let text = expand(template, &[number("N", 2)]);
        assert_eq!(text, "a 2\n0_1u\n0_2u\n1_1u\n1_2u\nz $(unknown)\n");
    }

    #[test]
    fn what_is_not_closed_ends_with_the_text() {
        assert_eq!(expand("//# for r in 0..2\nx$(r)", &[]), "x0\nx1\n");
        assert_eq!(expand("//# for r in 0..MANY\nx\n//# end\ny", &[]), "y\n");
    }
}
