//! `syllabus.html`: how to teach with the course, each session with a lecture list and a quiz that open by link. `syllabus.json`: the
//! same courses, to be exported whole.

use ringside_core::exercise::export::cartridge;
use ringside_core::practice::exam::QuizSpec;
use ringside_core::query::Query;

use crate::data::{Debrief, Sample, Session, Syllabus, Teaching};
use crate::html::{escape, text_of};
use crate::schema::{Course, Html, Taught};

/// Minutes for a question of a quiz.
const MINUTES: usize = 4;

/// The page.
pub(crate) fn page(teaching: &Teaching, course: &Course) -> String {
    let link = |id: &str, title: &str| format!("<a href=\"syllabus/#{}\">{}</a>\n", escape(id), escape(title));
    let mut links: String = teaching.courses.iter().map(|s| link(&s.id, &s.title)).collect();
    let mut sections: String = teaching.courses.iter().map(|s| section(s, course)).collect();
    if let Some(debrief) = &teaching.debrief {
        links.push_str(&link("debrief", DEBRIEF));
        sections.push_str(&rubric(debrief));
    }
    if !teaching.assistants.is_empty() {
        links.push_str(&link("assistants", ASSISTANTS));
        sections.push_str(&assistants(&teaching.assistants));
    }
    format!(
        "<article class=\"syllabus\" data-title=\"Syllabus\">\n<h1>Syllabus</h1>\n\
         <p class=\"lede\">Three ways to teach with the course. A lecture opens in the presenter’s window with notes and a clock; a quiz gives everybody \
         the same numbers, and <a href=\"check/\">what is handed in</a> is marked together. All of it can be changed where it opens, and kept by its link.</p>\n\
         <nav class=\"on-page sans\" aria-label=\"On this page\">\n{links}</nav>\n{sections}</article>\n"
    )
}

const DEBRIEF: &str = "A mission’s debrief, and how it is marked";
const ASSISTANTS: &str = "For teaching assistants";

/// How a debrief is written and marked.
fn rubric(debrief: &Debrief) -> String {
    let rows: String =
        debrief.points.iter().map(|p| format!("<tr><td>{}</td><td>{}</td></tr>\n", p.text.0, p.marks)).collect();
    let all = debrief.marks();
    let samples: String = debrief.samples.iter().map(|sample| samples(sample, all)).collect();
    format!(
        "<section id=\"debrief\" aria-labelledby=\"debrief-title\">\n<h2 id=\"debrief-title\">{DEBRIEF}</h2>\n<p>{}</p>\n\
         <table class=\"marks sans\"><thead><tr><th scope=\"col\">What it says</th><th scope=\"col\">Marks</th></tr></thead>\n<tbody>\n\
         {rows}<tr><th scope=\"row\">Total</th><td>{all}</td></tr>\n</tbody></table>\n{samples}</section>\n",
        debrief.ask.0
    )
}

/// Two debriefs of a mission, the first of which earns `all` marks.
fn samples(sample: &Sample, all: u64) -> String {
    let (slug, title) = &sample.mission;
    let each: Vec<String> = sample.weak.iter().map(u64::to_string).collect();
    format!(
        "<h3 id=\"debrief-{}\">{}</h3>\n<h4>Excellent, {all} of {all} marks</h4>\n<p>{}</p>\n<h4>Insufficient, {} of {all} marks</h4>\n\
         <p>{}</p>\n<p class=\"of sans\">Marks in the order of the table: {}</p>\n",
        escape(slug),
        escape(title),
        sample.excellent.0,
        sample.weak.iter().sum::<u64>(),
        sample.insufficient.0,
        each.join(", ")
    )
}

fn assistants(told: &[(String, Html)]) -> String {
    let parts: String =
        told.iter().map(|(title, text)| format!("<h3>{}</h3>\n<p>{}</p>\n", escape(title), text.0)).collect();
    format!(
        "<section id=\"assistants\" aria-labelledby=\"assistants-title\">\n<h2 id=\"assistants-title\">{ASSISTANTS}</h2>\n{parts}</section>\n"
    )
}

