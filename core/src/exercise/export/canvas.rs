//! QTI 1.2 as Canvas imports it into Classic and New Quizzes: a content package with one assessment. Several variants are a
//! question group of which Canvas asks one.

use super::markup::{escaped, plain_text};
use super::{Answer, File, Form, PLACES, Pool, Question, as_pairs, for_graders, foreseen, scrambled, written};

/// Of the package's files and folders.
const IDENT: &str = "ringside";
/// The folder that `$IMS-CC-FILEBASE$` stands for.
const FILES: &str = "web_resources";

/// The package.
pub(super) fn write(name: &str, pools: &[Pool]) -> Vec<File> {
    let points: usize = pools.iter().map(points).sum();
    let title = escaped(name);
    let variants = pools.iter().flat_map(|pool| &pool.variants);
    let drawn =
        |q: &Question| Some(File { path: format!("{FILES}/{}", q.picture_file()), text: q.picture.clone()?.svg });
    let pictures: Vec<File> = variants.filter_map(drawn).collect();
    let manifest = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <manifest identifier=\"{IDENT}-manifest\" xmlns=\"http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1\" \
         xmlns:imsmd=\"http://www.imsglobal.org/xsd/imsmd_v1p2\">\n\
         <metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion><imsmd:lom><imsmd:general><imsmd:title>\
         <imsmd:string>{title}</imsmd:string></imsmd:title></imsmd:general></imsmd:lom></metadata>\n<organizations/>\n<resources>\n\
         <resource identifier=\"{IDENT}\" type=\"imsqti_xmlv1p2\"><file href=\"{IDENT}/{IDENT}.xml\"/>\
         <dependency identifierref=\"{IDENT}-meta\"/></resource>\n\
         <resource identifier=\"{IDENT}-meta\" type=\"associatedcontent/imscc_xmlv1p1/learning-application-resource\" \
         href=\"{IDENT}/assessment_meta.xml\"><file href=\"{IDENT}/assessment_meta.xml\"/></resource>\n{}</resources>\n</manifest>\n",
        pictures.iter().map(|file| resource(&file.path)).collect::<String>(),
    );
    let meta = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz identifier=\"{IDENT}\" xmlns=\"http://canvas.instructure.com/xsd/cccv1p0\">\n\
         <title>{title}</title>\n<description></description>\n<shuffle_answers>true</shuffle_answers>\n<quiz_type>assignment</quiz_type>\n\
         <points_possible>{points}.0</points_possible>\n<allowed_attempts>1</allowed_attempts>\n</quiz>\n"
    );
    let items: String = pools.iter().enumerate().map(|(i, pool)| section(i + 1, pool)).collect();
    let assessment = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<questestinterop xmlns=\"http://www.imsglobal.org/xsd/ims_qtiasiv1p2\">\n\
         <assessment ident=\"{IDENT}\" title=\"{title}\">\n<qtimetadata><qtimetadatafield><fieldlabel>cc_maxattempts</fieldlabel>\
         <fieldentry>1</fieldentry></qtimetadatafield></qtimetadata>\n<section ident=\"root_section\">\n{items}</section>\n</assessment>\n\
         </questestinterop>\n"
    );
    let mut files = vec![
        File { path: "imsmanifest.xml".into(), text: manifest },
        File { path: format!("{IDENT}/assessment_meta.xml"), text: meta },
        File { path: format!("{IDENT}/{IDENT}.xml"), text: assessment },
    ];
    files.extend(pictures);
    files
}

/// A file that questions refer to.
fn resource(path: &str) -> String {
    let ident = path.replace(['/', '.'], "-");
    format!("<resource identifier=\"{ident}\" type=\"webcontent\" href=\"{path}\"><file href=\"{path}\"/></resource>\n")
}

/// The points of each of a pool's variants: they are one exercise.
fn points(pool: &Pool) -> usize {
    pool.variants.first().map_or(1, |variant| variant.form.points())
}

