//! A course as an IMS Common Cartridge 1.1, which a platform imports whole: a module for each session, with links into the site and the
//! session's quiz. 1.1 is the newest version that both Moodle and Canvas read.
//!
//! The cartridge's profile of QTI 1.2 has choices, texts and essays, but no numbers, orders or pairs. A number becomes a choice between
//! the answer and the wrong numbers that the author foresaw, so their diagnoses come along; with fewer than two of those, a text. Pairs
//! become a choice for each left-hand side, and an order a choice of each item's place.

use serde::{Deserialize, Serialize};

use super::canvas::{feedback, material};
use super::markup::escaped;
use super::{
    Answer, File, Foreseen, Form, Lost, Missing, Pool, Question, as_pairs, collected, for_graders, scrambled, shown,
    written,
};

/// A course to be taught.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// Plain text.
    pub title: String,
    /// For whom it is: HTML.
    pub about: String,
    /// In order.
    pub sessions: Vec<Session>,
}

/// A session: a module of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// When it is and what it is about: plain text.
    pub title: String,
    /// What it is for: HTML.
    pub aim: String,
    /// What is marked, with its marks.
    pub marks: Vec<(String, u64)>,
    /// In order.
    pub links: Vec<Link>,
    /// Marked by the platform. It is made where the course is exported.
    #[serde(skip)]
    pub quiz: Option<Quiz>,
}

/// A link into the site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Plain text.
    pub title: String,
    /// The whole address, without `&`: Moodle's importer writes it into XML as it is.
    pub url: String,
    /// Whether learners don't see it.
    pub hidden: bool,
}

/// A quiz.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quiz {
    /// Plain text.
    pub title: String,
    /// Its exercises. The first variant of each is asked.
    pub pools: Vec<Pool>,
}

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The page with the whole plan.
const PLAN: &str = "plan.html";
/// Of a choice's options, at least so many: with fewer the profile has no choice of one.
const LEAST: usize = 3;
/// The most that an item of a quiz may weigh.
const MOST_WEIGHT: usize = 99;
/// What an exercise weighs where its parts don't divide a common weight up to [`MOST_WEIGHT`].
const USUAL_WEIGHT: usize = 60;

/// The cartridge's files.
pub fn write(course: &Course) -> Vec<File> {
    let (mut files, mut modules, mut resources) = (Vec::new(), String::new(), String::new());
    let mut add = |id: &str, kind: &str, more: &str, path: String, text: String| {
        resources.push_str(&format!(
            "<resource identifier=\"{id}\" type=\"{kind}\"{more}<file href=\"{path}\"/></resource>\n"
        ));
        files.push(File { path, text });
    };
    let entry = |id: &str, title: &str| {
        format!("<item identifier=\"item-{id}\" identifierref=\"{id}\"><title>{}</title></item>\n", escaped(title))
    };
    let module = |number: usize, title: &str, entries: &str| {
        format!("<item identifier=\"module-{number}\"><title>{}</title>\n{entries}</item>\n", escaped(title))
    };
    add("plan", "webcontent", &format!(" href=\"{PLAN}\">"), PLAN.into(), plan(course));
    modules.push_str(&module(0, "About the course", &entry("plan", "The plan")));
    for (i, session) in course.sessions.iter().enumerate() {
        let number = i + 1;
        let mut entries = String::new();
        for (j, link) in session.links.iter().enumerate() {
            let id = format!("link-{number}-{}", j + 1);
            add(&id, "imswl_xmlv1p1", whose(link.hidden), format!("links/{id}.xml"), web_link(link));
            entries.push_str(&entry(&id, &link.title));
        }
        let quiz = session.quiz.as_ref().and_then(|quiz| Some((quiz, assessment(number, quiz)?)));
        if let Some((quiz, text)) = quiz {
            let id = format!("quiz-{number}");
            let kind = "imsqti_xmlv1p2/imscc_xmlv1p1/assessment";
            add(&id, kind, ">", format!("quizzes/{id}.xml"), text);
            entries.push_str(&entry(&id, &quiz.title));
        }
        modules.push_str(&module(number, &session.title, &entries));
    }
    let manifest = format!(
        "{XML}<manifest xmlns=\"http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1\" \
         xmlns:lomimscc=\"http://ltsc.ieee.org/xsd/imsccv1p1/LOM/manifest\" \
         xmlns:lom=\"http://ltsc.ieee.org/xsd/imsccv1p1/LOM/resource\" identifier=\"ringside\">\n\
         <metadata><schema>IMS Common Cartridge</schema><schemaversion>1.1.0</schemaversion><lomimscc:lom><lomimscc:general>\
         <lomimscc:title><lomimscc:string>{}</lomimscc:string></lomimscc:title></lomimscc:general></lomimscc:lom></metadata>\n\
         <organizations><organization identifier=\"organization\" structure=\"rooted-hierarchy\"><item identifier=\"root\">\n{modules}\
         </item></organization></organizations>\n<resources>\n{resources}</resources>\n</manifest>\n",
        escaped(&course.title)
    );
    files.insert(0, File { path: "imsmanifest.xml".into(), text: manifest });
    files
}

