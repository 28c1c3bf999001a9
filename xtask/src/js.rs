//! Shortens the JavaScript that wasm-bindgen and the splitter write, without understanding much of it.

/// Removes comments on lines of their own, indentation and empty lines. Text with a template literal over several
/// lines, where those would mean something, is returned as it is.
pub(crate) fn shorten(js: &str) -> String {
    if js.lines().any(|line| line.matches('`').count() % 2 == 1) {
        return js.to_owned();
    }
    let mut out = String::with_capacity(js.len());
    let mut comment = false;
    for line in js.lines().map(str::trim) {
        let opens = line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/"));
        if comment || opens {
            comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn comments_and_indentation_go() {
        let js = "/* tslint */\nimport a from 'b';\n\n/**\n * @returns {number}\n */\nfunction f() {\n    // why\n    \
                  return `x/${y}`; // stays\n}\n/* x */ g();\n";
        assert_eq!(shorten(js), "import a from 'b';\nfunction f() {\nreturn `x/${y}`; // stays\n}\n/* x */ g();\n");
    }

    #[test]
    fn a_template_over_several_lines_is_left_alone() {
        let js = "const a = `\n   // text\n`;\n";
        assert_eq!(shorten(js), js);
    }
}
