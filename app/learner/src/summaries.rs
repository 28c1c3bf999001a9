//! Everything that the learner has written, as one document.

use std::collections::BTreeMap;

use ringside_content::schema::{Course, ExerciseIndex, Readings, Source};

use crate::doc::Doc;

/// One text of the learner's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What it is about.
    pub title: String,
    /// Where that is from: a source's authors, an exercise's chapter.
    pub about: String,
    /// A source's address.
    pub url: Option<String>,
    /// The text, in Markdown as typed.
    pub text: String,
}

/// The two parts of the document: of sources, in the order of the map, and of the course's own questions, in its order. What
/// the course no longer has comes last.
pub fn all(
    doc: &Doc,
    course: &Course,
    readings: &Readings,
    index: &ExerciseIndex,
) -> [(&'static str, Vec<Summary>); 2] {
    let mut left: BTreeMap<&str, &str> = doc
        .sources
        .iter()
        .map(|(id, note)| (id.as_str(), note.summary.trim()))
        .filter(|(_, summary)| !summary.is_empty())
        .collect();
    let mut sources = Vec::new();
    for Source { id, title, authors, year, url, .. } in &readings.sources {
        if let Some(text) = left.remove(id.as_str()) {
            let year = year.map(|year| format!(", {year}")).unwrap_or_default();
            let about = format!("{authors}{year}.");
            sources.push(Summary { title: title.clone(), about, url: Some(url.clone()), text: text.to_owned() });
        }
    }
    let unknown = |(id, text): (&str, &str)| Summary {
        title: id.to_owned(),
        about: String::new(),
        url: None,
        text: text.to_owned(),
    };
    sources.extend(left.into_iter().map(unknown));

    let explains = index.exercises.iter().filter(|e| e.kind == "explain");
    let explained = explains.filter_map(|exercise| {
        let text = doc.exercises.get(&exercise.key).map(|a| a.input.trim()).filter(|text| !text.is_empty())?;
        let chapter = course.chapter(exercise.chapter());
        let about = chapter.map(|c| format!("Chapter {}: {}.", c.number, c.title)).unwrap_or_default();
        Some(Summary { title: exercise.title.clone(), about, url: None, text: text.to_owned() })
    });
    [("Sources", sources), ("In my own words", explained.collect())]
}

/// The document as Markdown.
pub fn markdown(parts: &[(&str, Vec<Summary>)]) -> String {
    let mut text = String::from("# Summaries\n");
    for (part, summaries) in parts.iter().filter(|(_, summaries)| !summaries.is_empty()) {
        text.push_str(&format!("\n## {part}\n"));
        for Summary { title, about, url, text: body } in summaries {
            text.push_str(&format!("\n### {title}\n"));
            let address = url.as_ref().map(|url| format!(" <{url}>")).unwrap_or_default();
            if !about.is_empty() {
                text.push_str(&format!("\n{about}{address}\n"));
            }
            text.push_str(&format!("\n{body}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_content::schema::{Chapter, Indexed, Part};

    #[test]
    fn everything_written_comes_together_in_the_order_of_the_course() {
        let source = |id: &str, year| Source {
            id: id.into(),
            title: id.to_uppercase(),
            authors: "A. Author".into(),
            year,
            url: format!("https://{id}.example"),
            ..Source::default()
        };
        let readings = Readings { sources: vec![source("b", Some(2020)), source("a", None)] };
        let chapter = Chapter { slug: "c".into(), number: 3, title: "See".into(), ..Chapter::default() };
        let course = Course { parts: vec![Part { chapters: vec![chapter], ..Part::default() }], ..Course::default() };
        let exercise = |key: &str, kind: &str| Indexed {
            key: key.into(),
            title: format!("Why {key}?"),
            kind: kind.into(),
            ..Indexed::default()
        };
        let index = ExerciseIndex { exercises: vec![exercise("c/e", "explain"), exercise("c/n", "number")] };
        let mut doc = Doc::default();
        let text = |doc: &Doc| markdown(&all(doc, &course, &readings, &index));
        assert_eq!(text(&doc), "# Summaries\n");
        for (id, summary) in [("a", "- one\n- two\n"), ("b", " short "), ("gone", "kept"), ("empty", " ")] {
            doc.sources.entry(id.into()).or_default().summary = summary.into();
        }
        for key in ["c/e", "c/n"] {
            doc.exercises.entry(key.into()).or_default().input = "Because.".into();
        }
        assert_eq!(
            text(&doc),
            "# Summaries\n\n## Sources\n\n### B\n\nA. Author, 2020. <https://b.example>\n\nshort\n\n### A\n\nA. Author. \
             <https://a.example>\n\n- one\n- two\n\n### gone\n\nkept\n\n## In my own words\n\n### Why c/e?\n\nChapter 3: \
             See.\n\nBecause.\n"
        );
    }
}