fn section(number: usize, pool: &Pool) -> String {
    let items: String = pool.variants.iter().map(item).collect();
    if pool.variants.len() == 1 {
        return items;
    }
    format!(
        "<section ident=\"group-{number}\" title=\"{}\">\n<selection_ordering><selection><selection_number>1</selection_number>\
         <selection_extension><points_per_item>{}.0</points_per_item></selection_extension></selection></selection_ordering>\n\
         {items}</section>\n",
        escaped(&pool.title),
        points(pool),
    )
}

/// HTML for QTI 1.2.
pub(super) fn material(html: &str) -> String {
    format!("<material><mattext texttype=\"text/html\">{}</mattext></material>", escaped(html))
}

/// What is said on a condition; nothing if there is nothing to say.
pub(super) fn feedback(ident: &str, html: &str) -> String {
    if html.is_empty() {
        return String::new();
    }
    format!("<itemfeedback ident=\"{ident}\"><flow_mat>{}</flow_mat></itemfeedback>\n", material(html))
}

/// Presentation, conditions and comments of an item.
struct Parts {
    kind: &'static str,
    presentation: String,
    conditions: String,
    comments: String,
}

fn item(q: &Question) -> String {
    let mut prompt = q.prompt_with(&format!("$IMS-CC-FILEBASE$/{}", q.picture_file()));
    let parts = match &q.form {
        Form::Number { value, tolerance, unit, mistakes } => number(*value, *tolerance, &foreseen(mistakes, unit)),
        Form::Choice { several, options } => choice(*several, options),
        Form::Match { pairs, extra } => matching(pairs, extra),
        Form::Order { items } => {
            prompt.push_str(PLACES);
            matching(&as_pairs(items), &[])
        }
        Form::Essay { rubric, model, weak } => essay(rubric, model, weak),
    };
    let field = |label: &str, entry: &str| {
        format!("<qtimetadatafield><fieldlabel>{label}</fieldlabel><fieldentry>{entry}</fieldentry></qtimetadatafield>")
    };
    let general = if q.solution.is_empty() {
        String::new()
    } else {
        "<respcondition continue=\"Yes\"><conditionvar><other/></conditionvar>\
         <displayfeedback feedbacktype=\"Response\" linkrefid=\"general_fb\"/></respcondition>\n"
            .to_owned()
    };
    format!(
        "<item ident=\"{id}\" title=\"{title}\">\n<itemmetadata><qtimetadata>{}{}</qtimetadata></itemmetadata>\n\
         <presentation>{}{}</presentation>\n<resprocessing><outcomes><decvar maxvalue=\"100\" minvalue=\"0\" varname=\"SCORE\" \
         vartype=\"Decimal\"/></outcomes>\n{general}{}</resprocessing>\n{}{}</item>\n",
        field("question_type", parts.kind),
        field("points_possible", &format!("{}.0", q.form.points())),
        material(&prompt),
        parts.presentation,
        parts.conditions,
        feedback("general_fb", &q.solution),
        parts.comments,
        id = escaped(&q.id),
        title = escaped(&q.title),
    )
}

const SET: &str = "<setvar action=\"Set\" varname=\"SCORE\">100</setvar>";

fn number(value: f64, tolerance: f64, mistakes: &str) -> Parts {
    let [value_, low, high] = [value, value - tolerance, value + tolerance].map(written);
    let comments = if mistakes.is_empty() {
        String::new()
    } else {
        feedback("general_incorrect_fb", &format!("<p>If you got one of these:</p><ul>{mistakes}</ul>"))
    };
    let wrong = if mistakes.is_empty() {
        ""
    } else {
        "<respcondition continue=\"Yes\"><conditionvar><other/></conditionvar>\
         <displayfeedback feedbacktype=\"Response\" linkrefid=\"general_incorrect_fb\"/></respcondition>\n"
    };
    Parts {
        kind: "numerical_question",
        presentation: "<response_str ident=\"response1\" rcardinality=\"Single\"><render_fib fibtype=\"Decimal\">\
                       <response_label ident=\"answer1\"/></render_fib></response_str>"
            .into(),
        conditions: format!(
            "<respcondition continue=\"No\"><conditionvar><or><varequal respident=\"response1\">{value_}</varequal><and>\
             <vargte respident=\"response1\">{low}</vargte><varlte respident=\"response1\">{high}</varlte></and></or></conditionvar>\
             {SET}</respcondition>\n{wrong}"
        ),
        comments,
    }
}