/// What a cartridge doesn't hold of these exercises. `missing` are those that couldn't be exported at all, by title.
pub fn lost(pools: &[Pool], missing: &[(String, Missing)]) -> Vec<Lost> {
    collected(pools, missing, 1, |question| {
        let mut lost = Vec::new();
        let shapes: Vec<Shape> = items(question).into_iter().map(|item| item.shape).collect();
        match (&question.form, shapes.as_slice()) {
            (Form::Number { .. }, [Shape::One(_)]) => {
                lost.push("Asked as a choice between the answer and the wrong numbers that the page foresees.");
            }
            (Form::Number { .. }, _) => {
                lost.push(
                    "Answered as text: the platform compares it letter by letter with the ways to write the number.",
                );
            }
            (Form::Order { .. }, _) => {
                lost.push("Each item is a question of its own, whose answer is the item’s place.");
            }
            (Form::Match { .. }, _) => lost.push("Each pair is a question of its own."),
            (_, [Shape::Several(_)]) => lost.push("What the page says to each option stands in the general feedback."),
            _ => {}
        }
        if !question.hints.is_empty() {
            lost.push("Hints are left out.");
        }
        if question.picture.is_some() {
            lost.push("The figure under the question is left out.");
        }
        lost
    })
}

/// What closes the tag of a resource, and says if it is for whoever teaches.
fn whose(hidden: bool) -> &'static str {
    if hidden {
        "><metadata><lom:lom><lom:educational><lom:intendedEndUserRole><lom:source>IMSGLC_CC_Rolesv1p1</lom:source>\
         <lom:value>Instructor</lom:value></lom:intendedEndUserRole></lom:educational></lom:lom></metadata>"
    } else {
        ">"
    }
}

fn web_link(link: &Link) -> String {
    format!(
        "{XML}<webLink xmlns=\"http://www.imsglobal.org/xsd/imsccv1p1/imswl_v1p1\">\n<title>{}</title>\n\
         <url href=\"{}\" target=\"_blank\"/>\n</webLink>\n",
        escaped(&link.title),
        escaped(&link.url)
    )
}

/// Every session with its aim and marks.
fn plan(course: &Course) -> String {
    let session = |session: &Session| {
        let marks: Vec<String> = session.marks.iter().map(|(what, marks)| format!("{what} {marks}")).collect();
        let marks =
            if marks.is_empty() { String::new() } else { format!("<p>Marks: {}</p>", escaped(&marks.join(", "))) };
        format!("<h2>{}</h2>\n<p>{}</p>\n{marks}\n", escaped(&session.title), super::xhtml(&session.aim))
    };
    let sessions: String = course.sessions.iter().map(session).collect();
    let title = escaped(&course.title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n\
         <p>{}</p>\n{sessions}</body></html>\n",
        super::xhtml(&course.about)
    )
}

