//! QTI 2.1 (<https://www.imsglobal.org/question/qtiv2p1/imsqti_infov2p1.html>): a content package with an item for each variant and
//! a test that selects one of each exercise.

use super::markup::{escaped, plain_text};
use super::{Answer, File, Foreseen, Form, Pool, Question, for_graders, scrambled, written};

const NAMESPACE: &str = "http://www.imsglobal.org/xsd/imsqti_v2p1";
const SCHEMA: &str = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imsqti_v2p1 \
                      http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\"";
/// The folder of pictures.
const IMAGES: &str = "images";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The package.
pub(super) fn write(name: &str, pools: &[Pool]) -> Vec<File> {
    let mut files = Vec::new();
    let (mut sections, mut resources, mut needs) = (String::new(), String::new(), String::new());
    for (i, pool) in pools.iter().enumerate() {
        let mut refs = String::new();
        for variant in &pool.variants {
            let (id, path) = (format!("item-{}", variant.id), format!("items/{}.xml", variant.id));
            refs.push_str(&format!("<assessmentItemRef identifier=\"{id}\" href=\"{path}\"/>\n"));
            needs.push_str(&format!("<dependency identifierref=\"{id}\"/>"));
            let picture = variant.picture.as_ref().map(|picture| File {
                path: format!("{IMAGES}/{}", variant.picture_file()),
                text: picture.svg.clone(),
            });
            let image = picture.as_ref().map(|file| format!("<file href=\"{}\"/>", file.path)).unwrap_or_default();
            resources.push_str(&format!(
                "<resource identifier=\"{id}\" type=\"imsqti_item_xmlv2p1\" href=\"{path}\"><file href=\"{path}\"/>{image}</resource>\n"
            ));
            files.extend(picture);
            files.push(File { path, text: item(&id, variant) });
        }
        let select = if pool.variants.len() > 1 { "<selection select=\"1\"/>\n" } else { "" };
        sections.push_str(&format!(
            "<assessmentSection identifier=\"section-{}\" title=\"{}\" visible=\"true\">\n{select}{refs}</assessmentSection>\n",
            i + 1,
            escaped(&pool.title)
        ));
    }
    let title = if name.is_empty() { "Ringside" } else { name };
    let test = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assessmentTest xmlns=\"{NAMESPACE}\" {SCHEMA} identifier=\"ringside\" title=\"{}\" \
         toolName=\"Ringside\" toolVersion=\"{VERSION}\">\n<testPart identifier=\"part\" navigationMode=\"nonlinear\" \
         submissionMode=\"individual\">\n{sections}</testPart>\n</assessmentTest>\n",
        escaped(title)
    );
    files.push(File { path: "test.xml".into(), text: test });
    let manifest = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" identifier=\"ringside-manifest\">\n\
         <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>\n<organizations/>\n<resources>\n\
         <resource identifier=\"ringside-test\" type=\"imsqti_test_xmlv2p1\" href=\"test.xml\"><file href=\"test.xml\"/>{needs}</resource>\n\
         {resources}</resources>\n</manifest>\n"
    );
    files.push(File { path: "imsmanifest.xml".into(), text: manifest });
    files
}

