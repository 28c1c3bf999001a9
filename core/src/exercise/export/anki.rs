//! Notes as text, for Anki 2.1.54 and later (<https://docs.ankiweb.net/importing/text-files.html>). A note has an id of its own,
//! by which importing again updates it.

use super::{Form, Pool, Question, foreseen, one_line, right_answer, scrambled};

/// The file.
pub(super) fn write(name: &str, pools: &[Pool]) -> String {
    // A header has no quotes; two colons begin a deck within a deck.
    let deck = one_line(name).replace("::", ":");
    let mut text = format!(
        "#separator:tab\n#html:true\n#notetype:Basic\n#deck:Ringside::{deck}\n#columns:Id\tFront\tBack\tTags\n#guid column:1\n#tags column:4\n"
    );
    for pool in pools {
        let chapter = pool.key.split('/').next().unwrap_or_default();
        for variant in &pool.variants {
            text.push_str(&format!(
                "ringside-{}\t{}\t{}\tringside ringside::{chapter}\n",
                variant.id,
                cell(&front(variant)),
                cell(&back(variant))
            ));
        }
    }
    text
}

fn front(q: &Question) -> String {
    let list = |items: Vec<&String>| {
        let items: String = items.into_iter().map(|item| format!("<li>{item}</li>")).collect();
        format!("<ul>{items}</ul>")
    };
    let mixed = |items: Vec<&String>| list(scrambled(&items).into_iter().map(|(_, item)| *item).collect());
    let asked = match &q.form {
        Form::Choice { options, .. } => list(options.iter().map(|o| &o.text).collect()),
        Form::Order { items } => mixed(items.iter().collect()),
        Form::Match { pairs, extra } => {
            let right = mixed(pairs.iter().map(|pair| &pair[1]).chain(extra).collect());
            format!("{}<p>with</p>{right}", list(pairs.iter().map(|pair| &pair[0]).collect()))
        }
        Form::Number { .. } | Form::Essay { .. } => String::new(),
    };
    let picture = q.picture.as_ref().map(|picture| format!("data:image/svg+xml;base64,{}", picture.base64()));
    format!("{}{asked}", q.prompt_with(&picture.unwrap_or_default()))
}

fn back(q: &Question) -> String {
    let mistakes: String = match &q.form {
        Form::Number { unit, mistakes, .. } => foreseen(mistakes, unit),
        _ => String::new(),
    };
    let mistakes = if mistakes.is_empty() { mistakes } else { format!("<ul>{mistakes}</ul>") };
    format!("{}{}{mistakes}", right_answer(&q.form), q.solution)
}

/// HTML in one line, in quotes where a cell needs them. A line break is a space, and `<br>` within `<pre>`.
fn cell(html: &str) -> String {
    let flattened = |part: &str| {
        let (flowing, code) = part.split_at(part.find("<pre").unwrap_or(part.len()));
        format!("{}{}", flowing.replace('\n', " "), code.replace('\n', "<br>"))
    };
    let text: String = html.replace('\t', " ").split_inclusive("</pre>").map(flattened).collect();
    if text.contains('"') { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