/// What an item asks for. Of each choice, in the order in which it is shown.
enum Shape {
    /// One option, each with what is said to it.
    One(Vec<Answer>),
    /// All that are right.
    Several(Vec<Answer>),
    /// One of these texts; others have something said to them.
    Text { right: Vec<String>, wrong: Vec<(Vec<String>, String)> },
    /// A text that a person marks.
    Essay,
}

/// A question as the profile has it. Texts are HTML.
struct Item {
    id: String,
    title: String,
    prompt: String,
    shape: Shape,
    /// What is said to everybody.
    general: String,
    /// What it counts, next to a question that is a single point.
    points: usize,
}

/// A quiz, unless nothing is asked in it.
fn assessment(number: usize, quiz: &Quiz) -> Option<String> {
    let asked: Vec<Vec<Item>> = quiz.pools.iter().filter_map(|pool| pool.variants.first()).map(items).collect();
    let weight = common_weight(asked.iter().map(Vec::len));
    let items: String = asked
        .iter()
        .flat_map(|parts| {
            let parts_in = parts.len().max(1);
            let each = ((2 * weight + parts_in) / (2 * parts_in)).max(1);
            parts.iter().map(move |item| item.written(each.saturating_mul(item.points)))
        })
        .collect();
    if items.is_empty() {
        return None;
    }
    let field = |label: &str, entry: &str| {
        format!("<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>")
    };
    Some(format!(
        "{XML}<questestinterop xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\">\n<assessment ident=\"quiz-{number}\" title=\"{}\">\n\
         <qtimetadata>{}{}{}</qtimetadata>\n<section ident=\"section-{number}\">\n{items}</section>\n</assessment>\n</questestinterop>\n",
        escaped(&quiz.title),
        field("cc_profile", "cc.exam.v0p1"),
        field("qmd_assessmenttype", "Examination"),
        field("cc_maxattempts", "1"),
    ))
}

/// What an exercise weighs, so that it weighs as much in one part as in several.
fn common_weight(parts: impl Iterator<Item = usize>) -> usize {
    let divisor = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let both = |weight: usize, parts: usize| weight / divisor(weight, parts) * parts;
    let weight = parts.filter(|parts| *parts > 0).fold(1, |weight, parts| both(weight.min(MOST_WEIGHT + 1), parts));
    if weight > MOST_WEIGHT { USUAL_WEIGHT } else { weight }
}

/// What a question comes to.
fn items(q: &Question) -> Vec<Item> {
    let item = |more: &str, shape: Shape| Item {
        id: q.id.clone(),
        title: q.title.clone(),
        prompt: format!("{}{more}", q.prompt),
        shape,
        general: q.solution.clone(),
        points: q.form.points(),
    };
    let choice =
        |options: Vec<Answer>| if options.len() < LEAST { Shape::Several(options) } else { Shape::One(options) };
    let each = |ask: &str, pairs: &[[String; 2]], extra: &[String]| {
        let mut right: Vec<&String> = pairs.iter().map(|pair| &pair[1]).chain(extra).collect();
        right.sort_by_key(|text| (text.len(), *text));
        right.dedup();
        let one = |(i, pair): (usize, &[String; 2])| {
            let options =
                right.iter().map(|text| Answer { text: (*text).clone(), right: **text == pair[1], say: String::new() });
            let mut item = item(&format!("<p>{ask}</p>{}", pair[0]), choice(options.collect()));
            item.id = format!("{}-{}", q.id, i + 1);
            item.title = format!("{} ({})", q.title, i + 1);
            item
        };
        pairs.iter().enumerate().map(one).collect()
    };
    match &q.form {
        Form::Number { value, tolerance, unit, mistakes } => {
            let (more, shape) = number(*value, *tolerance, unit, mistakes);
            vec![item(&more, shape)]
        }
        Form::Choice { several, options } => {
            let texts: Vec<&String> = options.iter().map(|o| &o.text).collect();
            let options: Vec<Answer> =
                scrambled(&texts).into_iter().filter_map(|(i, _)| options.get(i).cloned()).collect();
            vec![item("", if *several { Shape::Several(options) } else { choice(options) })]
        }
        Form::Order { items } => each("What place does this item take, counting from 1?", &as_pairs(items), &[]),
        Form::Match { pairs, extra } => each("What belongs to this?", pairs, extra),
        Form::Essay { rubric, model, weak } => {
            let mut item = item("", Shape::Essay);
            item.general = format!("{}{}", for_graders(rubric, model, weak), item.general);
            vec![item]
        }
    }
}

