//! `new`: the beginning of a widget or a chapter, which builds, passes every test and is on the site.

use std::path::PathBuf;

use crate::args::Options;
use xtask::failure::{Failure, Result};
use xtask::process::{self, say};

/// `cargo xtask new widget <id>`, `cargo xtask new chapter <slug>`.
pub(crate) fn main(options: &Options) -> Result<()> {
    match (options.value("widget"), options.value("chapter")) {
        (Some(id), None) => finish(widget(&kebab(id)?)?),
        (None, Some(slug)) => finish(chapter(&kebab(slug)?)?),
        _ => Err(Failure::usage("say what is new: `cargo xtask new widget <id>` or `cargo xtask new chapter <slug>`.")),
    }
}

/// A file of the project, by its path from the root, and what it holds from now on.
type Written = (String, String);

fn finish(files: Vec<Written>) -> Result<()> {
    for (path, text) in files {
        process::write(&process::root().join(&path), text)?;
        say(format_args!("wrote {path}"));
    }
    Ok(())
}

/// An id as links have it: words of lower-case letters and digits with `-` between them.
fn kebab(id: &str) -> Result<String> {
    let word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    if id.split('-').all(word) {
        return Ok(id.to_owned());
    }
    Err(Failure::usage(format!(
        "“{id}” is no id: words of lower-case letters and digits with - between, such as `my-widget`."
    )))
}

