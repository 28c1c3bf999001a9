//! `contents.html`: the contents of the course, beside every page.

use super::{progress_with, tick};
use crate::html::escape;
use crate::schema::{Chapter, Course, ExerciseIndex, Indexed, Page, Status};

/// Parts and chapters, and the ways to so many missions and labs.
pub(crate) fn contents(course: &Course, exercises: &ExerciseIndex, [missions, labs]: [usize; 2]) -> String {
    let mut html = "<p class=\"progress\"><a href=\"./\">Your course</a> <span data-course><span data-n>0</span>% done</span></p>\n".to_owned();
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
                progress_with(chapter, &extent(chapter, exercises)),
                tick(chapter),
            ));
        }
    }
    if missions > 0 {
        html.push_str(&format!(
            "<h2>Whole runs</h2>\n<a href=\"mission/\"><i></i><span>Missions <small>{missions}</small></span></a>\n"
        ));
    }
    html.push_str("<h2>Your own machine</h2>\n");
    if labs > 0 {
        html.push_str(&format!("<a href=\"lab/\"><i></i><span>Labs <small>{labs}</small></span></a>\n"));
    }
    html.push_str(&link(Page::Run));
    // In the contents of a phone alone, whose header has no room for all of them.
    let more = [Page::Gallery, Page::Reference, Page::Teach, Page::Settings].map(link).concat();
    html.push_str(&format!("<div class=\"narrow\">\n<h2>More</h2>\n{more}</div>\n"));
    html
}

fn link(page: Page) -> String {
    format!("<a href=\"{}/\"><i></i><span>{}</span></a>\n", page.path(), page.title())
}

/// What the progress of a chapter is computed from, as attributes.
fn extent(chapter: &Chapter, exercises: &ExerciseIndex) -> String {
    let own = || exercises.of_chapter(&chapter.slug);
    let counted = || own().filter(|e| e.counts());
    let sections: Vec<String> = chapter.required().map(|s| format!("{}:{}", s.id, s.seconds)).collect();
    let guesses: Vec<&str> = own().filter(|e| !e.counts()).map(Indexed::id).collect();
    format!(
        " data-sections=\"{}\" data-of=\"{}\" data-seconds=\"{}\" data-guesses=\"{}\"",
        escape(&sections.join(" ")),
        counted().count(),
        counted().map(Indexed::seconds).sum::<u32>(),
        escape(&guesses.join(" ")),
    )
}