fn choice(several: bool, options: &[Answer]) -> Parts {
    let ident = |i: usize| format!("option{}", i + 1);
    let all = || options.iter().enumerate();
    let labels: String = all()
        .map(|(i, o)| format!("<response_label ident=\"{}\">{}</response_label>", ident(i), material(&o.text)))
        .collect();
    let said: String = all()
        .filter(|(_, o)| !o.say.is_empty())
        .map(|(i, _)| {
            format!(
                "<respcondition continue=\"Yes\"><conditionvar><varequal respident=\"response1\">{0}</varequal></conditionvar>\
                 <displayfeedback feedbacktype=\"Response\" linkrefid=\"{0}_fb\"/></respcondition>\n",
                ident(i)
            )
        })
        .collect();
    let equal = |(i, o): (usize, &Answer)| {
        let one = format!("<varequal respident=\"response1\">{}</varequal>", ident(i));
        match (o.right, several) {
            (true, _) => one,
            (false, true) => format!("<not>{one}</not>"),
            (false, false) => String::new(),
        }
    };
    let right: String = all().map(equal).collect();
    let right = if several { format!("<and>{right}</and>") } else { right };
    Parts {
        kind: if several { "multiple_answers_question" } else { "multiple_choice_question" },
        presentation: format!(
            "<response_lid ident=\"response1\" rcardinality=\"{}\"><render_choice>{labels}</render_choice></response_lid>",
            if several { "Multiple" } else { "Single" }
        ),
        conditions: format!(
            "{said}<respcondition continue=\"No\"><conditionvar>{right}</conditionvar>{SET}</respcondition>\n"
        ),
        comments: all().map(|(i, o)| feedback(&format!("{}_fb", ident(i)), &o.say)).collect(),
    }
}

fn matching(pairs: &[[String; 2]], extra: &[String]) -> Parts {
    let right = pairs.iter().map(|pair| &pair[1]).chain(extra).map(|text| plain_text(text));
    // Places by their number: the tenth after the ninth.
    let right: Vec<(usize, String)> = right.map(|text| (text.len(), text)).collect();
    let label = |(i, (_, text)): (usize, &(usize, String))| {
        format!(
            "<response_label ident=\"right{}\"><material><mattext>{}</mattext></material></response_label>",
            i + 1,
            escaped(text)
        )
    };
    // Canvas shows them in this order.
    let labels: String = scrambled(&right).into_iter().map(label).collect();
    let asked: String = pairs
        .iter()
        .enumerate()
        .map(|(i, [left, _])| {
            format!(
                "<response_lid ident=\"response_left{}\"><material><mattext texttype=\"text/plain\">{}</mattext></material>\
                 <render_choice>{labels}</render_choice></response_lid>",
                i + 1,
                escaped(&plain_text(left))
            )
        })
        .collect();
    let each = written((1e4 / pairs.len().max(1) as f64).round() / 100.0);
    let conditions = (1..=pairs.len())
        .map(|i| {
            format!(
                "<respcondition><conditionvar><varequal respident=\"response_left{i}\">right{i}</varequal></conditionvar>\
                 <setvar varname=\"SCORE\" action=\"Add\">{each}</setvar></respcondition>\n"
            )
        })
        .collect();
    Parts { kind: "matching_question", presentation: asked, conditions, comments: String::new() }
}

fn essay(rubric: &[String], model: &str, weak: &str) -> Parts {
    Parts {
        kind: "essay_question",
        presentation: "<response_str ident=\"response1\" rcardinality=\"Single\"><render_fib>\
                       <response_label ident=\"answer1\" rshuffle=\"No\"/></render_fib></response_str>"
            .into(),
        conditions: "<respcondition continue=\"No\"><conditionvar><other/></conditionvar></respcondition>\n".into(),
        comments: feedback("correct_fb", &for_graders(rubric, model, weak)),
    }
}