/// What a course's marks are given for, and the same by session to paste into a gradebook; empty where none are given.
fn marks(syllabus: &Syllabus) -> String {
    let marked = syllabus.marked();
    if marked.is_empty() {
        return String::new();
    }
    let rows: String = marked
        .iter()
        .map(|m| {
            let (count, each, all) = (m.count, m.each, m.count * m.each);
            format!(
                "<tr><th scope=\"row\">{}</th><td>{count}</td><td>{each}</td><td>{all}</td></tr>\n",
                escape(&m.what)
            )
        })
        .collect();
    let total: u64 = marked.iter().map(|m| m.count * m.each).sum();
    let csv: String = syllabus
        .sessions
        .iter()
        .flat_map(|s| {
            items(syllabus, s)
                .into_iter()
                .map(move |(what, marks)| [quoted(&s.when), quoted(&what), marks.to_string()].join(","))
        })
        .map(|line| escape(&line) + "\n")
        .collect();
    format!(
        "<table class=\"marks sans\"><thead><tr><th scope=\"col\">Marked</th><th scope=\"col\">Number</th><th scope=\"col\">Marks each</th>\
         <th scope=\"col\">Marks</th></tr></thead>\n<tbody>\n{rows}<tr><th scope=\"row\">Total</th><td></td><td></td><td>{total}</td></tr>\n</tbody></table>\n\
         <details class=\"sans\"><summary>Marks by session as CSV</summary>\n<pre class=\"code\" tabindex=\"0\"><code>session,work,marks\n{csv}</code></pre></details>\n"
    )
}

/// What is marked in a session, with its marks.
fn items(syllabus: &Syllabus, session: &Session) -> Vec<(String, u64)> {
    let quiz = (!session.quiz.is_empty()).then(|| ("Quiz".to_owned(), syllabus.quiz_marks));
    let lab = session.lab.iter().map(|(_, title)| (format!("Lab: {title}"), syllabus.lab_marks));
    let missions = session.missions.iter().map(|(slug, title)| (format!("Mission: {title}"), syllabus.mission(slug)));
    quiz.into_iter().chain(lab).chain(missions).filter(|(_, marks)| *marks > 0).collect()
}

/// A field of a CSV.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn section(syllabus: &Syllabus, course: &Course) -> String {
    let rows: String =
        syllabus.sessions.iter().enumerate().map(|(i, s)| row(syllabus, s, i as u64 + 1, course)).collect();
    let id = escape(&syllabus.id);
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{}</h2>\n<p>{}</p>\n\
         <p class=\"sans\"><a href=\"export/?course={id}\">Export the whole course to Moodle or Canvas</a></p>\n{}<ol class=\"sessions sans\">\n{rows}</ol>\n</section>\n",
        escape(&syllabus.title),
        syllabus.about.0,
        marks(syllabus)
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
    let marks: Vec<String> =
        items(syllabus, session).iter().map(|(what, marks)| format!("{} {marks}", escape(what))).collect();
    let marks =
        if marks.is_empty() { String::new() } else { format!("<p class=\"of\">Marks: {}</p>\n", marks.join(", ")) };
    let chapters =
        if chapters.is_empty() { String::new() } else { format!("<p class=\"of\">{}</p>\n", chapters.join(" ")) };
    format!(
        "<li>\n<p class=\"when\">{}</p>\n<div>\n<h3>{}</h3>\n<p>{}</p>\n{chapters}<p class=\"ways\">{}</p>\n{marks}</div>\n</li>\n",
        escape(&session.when),
        escape(&session.title),
        session.aim.0,
        ways.join(" ")
    )
}

/// The courses, to be exported whole.
pub(crate) fn taught(teaching: &Teaching, course: &Course) -> Vec<Taught> {
    let session = |syllabus: &Syllabus, session: &Session| {
        let link = |title: String, url: String| cartridge::Link { title, url, hidden: false };
        let chapters = session.chapters.iter().filter_map(|slug| course.chapter(slug));
        let mut links: Vec<cartridge::Link> =
            chapters.map(|c| link(format!("Chapter {:02}: {}", c.number, c.title), c.href())).collect();
        let talk = link("Talk, for the presenter".into(), lecture("presenter", session, course));
        links.push(cartridge::Link { hidden: true, ..talk });
        links.push(link("Handout".into(), lecture("lecture", session, course)));
        links.extend(session.lab.iter().map(|(slug, title)| link(format!("Lab: {title}"), format!("lab/{slug}/"))));
        let missions = session.missions.iter();
        links.extend(missions.map(|(slug, title)| link(format!("Mission: {title}"), format!("mission/{slug}/"))));
        cartridge::Session {
            title: format!("{}: {}", session.when, session.title),
            aim: session.aim.0.clone(),
            marks: items(syllabus, session),
            links,
            quiz: None,
        }
    };
    let one = |syllabus: &Syllabus| Taught {
        id: syllabus.id.clone(),
        course: cartridge::Course {
            title: syllabus.title.clone(),
            about: syllabus.about.0.clone(),
            sessions: syllabus.sessions.iter().map(|s| session(syllabus, s)).collect(),
        },
        quizzes: (1..)
            .zip(&syllabus.sessions)
            .map(|(number, s)| if s.quiz.is_empty() { String::new() } else { quiz(syllabus, s, number) })
            .collect(),
    };
    teaching.courses.iter().map(one).collect()
}

