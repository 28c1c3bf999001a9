//! `syllabus.html`: how to teach with the course, each session with a lecture list and a quiz that open by link.

use ringside_core::practice::exam::QuizSpec;
use ringside_core::query::Query;

use crate::data::{Session, Syllabus};
use crate::html::{escape, text_of};
use crate::schema::Course;

/// Minutes for a question of a quiz.
const MINUTES: usize = 4;

/// The page.
pub(crate) fn page(all: &[Syllabus], course: &Course) -> String {
    let links: String =
        all.iter().map(|s| format!("<a href=\"syllabus/#{}\">{}</a>\n", escape(&s.id), escape(&s.title))).collect();
    let sections: String = all.iter().map(|s| section(s, course)).collect();
    format!(
        "<article class=\"syllabus\" data-title=\"Syllabus\">\n<h1>Syllabus</h1>\n\
         <p class=\"lede\">Three ways to teach with the course. A lecture opens in the presenter’s window with notes and a clock; a quiz gives everybody \
         the same numbers, and <a href=\"check/\">what is handed in</a> is marked together. All of it can be changed where it opens, and kept by its link.</p>\n\
         <nav class=\"on-page sans\" aria-label=\"On this page\">\n{links}</nav>\n{sections}</article>\n"
    )
}

fn section(syllabus: &Syllabus, course: &Course) -> String {
    let rows: String =
        syllabus.sessions.iter().enumerate().map(|(i, s)| row(syllabus, s, i as u64 + 1, course)).collect();
    let id = escape(&syllabus.id);
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n<p>{}</p>\n<ol class=\"sessions sans\">\n{rows}</ol>\n</section>\n",
        escape(&syllabus.title),
        syllabus.about.0
    )
}

fn row(syllabus: &Syllabus, session: &Session, number: u64, course: &Course) -> String {
    let name = format!("<span class=\"visually-hidden\">: {}</span>", escape(&session.title));
    let chapters: Vec<String> = session
        .chapters
        .iter()
        .filter_map(|slug| course.chapter(slug))
        .map(|c| format!("<a href=\"{}\">{:02} {}</a>", escape(&c.href()), c.number, escape(&c.title)))
        .collect();
    let mut ways = vec![
        format!("<a href=\"{}\">Present{name}</a>", escape(&lecture("presenter", session, course))),
        format!("<a href=\"{}\">Lecture list and handout{name}</a>", escape(&lecture("lecture", session, course))),
    ];
    if !session.quiz.is_empty() {
        let questions = session.quiz.len();
        let href = quiz(syllabus, session, number);
        ways.push(format!("<a href=\"{}\">Quiz, {questions} questions{name}</a>", escape(&href)));
        ways.push(format!("<a href=\"{}\">Change the quiz{name}</a>", escape(&format!("{href}&compose=1"))));
        ways.push(format!("<a href=\"{}\">Export the quiz{name}</a>", escape(&href.replacen("quiz/", "export/", 1))));
    }
    let lab = session.lab.iter().map(|(slug, title)| format!("<a href=\"lab/{slug}/\">Lab: {}</a>", escape(title)));
    let missions = session
        .missions
        .iter()
        .map(|(slug, title)| format!("<a href=\"mission/{slug}/\">Mission: {}</a>", escape(title)));
    ways.extend(lab.chain(missions));
    let chapters =
        if chapters.is_empty() { String::new() } else { format!("<p class=\"of\">{}</p>\n", chapters.join(" ")) };
    format!(
        "<li>\n<p class=\"when\">{}</p>\n<div>\n<h3>{}</h3>\n<p>{}</p>\n{chapters}<p class=\"ways\">{}</p>\n</div>\n</li>\n",
        escape(&session.when),
        escape(&session.title),
        session.aim.0,
        ways.join(" ")
    )
}

/// The address of a session's quiz: the same numbers for everybody, others in each session.
pub(crate) fn quiz(syllabus: &Syllabus, session: &Session, number: u64) -> String {
    let title = format!("{}: {}", session.when, session.title);
    let seed = number + 100 * syllabus.id.len() as u64;
    let mut query = QuizSpec { exercises: session.quiz.clone(), seed, title }.to_query();
    query.set("minutes", (MINUTES * session.quiz.len()).to_string());
    format!("quiz/?{query}")
}

/// A page with the session's lecture list.
fn lecture(page: &str, session: &Session, course: &Course) -> String {
    let mut list = format!("> # {}\n>\n> {}\n", session.title, text_of(&session.aim));
    for chapter in session.chapters.iter().filter_map(|slug| course.chapter(slug)) {
        list.push_str(&format!("chapter/{}/ {}\n", chapter.slug, chapter.title));
    }
    for state in &session.states {
        list.push_str(&format!("{state}\n"));
    }
    for key in &session.discuss {
        let (slug, id) = key.split_once('/').unwrap_or((key, ""));
        list.push_str(&format!("chapter/{slug}/#exercise-{id} For the room\n"));
    }
    format!("{page}/#{}", Query::new([("list", list)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Chapter, Html, Part};

    fn course() -> Course {
        let chapter = Chapter { slug: "zero".into(), number: 9, title: "ZeRO & FSDP".into(), ..Chapter::default() };
        let part = Part { chapters: vec![chapter], ..Part::default() };
        Course { parts: vec![part], ..Course::default() }
    }

    fn syllabus() -> Syllabus {
        let session = Session {
            when: "Week 1".into(),
            title: "Sharding & sums".into(),
            aim: Html("Shard <em>it</em>.".into()),
            chapters: vec!["zero".into()],
            states: vec!["w/amdahl/?serial=0.05&n=64 A law".into()],
            discuss: vec!["zero/why".into()],
            quiz: vec!["zero/price".into(), "zero/peak".into()],
            ..Session::default()
        };
        Syllabus { id: "term".into(), title: "A term".into(), sessions: vec![session], ..Syllabus::default() }
    }

    /// The addresses of a page that begin so.
    fn links(html: &str, begin: &str) -> Vec<String> {
        let all = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        all.filter(|href| href.starts_with(begin)).map(|href| href.replace("&amp;", "&")).collect()
    }

    #[test]
    fn every_quiz_reads_back() {
        let html = page(&[syllabus()], &course());
        let quizzes = links(&html, "quiz/?");
        assert_eq!(quizzes.len(), 2, "{html}");
        for href in quizzes {
            let query = Query::parse(href.trim_start_matches("quiz/?"));
            let own = Query::new(query.iter().filter(|(name, _)| !["minutes", "compose"].contains(name)));
            let (spec, problems) = QuizSpec::read(&own);
            assert!(problems.is_empty(), "{problems:?}");
            assert_eq!(spec.exercises, ["zero/price", "zero/peak"]);
            assert_eq!(
                (spec.seed, spec.title.as_str(), query.get("minutes")),
                (401, "Week 1: Sharding & sums", Some("8"))
            );
        }
    }

    #[test]
    fn every_lecture_list_has_its_lines() {
        let html = page(&[syllabus()], &course());
        for begin in ["presenter/#", "lecture/#"] {
            let [href] = &links(&html, begin)[..] else { panic!("{html}") };
            let query = Query::parse(href.trim_start_matches(begin));
            let lines: Vec<&str> = query.get("list").expect("a list").lines().collect();
            let wanted = [
                "> # Sharding & sums",
                ">",
                "> Shard it.",
                "chapter/zero/ ZeRO & FSDP",
                "w/amdahl/?serial=0.05&n=64 A law",
                "chapter/zero/#exercise-why For the room",
            ];
            assert_eq!(lines, wanted);
        }
    }
}
