//! Tables for spreadsheets: RFC 4180, made safe to open.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, also one that somebody typed as
//! their name. OWASP, "CSV Injection", <https://owasp.org/www-community/attacks/CSV_Injection>, has such a cell begin with an
//! apostrophe, and warns that a program which separates cells by something other than commas sees other beginnings. So
//! an apostrophe goes before each of these characters at the beginning of a cell, and after any character in it that
//! another program may separate at. [`read`] takes the apostrophes away again, one for one.

/// Characters with which a formula begins, full-width ones as well.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
/// Characters after which some program begins a new cell.
const SEPARATORS: [char; 7] = [',', ';', '\t', '\n', '\r', '"', '|'];

/// Writes a table: UTF-8 with the mark by which spreadsheets know it, every cell in quotes, lines ended by CR LF.
pub fn write(rows: &[Vec<String>]) -> String {
    let mut text = String::from('\u{feff}');
    for row in rows {
        for (i, cell) in row.iter().enumerate() {
            text.push_str(if i == 0 { "\"" } else { ",\"" });
            text.push_str(&guard(cell, true).replace('"', "\"\""));
            text.push('"');
        }
        text.push_str("\r\n");
    }
    text
}

/// Reads a table that [`write()`] wrote; any other as well as it can be read.
pub fn read(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut begun = false;
    let mut characters = text.chars().peekable();
    let close = |cell: &mut String| guard(&std::mem::take(cell), false);
    while let Some(c) = characters.next() {
        begun = true;
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(close(&mut cell)),
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            '\n' | '\r' if !quoted => {
                row.push(close(&mut cell));
                rows.push(std::mem::take(&mut row));
                begun = false;
            }
            c => cell.push(c),
        }
    }
    if begun {
        row.push(close(&mut cell));
        rows.push(row);
    }
    rows
}

/// Adds an apostrophe before what begins a formula, or takes one away. Apostrophes that are there already count: where
/// some stand before such a character, there is one more or one fewer.
fn guard(cell: &str, add: bool) -> String {
    let mut text = String::with_capacity(cell.len() + 1);
    let (mut first, mut apostrophes) = (true, 0_usize);
    for c in cell.chars() {
        if first && c == '\'' {
            apostrophes += 1;
            continue;
        }
        if first {
            let formula = FORMULA.contains(&c);
            let n = if !formula {
                apostrophes
            } else if add {
                apostrophes + 1
            } else {
                apostrophes.saturating_sub(1)
            };
            text.extend(std::iter::repeat_n('\'', n));
            // A blank leaves the next character the first; apostrophes before it do not.
            first = c.is_whitespace() && apostrophes == 0;
            apostrophes = 0;
        }
        if SEPARATORS.contains(&c) {
            first = true;
        }
        text.push(c);
    }
    text.extend(std::iter::repeat_n('\'', apostrophes));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(text: &str) -> String {
        write(&[vec![text.to_owned()]]).trim_start_matches('\u{feff}').trim_end().to_owned()
    }

    #[test]
    fn no_cell_begins_a_formula() {
        for (typed, written) in [
            ("480 GB", r#""480 GB""#),
            ("=HYPERLINK(\"http://x\")", r#""'=HYPERLINK(""http://x"")""#),
            ("-3", r#""'-3""#),
            ("+1", r#""'+1""#),
            ("@SUM(A1)", r#""'@SUM(A1)""#),
            (" =1", r#"" '=1""#),
            ("\t=1", "\"\t'=1\""),
            ("＝1", r#""'＝1""#),
            ("'=1", r#""''=1""#),
            // As a program that separates by semicolons or lines would see it.
            ("Ada;=1+1", r#""Ada;'=1+1""#),
            ("a\n=1", "\"a\n'=1\""),
            ("3 - 2", r#""3 - 2""#),
            ("'t Hooft", r#""'t Hooft""#),
            ("Conan O'Brien", r#""Conan O'Brien""#),
        ] {
            assert_eq!(cell(typed), written, "{typed:?}");
        }
    }

    #[test]
    fn other_tables_are_read_too() {
        assert_eq!(read("a,b\n\"c,\"\"d\"\"\",\r\ne"), [vec!["a", "b"], vec!["c,\"d\"", ""], vec!["e"]]);
        assert_eq!(read(""), Vec::<Vec<String>>::new());
        assert_eq!(read("\""), [vec![""]]);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            rows in prop::collection::vec(prop::collection::vec("[ '=+;,@\"\r\n\tab\\-|＝é]{0,8}", 1..5), 0..6),
            wild in prop::collection::vec(any::<String>(), 1..4),
        ) {
            prop_assert_eq!(read(&write(&rows)), rows);
            prop_assert_eq!(read(&write(std::slice::from_ref(&wild))), vec![wild]);
        }

        #[test]
        fn nothing_that_a_program_may_take_for_a_cell_begins_a_formula(text in "[ '=+;,@\"\r\n\tab\\-|＝é]{0,12}") {
            let written = write(&[vec![text]]);
            let pieces = written.trim_start_matches('\u{feff}').split(SEPARATORS);
            for piece in pieces {
                prop_assert!(!piece.trim_start().starts_with(FORMULA), "{:?}", written);
            }
        }

        #[test]
        fn any_text_is_read(text: String) {
            let _ = read(&text);
        }
    }
}