/// The address of a session's quiz: the same numbers for everybody, others in each session.
pub(crate) fn quiz(syllabus: &Syllabus, session: &Session, number: u64) -> String {
    let title = format!("{}: {}", session.when, session.title);
    let seed = number + 100 * syllabus.id.len() as u64;
    let mut query = QuizSpec { exercises: session.quiz.clone(), seed, title, ..QuizSpec::default() }.to_query();
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
    let lab = session.lab.iter().map(|named| ("lab", named));
    for (page, (slug, title)) in lab.chain(session.missions.iter().map(|named| ("mission", named))) {
        list.push_str(&format!("{page}/{slug}/ {title}\n"));
    }
    format!("{page}/#{}", Query::new([("list", list)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Point;
    use crate::schema::{Chapter, Part};

    fn course() -> Course {
        let chapter = Chapter { slug: "zero".into(), number: 9, title: "ZeRO & FSDP".into(), ..Chapter::default() };
        let part = Part { chapters: vec![chapter], ..Part::default() };
        Course { parts: vec![part], ..Course::default() }
    }

    fn teaching() -> Teaching {
        Teaching { courses: vec![syllabus()], ..Teaching::default() }
    }

    #[test]
    fn marks_are_given_by_session_and_add_up() {
        let mut course_of = teaching();
        assert!(!page(&course_of, &course()).contains("Marks"));
        let own = &mut course_of.courses[0];
        (own.quiz_marks, own.mission_marks, own.capstone_marks) = (60, 15, 25);
        own.capstone = Some(("all".into(), "All \"of\" it".into()));
        own.sessions[0].missions = vec![("fit".into(), "Fit it".into()), ("all".into(), "All \"of\" it".into())];
        let point = |text: &str, marks| Point { text: Html(text.into()), marks };
        let sample = Sample { mission: ("all".into(), "All & more".into()), weak: vec![3, 0], ..Sample::default() };
        let points = vec![point("Says <em>why</em>.", 20), point("Compares.", 5)];
        let debrief = Debrief { points, samples: vec![sample], ..Debrief::default() };
        course_of.debrief = Some(debrief);
        course_of.assistants = vec![("In the room".into(), Html("Ask first.".into()))];
        let html = page(&course_of, &course());
        for part in [
            "Marks: Quiz 60, Mission: Fit it 15, Mission: All &quot;of&quot; it 25",
            "<th scope=\"row\">Missions</th><td>1</td><td>15</td><td>15</td>",
            "<th scope=\"row\">Total</th><td></td><td></td><td>100</td>",
            "&quot;Week 1&quot;,&quot;Mission: All &quot;&quot;of&quot;&quot; it&quot;,25\n",
            "<td>Says <em>why</em>.</td><td>20</td>",
            "<h3 id=\"debrief-all\">All &amp; more</h3>\n<h4>Excellent, 25 of 25 marks</h4>",
            "Insufficient, 3 of 25 marks",
            "Marks in the order of the table: 3, 0",
            "<a href=\"syllabus/#assistants\">",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
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
            lab: Some(("fsdp".into(), "FSDP, measured".into())),
            missions: vec![("fit-it".into(), "Make it fit".into())],
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
        let html = page(&teaching(), &course());
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
    fn a_course_leaves_with_every_link_of_its_sessions() {
        let html = page(&teaching(), &course());
        assert!(html.contains("<a href=\"export/?course=term\">"), "{html}");
        let [taught] = &taught(&teaching(), &course())[..] else { panic!("one course") };
        assert_eq!((taught.id.as_str(), taught.course.title.as_str()), ("term", "A term"));
        assert_eq!(taught.quizzes, links(&html, "quiz/?")[..1]);
        let [session] = &taught.course.sessions[..] else { panic!("{taught:?}") };
        assert_eq!((session.title.as_str(), session.aim.as_str()), ("Week 1: Sharding & sums", "Shard <em>it</em>."));
        let said: Vec<(&str, bool)> = session.links.iter().map(|l| (l.title.as_str(), l.hidden)).collect();
        let wanted = [("Chapter 09: ZeRO & FSDP", false), ("Talk, for the presenter", true), ("Handout", false)];
        let wanted = [&wanted[..], &[("Lab: FSDP, measured", false), ("Mission: Make it fit", false)]].concat();
        assert_eq!(said, wanted);
        for link in &session.links[1..] {
            assert!(html.contains(&escape(&link.url)), "{}", link.url);
        }
    }

    #[test]
    fn every_lecture_list_has_its_lines() {
        let html = page(&teaching(), &course());
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
                "lab/fsdp/ FSDP, measured",
                "mission/fit-it/ Make it fit",
            ];
            assert_eq!(lines, wanted);
        }
    }
}
