//! GIFT, as `question/format/gift/format.php` of Moodle reads it.

use super::markup::plain_text;
use super::{Form, PLACES, Pool, Question, as_pairs, one_line, share, written};

/// The file.
pub(super) fn write(name: &str, pools: &[Pool]) -> String {
    let mut text = String::new();
    for pool in pools {
        let category = |part: &str| one_line(&part.replace('/', "//"));
        let mut path = format!("$course$/top/Ringside/{}/{}", category(name), category(&pool.chapter));
        if pool.variants.len() > 1 {
            path = format!("{path}/{}", category(&pool.title));
        }
        text.push_str(&format!("$CATEGORY: {path}\n\n"));
        for (title, variant) in pool.titled() {
            text.push_str(&question(&title, variant));
        }
    }
    text
}

fn question(title: &str, q: &Question) -> String {
    let mut prompt = q.prompt.clone();
    let answers = match &q.form {
        Form::Number { value, tolerance, mistakes, .. } => {
            let right = format!("={}:{}#", written(*value), written(*tolerance));
            let wrong =
                mistakes.iter().map(|m| format!("=%0%{}:{}#{}", written(m.value), written(m.tolerance), safe(&m.say)));
            format!("#{right}{}", wrong.collect::<String>())
        }
        Form::Choice { several, options } => {
            let right = options.iter().filter(|o| o.right).count();
            let one = |o: &super::Answer| {
                let sign = match (*several, o.right) {
                    (false, true) => "=".to_owned(),
                    (false, false) => "~".to_owned(),
                    (true, true) => format!("~%{}%", share(right)),
                    (true, false) => format!("~%-{}%", share(options.len() - right)),
                };
                format!("{sign}{}#{}", safe(&o.text), safe(&o.say))
            };
            options.iter().map(one).collect()
        }
        Form::Match { pairs, extra } => {
            let extra = extra.iter().map(|right| ["".to_owned(), right.clone()]);
            matching(&pairs.iter().cloned().chain(extra).collect::<Vec<_>>())
        }
        Form::Order { items } => {
            prompt.push_str(PLACES);
            matching(&as_pairs(items))
        }
        Form::Essay { .. } => String::new(),
    };
    let general = if q.solution.is_empty() { String::new() } else { format!("####{}", safe(&q.solution)) };
    format!("::{}::[html]{} {{{answers}{general}}}\n\n", safe(title), safe(&prompt))
}

fn matching(pairs: &[[String; 2]]) -> String {
    pairs.iter().map(|[left, right]| format!("={} -> {}", safe(&plain_text(left)), safe(&plain_text(right)))).collect()
}

/// In one line, with the characters that GIFT gives a meaning to behind backslashes.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '~' | '=' | '#' | '{' | '}' | ':' => out.extend(['\\', c]),
            // What stands on lines of its own stays there.
            '\n' => out.push_str("\\n"),
            '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out.replace("->", "-&gt;")
}
