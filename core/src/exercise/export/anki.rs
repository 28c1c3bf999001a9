//! Notes as text, for Anki 2.1.54 and later (<https://docs.ankiweb.net/importing/text-files.html>). A note has an id of its own,
//! by which importing again updates it.

use super::{Form, Pool, Question, right_answer, rounded};

/// The file.
pub(super) fn write(name: &str, pools: &[Pool]) -> String {
    let deck = cell(name);
    let mut text = format!(
        "#separator:tab\n#html:true\n#notetype:Basic\n#deck:Ringside::{}\n#columns:Id\tFront\tBack\tTags\n#guid column:1\n#tags column:4\n",
        deck.replace("::", ":")
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
    let asked = match &q.form {
        Form::Choice { options, .. } => list(options.iter().map(|o| &o.text).collect()),
        Form::Order { items, ends: [first, last] } => {
            let mut items: Vec<&String> = items.iter().collect();
            items.sort();
            format!("<p>In order, from {first} to {last}:</p>{}", list(items))
        }
        Form::Match { pairs, extra } => {
            let mut right: Vec<&String> = pairs.iter().map(|pair| &pair[1]).chain(extra).collect();
            right.sort();
            format!("{}<p>with</p>{}", list(pairs.iter().map(|pair| &pair[0]).collect()), list(right))
        }
        Form::Number { .. } | Form::Essay { .. } => String::new(),
    };
    format!("{}{asked}", q.prompt)
}

fn back(q: &Question) -> String {
    let mistakes: String = match &q.form {
        Form::Number { unit, mistakes, .. } => {
            mistakes.iter().map(|m| format!("<li>{} {unit}: {}</li>", rounded(m.value), m.say)).collect()
        }
        _ => String::new(),
    };
    let mistakes = if mistakes.is_empty() { mistakes } else { format!("<ul>{mistakes}</ul>") };
    format!("{}{}{mistakes}", right_answer(&q.form), q.solution)
}

/// In quotes, so that a cell may hold anything but a tab.
fn cell(text: &str) -> String {
    let text = text.replace('\t', " ").replace('\n', "<br>");
    if text.contains('"') { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