/// A number as a choice, least first, or as a text with what more is to be said in the prompt.
fn number(value: f64, tolerance: f64, unit: &str, mistakes: &[Foreseen]) -> (String, Shape) {
    let option =
        |value: f64, right: bool, say: &str| (value, Answer { text: shown(value, unit), right, say: say.into() });
    let mut options = vec![option(value, true, "")];
    for mistake in mistakes {
        let wrong = option(mistake.value, false, &mistake.say);
        if options.iter().all(|(_, other)| other.text != wrong.1.text) {
            options.push(wrong);
        }
    }
    if options.len() >= LEAST {
        options.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        return (String::new(), Shape::One(options.into_iter().map(|(_, option)| option).collect()));
    }
    let right = spellings(value, tolerance);
    let (digits, shortest) = right.first().cloned().unwrap_or_else(|| (12, written(value)));
    let more = if shortest == written(value) {
        "<p>Write the number alone, without commas.</p>".to_owned()
    } else {
        format!("<p>Write the number alone, without commas, rounded to {digits} significant digits or more.</p>")
    };
    let texts = |spellings: Vec<(usize, String)>| spellings.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    let wrong = mistakes.iter().map(|m| (texts(spellings(m.value, m.tolerance)), m.say.clone())).collect();
    (more, Shape::Text { right: texts(right), wrong })
}

/// The ways to write a number within its tolerance, rounded to ever more digits, each with their number.
fn spellings(value: f64, tolerance: f64) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    for digits in 1..=12 {
        let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
        let text = written(rounded);
        let near = (rounded - value).abs() <= tolerance || text == written(value);
        if near && all.iter().all(|(_, other)| *other != text) {
            all.push((digits, text));
        }
    }
    all
}

impl Item {
    fn written(&self, weight: usize) -> String {
        let (profile, scored) = match &self.shape {
            Shape::One(_) => ("multiple_choice", "Yes"),
            Shape::Several(_) => ("multiple_response", "Yes"),
            Shape::Text { .. } => ("fib", "Yes"),
            Shape::Essay => ("essay", "No"),
        };
        let mut general = self.general.clone();
        let (presentation, mut conditions, said) = match &self.shape {
            Shape::One(options) => {
                let (conditions, said) = each_said(options.iter().map(|o| (o.right, o.say.as_str())));
                (choices("Single", options), conditions, said)
            }
            Shape::Several(options) => {
                let said: String = options
                    .iter()
                    .filter(|o| !o.say.is_empty())
                    .map(|o| format!("<li>{} {}</li>", o.text, o.say))
                    .collect();
                if !said.is_empty() {
                    general.insert_str(0, &format!("<ul>{said}</ul>"));
                }
                (choices("Multiple", options), all_right(options), String::new())
            }
            Shape::Text { right, wrong } => {
                let (conditions, said) = texts(right, wrong);
                (TEXT.to_owned(), conditions, said)
            }
            Shape::Essay => (TEXT.to_owned(), String::new(), String::new()),
        };
        if !general.is_empty() {
            let shown = "<displayfeedback feedbacktype=\"Response\" linkrefid=\"general_fb\"/>";
            conditions.insert_str(
                0,
                &format!(
                    "<respcondition continue=\"Yes\"><conditionvar><other/></conditionvar>{shown}</respcondition>\n"
                ),
            );
        }
        format!(
            "<item ident=\"{}\" title=\"{}\">\n<itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>\
             cc.{profile}.v0p1</fieldentry></qtimetadatafield><qtimetadatafield><fieldlabel>cc_weighting</fieldlabel><fieldentry>{weight}\
             </fieldentry></qtimetadatafield><qtimetadatafield><fieldlabel>qmd_computerscored</fieldlabel><fieldentry>{scored}\
             </fieldentry></qtimetadatafield></qtimetadata></itemmetadata>\n<presentation>{}{presentation}</presentation>\n\
             <resprocessing><outcomes><decvar maxvalue=\"100\" minvalue=\"0\" varname=\"SCORE\" vartype=\"Decimal\"/></outcomes>\n\
             {conditions}</resprocessing>\n{}{said}</item>\n",
            escaped(&self.id),
            escaped(&self.title),
            material(&self.prompt),
            feedback("general_fb", &general),
        )
    }
}