/// `my-widget` as people write it: My widget.
fn title(id: &str) -> String {
    let words = id.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn at(path: &str) -> PathBuf {
    process::root().join(path)
}

/// Refuses to write over what is there.
fn must_be_new(path: &str) -> Result<()> {
    if at(path).exists() {
        return Err(Failure::usage(format!("{path} exists already.")));
    }
    Ok(())
}

fn widget(id: &str) -> Result<Vec<Written>> {
    let snake = id.replace('-', "_");
    let fill = |template: &str| template.replace("{id}", id).replace("{snake}", &snake).replace("{title}", &title(id));
    let new = [
        (format!("core/src/{snake}.rs"), fill(include_str!("../template/model.rs"))),
        (format!("content/drawing/src/pictures/{snake}.rs"), fill(include_str!("../template/picture.rs"))),
        (format!("content/figures/{id}.toml"), fill(include_str!("../template/figure.toml"))),
    ];
    for (path, _) in &new {
        must_be_new(path)?;
    }
    let lines = [
        line("core/src/lib.rs", "pub mod ", &format!("pub mod {snake};\n"))?,
        before("core/src/catalogue.rs", "pub const ALL", "];", &format!("    crate::{snake}::Params::ENTRY,\n"))?,
    ];
    let (path, text) = line("content/drawing/src/pictures/mod.rs", "mod ", &format!("mod {snake};\n"))?;
    // The module that it is downloaded in: that of its chapter, once it stands in one.
    let entry = format!("            {snake} {{ \"{id}\" {snake} ringside_core::{snake}::Params; }}\n");
    let registry = (path, insert(&text, "macro_rules! figures", "        }\n", &entry)?);
    Ok(new.into_iter().chain(lines).chain([registry]).collect())
}

/// The file with `new` in its place among the lines that begin like it.
fn line(path: &str, prefix: &str, new: &str) -> Result<Written> {
    let text = process::read_text(&at(path))?;
    let start = text
        .match_indices('\n')
        .map(|(i, _)| i + 1)
        .filter(|&i| text[i..].starts_with(prefix))
        .find(|&i| text[i..].lines().next().is_some_and(|line| line > new.trim_end()))
        .ok_or_else(|| format!("{path} has no line like “{}”.", new.trim_end()))?;
    Ok((path.to_owned(), format!("{}{new}{}", &text[..start], &text[start..])))
}

/// The file with `new` before the first `end` that follows `after`.
fn before(path: &str, after: &str, end: &str, new: &str) -> Result<Written> {
    let text = process::read_text(&at(path))?;
    Ok((path.to_owned(), insert(&text, after, end, new)?))
}

fn insert(text: &str, after: &str, end: &str, new: &str) -> Result<String> {
    let place = text.find(after).and_then(|i| text[i..].find(&format!("\n{end}")).map(|j| i + j + 1));
    let place = place.ok_or_else(|| format!("there is no list “{after}”."))?;
    Ok(format!("{}{new}{}", &text[..place], &text[place..]))
}

const COURSE: &str = "content/course.toml";

/// Of the chapter that a course has planned, or of a new one at its end.
fn chapter(slug: &str) -> Result<Vec<Written>> {
    let course = process::read_text(&at(COURSE))?;
    let planned = course.find(&format!("slug = \"{slug}\"\n"));
    let (course, entry) = match planned {
        Some(start) => {
            let end = course[start..].find("[[part").map_or(course.len(), |i| start + i);
            let entry = course[start..end].replacen("status = \"planned\"", "status = \"written\"", 1);
            (format!("{}{entry}{}", &course[..start], &course[end..]), entry)
        }
        None => {
            let number = course.matches("\nslug = ").count();
            let entry = include_str!("../../content/template/course.toml")
                .replace("my-chapter", slug)
                .replace("My chapter", &title(slug))
                .replace("number = 26", &format!("number = {number}"));
            (format!("{}\n\n{}", course.trim_end(), entry.trim_start()), entry)
        }
    };
    let value = |name: &str| {
        let line = entry.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().strip_prefix('='));
        line.map(|value| value.trim().trim_matches('"').to_owned()).unwrap_or_default()
    };
    let skill = entry.split("id = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let number: u32 = value("number").parse().unwrap_or_default();
    let folder = format!("content/chapters/{number:02}-{slug}");
    must_be_new(&folder)?;
    let fill = |template: &str| {
        template.replace("My chapter", &value("title")).replace("my-chapter.limit", skill).replace("my-chapter", slug)
    };
    Ok(vec![
        (COURSE.to_owned(), course),
        (format!("{folder}/chapter.md"), fill(include_str!("../../content/template/chapter.md"))),
        (format!("{folder}/exercises.toml"), fill(include_str!("../../content/template/exercises.toml"))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_words_with_hyphens() {
        assert_eq!(kebab("my-widget2").ok().as_deref(), Some("my-widget2"));
        for wrong in ["", "My", "a_b", "-a", "a--b", "2a", "a/b", "é"] {
            assert!(kebab(wrong).is_err(), "{wrong}");
        }
        assert_eq!(title("my-widget"), "My widget");
    }

    #[test]
    fn a_new_widget_is_in_every_list_and_nothing_else_changes() {
        let files = widget("trial-run").expect("new");
        let changed = |path: &str| {
            let (_, now) = files.iter().find(|(p, _)| p == path).expect(path);
            let before = process::read_text(&at(path)).expect(path);
            let added: Vec<&str> = now.lines().filter(|line| !before.lines().any(|old| old == *line)).collect();
            assert_eq!(now.lines().count(), before.lines().count() + added.len(), "{path}");
            added.join("|")
        };
        assert_eq!(changed("core/src/lib.rs"), "pub mod trial_run;");
        assert_eq!(changed("core/src/catalogue.rs"), "    crate::trial_run::Params::ENTRY,");
        assert_eq!(
            changed("content/drawing/src/pictures/mod.rs"),
            "mod trial_run;|            trial_run { \"trial-run\" trial_run ringside_core::trial_run::Params; }"
        );
        assert!(widget("amdahl").is_err(), "it exists");
    }

    #[test]
    fn a_new_chapter_takes_the_place_that_the_course_has_planned() {
        let files = chapter("trial-chapter").expect("new");
        let course = &files[0].1;
        assert!(course.contains("slug = \"trial-chapter\"") && files[1].0.ends_with("-trial-chapter/chapter.md"));
        assert!(chapter("memory-accounting").is_err(), "it is written");
    }
}
