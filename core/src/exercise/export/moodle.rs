//! Moodle XML, as `question/format/xml/format.php` of Moodle 4.4 and later reads it.

use super::markup::{escaped, plain_text};
use super::{Answer, Form, Pool, Question, for_graders, share, written};

/// The file.
pub(super) fn write(name: &str, pools: &[Pool]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n");
    for pool in pools {
        // A slash separates categories; two stand for one.
        let mut path = ["Ringside", name, &pool.chapter].map(|part| part.replace('/', "//")).join("/");
        if pool.variants.len() > 1 {
            path = format!("{path}/{}", pool.title.replace('/', "//"));
        }
        let category = escaped(&format!("$course$/top/{path}"));
        xml.push_str(&format!("<question type=\"category\"><category><text>{category}</text></category></question>\n"));
        for (title, variant) in pool.titled() {
            xml.push_str(&question(&title, variant));
        }
    }
    xml.push_str("</quiz>\n");
    xml
}

fn html(tag: &str, text: &str) -> String {
    format!("<{tag} format=\"html\"><text>{}</text></{tag}>\n", escaped(text))
}

/// What is asked, with the file of its picture.
fn asked(q: &Question) -> String {
    let name = q.picture_file();
    let file = q
        .picture
        .as_ref()
        .map(|picture| format!("<file name=\"{name}\" path=\"/\" encoding=\"base64\">{}</file>", picture.base64()));
    let text = escaped(&q.prompt_with(&format!("@@PLUGINFILE@@/{name}")));
    format!("<questiontext format=\"html\"><text>{text}</text>{}</questiontext>\n", file.unwrap_or_default())
}

fn question(title: &str, q: &Question) -> String {
    let (kind, body) = match &q.form {
        Form::Number { value, tolerance, unit, mistakes } => {
            let right = answer("100", &written(*value), "", "moodle_auto_format", Some(*tolerance));
            let wrong = mistakes
                .iter()
                .map(|m| answer("0", &written(m.value), &m.say, "moodle_auto_format", Some(m.tolerance)));
            ("numerical", format!("{right}{}{}", wrong.collect::<String>(), units(unit)))
        }
        Form::Choice { several, options } => ("multichoice", choice(*several, options)),
        Form::Order { items } => ("ordering", order(items)),
        Form::Match { pairs, extra } => ("matching", matching(pairs, extra)),
        Form::Essay { rubric, model, weak } => ("essay", essay(rubric, model, weak)),
    };
    let hints: String = q.hints.iter().map(|hint| html("hint", hint)).collect();
    format!(
        "<question type=\"{kind}\">\n<name><text>{}</text></name>\n{}{}<defaultgrade>{}</defaultgrade>\n<penalty>0.1</penalty>\n\
         <hidden>0</hidden>\n<idnumber>{}</idnumber>\n{body}{hints}</question>\n",
        escaped(title),
        asked(q),
        html("generalfeedback", &q.solution),
        q.form.points(),
        escaped(&q.id),
    )
}

fn answer(fraction: &str, text: &str, feedback: &str, format: &str, tolerance: Option<f64>) -> String {
    let tolerance = tolerance.map(|t| format!("<tolerance>{}</tolerance>\n", written(t))).unwrap_or_default();
    format!(
        "<answer fraction=\"{fraction}\" format=\"{format}\">\n<text>{}</text>\n{}{tolerance}</answer>\n",
        escaped(text),
        html("feedback", feedback)
    )
}

/// The unit may be typed behind the number, and costs nothing where it is missing.
fn units(unit: &str) -> String {
    if unit.is_empty() {
        return "<showunits>3</showunits>\n".into();
    }
    format!(
        "<units><unit><multiplier>1</multiplier><unit_name>{}</unit_name></unit></units>\n<unitgradingtype>0</unitgradingtype>\n\
         <unitpenalty>0</unitpenalty>\n<showunits>0</showunits>\n<unitsleft>0</unitsleft>\n",
        escaped(unit)
    )
}

fn choice(several: bool, options: &[Answer]) -> String {
    let right = options.iter().filter(|o| o.right).count();
    let wrong = options.len() - right;
    let all: String = options
        .iter()
        .map(|o| {
            let fraction = match (o.right, several) {
                (true, _) => share(right),
                (false, true) => format!("-{}", share(wrong)),
                (false, false) => "0".to_owned(),
            };
            answer(&fraction, &o.text, &o.say, "html", None)
        })
        .collect();
    format!(
        "<single>{}</single>\n<shuffleanswers>true</shuffleanswers>\n<answernumbering>ABCD</answernumbering>\n{all}",
        !several
    )
}

fn order(items: &[String]) -> String {
    let all: String =
        items.iter().enumerate().map(|(i, item)| answer(&(i + 1).to_string(), item, "", "html", None)).collect();
    format!(
        "<layouttype>VERTICAL</layouttype>\n<selecttype>ALL</selecttype>\n<selectcount>0</selectcount>\n\
         <gradingtype>ABSOLUTE_POSITION</gradingtype>\n<showgrading>SHOW</showgrading>\n<numberingstyle>none</numberingstyle>\n{all}"
    )
}

fn matching(pairs: &[[String; 2]], extra: &[String]) -> String {
    let one = |left: &str, right: &str| {
        let right = escaped(&plain_text(right));
        format!(
            "<subquestion format=\"html\"><text>{}</text><answer><text>{right}</text></answer></subquestion>\n",
            escaped(left)
        )
    };
    let pairs: String = pairs.iter().map(|[left, right]| one(left, right)).collect();
    let extra: String = extra.iter().map(|right| one("", right)).collect();
    format!("<shuffleanswers>true</shuffleanswers>\n{pairs}{extra}")
}

fn essay(rubric: &[String], model: &str, weak: &str) -> String {
    format!(
        "<responseformat>editor</responseformat>\n<responserequired>1</responserequired>\n<responsefieldlines>10</responsefieldlines>\n\
         <attachments>0</attachments>\n<attachmentsrequired>0</attachmentsrequired>\n{}{}",
        html("graderinfo", &for_graders(rubric, model, weak)),
        html("responsetemplate", "")
    )
}