const TEXT: &str =
    "<response_str ident=\"response1\" rcardinality=\"Single\"><render_fib fibtype=\"String\"/></response_str>";
const RIGHT: &str = "<setvar action=\"Set\" varname=\"SCORE\">100</setvar>";

fn ident(i: usize) -> String {
    format!("option{}", i + 1)
}

fn choices(cardinality: &str, options: &[Answer]) -> String {
    let label = |(i, o): (usize, &Answer)| {
        format!("<response_label ident=\"{}\">{}</response_label>", ident(i), material(&o.text))
    };
    let labels: String = options.iter().enumerate().map(label).collect();
    format!(
        "<response_lid ident=\"response1\" rcardinality=\"{cardinality}\"><render_choice shuffle=\"Yes\">{labels}</render_choice>\
         </response_lid>"
    )
}

/// One condition for each option: whether it is right, and what is said to it.
fn each_said<'a>(options: impl Iterator<Item = (bool, &'a str)>) -> (String, String) {
    let (mut conditions, mut said) = (String::new(), String::new());
    for (i, (right, say)) in options.enumerate() {
        let equal = format!("<varequal respident=\"response1\">{}</varequal>", ident(i));
        conditions.push_str(&condition(&equal, right, &ident(i), say));
        said.push_str(&feedback(&format!("{}_fb", ident(i)), say));
    }
    (conditions, said)
}

/// What follows from `equal`; nothing if it is neither right nor has anything said to it.
fn condition(equal: &str, right: bool, id: &str, say: &str) -> String {
    let set = if right { RIGHT } else { "" };
    let shown = if say.is_empty() {
        String::new()
    } else {
        format!("<displayfeedback feedbacktype=\"Response\" linkrefid=\"{id}_fb\"/>")
    };
    if set.is_empty() && shown.is_empty() {
        return String::new();
    }
    format!("<respcondition continue=\"No\"><conditionvar>{equal}</conditionvar>{set}{shown}</respcondition>\n")
}

/// All right options and no other.
fn all_right(options: &[Answer]) -> String {
    let equal = |(i, o): (usize, &Answer)| {
        let one = format!("<varequal case=\"Yes\" respident=\"response1\">{}</varequal>", ident(i));
        if o.right { one } else { format!("<not>{one}</not>") }
    };
    let equal: String = options.iter().enumerate().map(equal).collect();
    condition(&format!("<and>{equal}</and>"), true, "", "")
}

fn texts(right: &[String], wrong: &[(Vec<String>, String)]) -> (String, String) {
    let any = |texts: &[String]| -> String {
        texts.iter().map(|text| format!("<varequal respident=\"response1\">{}</varequal>", escaped(text))).collect()
    };
    let (mut conditions, mut said) = (condition(&any(right), true, "", ""), String::new());
    for (i, (texts, say)) in wrong.iter().enumerate() {
        let id = format!("mistake{}", i + 1);
        conditions.push_str(&condition(&any(texts), false, &id, say));
        said.push_str(&feedback(&format!("{id}_fb"), say));
    }
    (conditions, said)
}
