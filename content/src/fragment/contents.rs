//! `contents.html`: the contents of the course, beside every page.

use super::{solved, tick};
use crate::html::escape;
use crate::schema::{Course, ExerciseIndex, Status};

/// Parts and chapters, and the ways to so many missions and labs.
pub(crate) fn contents(course: &Course, exercises: &ExerciseIndex, [missions, labs]: [usize; 2]) -> String {
    let written: Vec<String> =
        course.chapters().filter(|c| c.status == Status::Written).map(|c| escape(&c.slug)).collect();
    let mut html = format!(
        "<p class=\"progress\"><a href=\"./\">Your course</a> <span data-tally data-chapters=\"{}\">\
         <span data-n>0</span> of {} chapters done</span> <span data-exercises=\"\" data-of=\"{all}\" hidden><span data-n>0</span> of {all} exercises \
         solved</span></p>\n",
        written.join(" "),
        written.len(),
        all = exercises.exercises.len()
    );
    for part in &course.parts {
        html.push_str(&format!("<h2>{}</h2>\n", escape(&part.title)));
        for chapter in &part.chapters {
            let (number, title) = (chapter.number, escape(&chapter.title));
            let (class, planned) = match chapter.status {
                Status::Written => ("", ""),
                Status::Planned => (" class=\"planned\"", " <small>planned</small>"),
            };
            html.push_str(&format!(
                "<a{class} href=\"{}\" data-chapter=\"{}\"><i>{number:02}</i><span>{title}{planned}</span>{}{}</a>\n",
                escape(&chapter.href()),
                escape(&chapter.slug),
                solved(chapter, exercises),
                tick(chapter),
            ));
        }
    }
    if missions > 0 {
        html.push_str(&format!(
            "<h2>Whole runs</h2>\n<a href=\"mission/\"><i></i><span>Missions <small>{missions}</small></span></a>\n"
        ));
    }
    if labs > 0 {
        html.push_str(&format!(
            "<h2>Your own machine</h2>\n<a href=\"lab/\"><i></i><span>Labs <small>{labs}</small></span></a>\n"
        ));
    }
    html
}