/// What a form adds to an item.
#[derive(Default)]
struct Parts {
    /// `cardinality` and `baseType` of the response.
    response: [&'static str; 2],
    correct: Vec<String>,
    interaction: String,
    /// `responseIf …` clauses; nothing for a text.
    processing: String,
    /// What is said to an identifier.
    said: Vec<(String, String)>,
    /// Of the feedback's outcome.
    many: bool,
}

fn item(id: &str, q: &Question) -> String {
    let parts = match &q.form {
        Form::Number { value, tolerance, unit, mistakes } => number(*value, *tolerance, unit, mistakes),
        Form::Choice { several, options } => choice(*several, options),
        Form::Order { items } => order(items),
        Form::Match { pairs, extra } => matching(pairs, extra),
        Form::Essay { rubric, model, weak } => essay(rubric, model, weak),
    };
    let [cardinality, base] = parts.response;
    let values: String = parts.correct.iter().map(|value| format!("<value>{}</value>", escaped(value))).collect();
    let correct = if values.is_empty() { values } else { format!("<correctResponse>{values}</correctResponse>") };
    let outcome = |name: &str, cardinality: &str| {
        format!("<outcomeDeclaration identifier=\"{name}\" cardinality=\"{cardinality}\" baseType=\"identifier\"/>\n")
    };
    let solution = if q.solution.is_empty() {
        [String::new(), String::new(), String::new()]
    } else {
        [
            outcome("SOLUTION", "single"),
            set("SOLUTION", "<baseValue baseType=\"identifier\">solution</baseValue>"),
            modal("SOLUTION", "solution", &q.solution),
        ]
    };
    let said: String = parts.said.iter().map(|(id, html)| modal("FEEDBACK", id, html)).collect();
    let processing = format!("{}{}", parts.processing, solution[1]);
    let processing = if processing.is_empty() {
        processing
    } else {
        format!("<responseProcessing>\n{processing}</responseProcessing>\n")
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<assessmentItem xmlns=\"{NAMESPACE}\" {SCHEMA} identifier=\"{id}\" title=\"{}\" \
         adaptive=\"false\" timeDependent=\"false\" toolName=\"Ringside\" toolVersion=\"{VERSION}\">\n\
         <responseDeclaration identifier=\"RESPONSE\" cardinality=\"{cardinality}\" baseType=\"{base}\">{correct}</responseDeclaration>\n\
         {}{}{}<itemBody>\n<div>{}</div>\n{}</itemBody>\n{processing}{said}{}</assessmentItem>\n",
        escaped(&plain_text(&q.title)),
        format_args!(
            "<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\" normalMaximum=\"{}\"><defaultValue><value>0\
             </value></defaultValue></outcomeDeclaration>\n",
            q.form.points()
        ),
        outcome("FEEDBACK", if parts.many { "multiple" } else { "single" }),
        solution[0],
        q.prompt_with(&format!("../{IMAGES}/{}", q.picture_file())),
        parts.interaction,
        solution[2],
    )
}

fn modal(outcome: &str, id: &str, html: &str) -> String {
    format!(
        "<modalFeedback outcomeIdentifier=\"{outcome}\" identifier=\"{id}\" showHide=\"show\"><div>{html}</div></modalFeedback>\n"
    )
}

fn set(outcome: &str, to: &str) -> String {
    format!("<setOutcomeValue identifier=\"{outcome}\">{to}</setOutcomeValue>")
}

fn score() -> String {
    set("SCORE", "<baseValue baseType=\"float\">1</baseValue>")
}

/// Right where the response is the correct one.
fn matched() -> String {
    format!(
        "<responseCondition><responseIf><match><variable identifier=\"RESPONSE\"/><correct identifier=\"RESPONSE\"/></match>{}\
         </responseIf></responseCondition>\n",
        score()
    )
}

fn number(value: f64, tolerance: f64, unit: &str, mistakes: &[Foreseen]) -> Parts {
    let near = |tolerance: f64, to: String| {
        let mode = if tolerance > 0.0 {
            format!("toleranceMode=\"absolute\" tolerance=\"{0} {0}\"", written(tolerance))
        } else {
            "toleranceMode=\"exact\"".to_owned()
        };
        format!("<equal {mode}><variable identifier=\"RESPONSE\"/>{to}</equal>")
    };
    let empty = set("SCORE", "<baseValue baseType=\"float\">0</baseValue>");
    let mut processing = format!(
        "<responseCondition>\n<responseIf><isNull><variable identifier=\"RESPONSE\"/></isNull>{empty}</responseIf>\n"
    );
    processing.push_str(&format!(
        "<responseElseIf>{}{}</responseElseIf>\n",
        near(tolerance, "<correct identifier=\"RESPONSE\"/>".into()),
        score()
    ));
    let mut said = Vec::new();
    for (i, mistake) in mistakes.iter().enumerate() {
        let id = format!("mistake-{}", i + 1);
        processing.push_str(&format!(
            "<responseElseIf>{}{}</responseElseIf>\n",
            near(mistake.tolerance, format!("<baseValue baseType=\"float\">{}</baseValue>", written(mistake.value))),
            set("FEEDBACK", &format!("<baseValue baseType=\"identifier\">{id}</baseValue>"))
        ));
        said.push((id, mistake.say.clone()));
    }
    processing.push_str("</responseCondition>\n");
    Parts {
        response: ["single", "float"],
        correct: vec![written(value)],
        interaction: format!(
            "<p><textEntryInteraction responseIdentifier=\"RESPONSE\" expectedLength=\"12\"/> {}</p>\n",
            escaped(unit)
        ),
        processing,
        said,
        many: false,
    }
}

fn choice(several: bool, options: &[Answer]) -> Parts {
    let id = |i: usize| format!("option-{}", i + 1);
    let all = || options.iter().enumerate();
    let choices: String =
        all().map(|(i, o)| format!("<simpleChoice identifier=\"{}\">{}</simpleChoice>\n", id(i), o.text)).collect();
    Parts {
        response: [if several { "multiple" } else { "single" }, "identifier"],
        correct: all().filter(|(_, o)| o.right).map(|(i, _)| id(i)).collect(),
        interaction: format!(
            "<choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\" maxChoices=\"{}\">\n{choices}</choiceInteraction>\n",
            if several { 0 } else { 1 }
        ),
        processing: format!("{}{}\n", matched(), set("FEEDBACK", "<variable identifier=\"RESPONSE\"/>")),
        said: all().map(|(i, o)| (id(i), o.say.clone())).collect(),
        many: several,
    }
}

fn order(items: &[String]) -> Parts {
    let id = |i: usize| format!("item-{}", i + 1);
    // Shown in another order than the right one also where a platform does not shuffle.
    let choices: String = scrambled(items)
        .into_iter()
        .map(|(i, item)| format!("<simpleChoice identifier=\"{}\">{item}</simpleChoice>\n", id(i)))
        .collect();
    Parts {
        response: ["ordered", "identifier"],
        correct: (0..items.len()).map(id).collect(),
        interaction: format!(
            "<orderInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\">\n{choices}</orderInteraction>\n"
        ),
        processing: matched(),
        ..Parts::default()
    }
}

fn matching(pairs: &[[String; 2]], extra: &[String]) -> Parts {
    let choice = |side: &str, i: usize, most: usize, html: &str| {
        format!(
            "<simpleAssociableChoice identifier=\"{side}{}\" matchMax=\"{most}\">{html}</simpleAssociableChoice>\n",
            i + 1
        )
    };
    let left: String = pairs.iter().enumerate().map(|(i, pair)| choice("L", i, 1, &pair[0])).collect();
    let right: Vec<&String> = pairs.iter().map(|pair| &pair[1]).chain(extra).collect();
    let right: String = scrambled(&right).into_iter().map(|(i, html)| choice("R", i, pairs.len(), html)).collect();
    Parts {
        response: ["multiple", "directedPair"],
        correct: (1..=pairs.len()).map(|i| format!("L{i} R{i}")).collect(),
        interaction: format!(
            "<matchInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\" maxAssociations=\"{}\">\n<simpleMatchSet>\n{left}\
             </simpleMatchSet>\n<simpleMatchSet>\n{right}</simpleMatchSet>\n</matchInteraction>\n",
            pairs.len()
        ),
        processing: matched(),
        ..Parts::default()
    }
}

fn essay(rubric: &[String], model: &str, weak: &str) -> Parts {
    Parts {
        response: ["single", "string"],
        interaction: format!(
            "<extendedTextInteraction responseIdentifier=\"RESPONSE\" expectedLines=\"10\"/>\n<rubricBlock view=\"scorer\"><div>{}\
             </div></rubricBlock>\n",
            for_graders(rubric, model, weak)
        ),
        ..Parts::default()
    }
}
