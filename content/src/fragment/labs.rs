//! The labs: a list of them, and a page for each. The app brings to life what `data-ask` (a number to predict), `data-copy` (what to copy),
//! `data-save` (a file to keep) and `data-island="paste"` mark.

use crate::data::Lab;
use crate::html::escape;
use crate::markdown::listing;
use crate::schema::Course;
use crate::words::duration;

/// Every lab.
pub(crate) fn list(labs: &[Lab], course: &Course) -> String {
    let items: String = labs
        .iter()
        .map(|lab| {
            format!(
                "<li><h2><a href=\"lab/{slug}/\"><i>{}</i> {}</a></h2>\n<p>{}</p>\n<p class=\"sans small\">{} · {}</p></li>\n",
                escape(&lab.number),
                escape(&lab.title),
                escape(&lab.question),
                duration(lab.minutes),
                chapters(lab, course),
                slug = escape(&lab.slug),
            )
        })
        .collect();
    format!(
        "<article class=\"labs\" data-title=\"Labs\">\n<h1>Labs</h1>\n\
         <p class=\"lede\">You have predicted numbers. Now measure them: one Python file each. All of them run on a laptop’s CPU; GPUs add what each page names. \
         Paste what the script prints, and see it beside the model. Nothing leaves your browser.</p>\n<ol class=\"lab-list\">\n{items}</ol>\n<div data-island=\"setup\"></div>\n</article>\n"
    )
}

/// A lab as an item of a list: its title and how long it takes.
pub(super) fn item(lab: &Lab) -> String {
    format!(
        "<li><a href=\"lab/{}/\"><i>{}</i> {}</a> <small>{}</small></li>\n",
        escape(&lab.slug),
        escape(&lab.number),
        escape(&lab.title),
        duration(lab.minutes)
    )
}

/// The page of a lab.
pub(crate) fn page(lab: &Lab, course: &Course) -> String {
    let asks: String = lab
        .predictions
        .iter()
        .map(|p| {
            format!(
                "<li><label><span>{}</span> <input type=\"text\" inputmode=\"text\" autocomplete=\"off\" maxlength=\"60\" data-ask=\"{}\" disabled></label></li>\n",
                escape(&p.ask),
                escape(&p.row)
            )
        })
        .collect();
    let runs: String = lab
        .runs
        .iter()
        .map(|run| {
            format!(
                "<h3>{}</h3>\n<div class=\"lab-code\">{}{COPY}</div>\n",
                escape(&run.on),
                listing("bash", &run.command)
            )
        })
        .collect();
    let (name, script) = &lab.script;
    format!(
        "<article class=\"lab-page\" data-lab=\"{slug}\" data-title=\"{title}\">\n\
         <p class=\"eyebrow sans\"><a href=\"lab/\">Lab</a> {} · {} · {}</p>\n<h1>{title}</h1>\n<p class=\"lede\">{}</p>\n\
         <button type=\"button\" class=\"quiet sans\" data-lecture=\"lab/{slug}/\" data-title=\"{title}\">Add to lecture</button>\n{}\
         <section class=\"lab-asks\"><h2 id=\"predict\">Predict</h2>\n<ul>\n{asks}</ul></section>\n\
         <section><h2 id=\"run\">Run</h2>\n\
         <div class=\"lab-code\"><details><summary class=\"sans\">{name} · {} lines, needs {}</summary>\n{}</details>{COPY}\
         <button type=\"button\" class=\"quiet sans\" data-save=\"{name}\" disabled>Save the file</button> \
         <button type=\"button\" class=\"quiet sans\" data-notebook=\"{slug}\" disabled>Save as a notebook</button></div>\n{runs}</section>\n\
         <section><h2 id=\"bring-back\">Bring it back</h2>\n<div data-island=\"paste\"></div></section>\n\
         <div class=\"chapter-text\">{}</div>\n</article>\n",
        escape(&lab.number),
        duration(lab.minutes),
        chapters(lab, course),
        escape(&lab.question),
        lab.text.0,
        script.lines().count(),
        lab.needs(),
        listing("python", script),
        lab.text.1,
        slug = escape(&lab.slug),
        title = escape(&lab.title),
        name = escape(name),
    )
}

const COPY: &str = "<button type=\"button\" class=\"quiet sans\" data-copy disabled>Copy</button>";

/// Links to the chapters that a lab goes with.
fn chapters(lab: &Lab, course: &Course) -> String {
    let links: Vec<String> = course
        .chapters()
        .filter(|c| lab.chapters.contains(&c.slug))
        .map(|c| format!("<a href=\"{}\">chapter {}</a>", escape(&c.href()), c.number))
        .collect();
    format!("with {}", links.join(", "))
}
