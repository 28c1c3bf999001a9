//! A chapter in another language: what is taken from its translation, what stays English, and what is refused.

use ringside_content::language::Lang;
use ringside_content::{Mode, Site, Tree, build_tree};

use crate::{CHAPTER, file, golden, texts};

const GERMAN: &str = "chapters/07-everything/chapter.de.md";

/// The small course with this translation of its chapter.
fn built(german: &str) -> Site {
    let files = golden().into_iter().chain([(GERMAN.to_owned(), german.to_owned())]);
    build_tree(&Tree::from_files(files), Mode::Strict)
}

/// What is said of the translation: lines and messages.
fn said(german: &str) -> Vec<(usize, String)> {
    let own = built(german).diagnostics.into_iter().filter(|d| d.file == format!("content/{GERMAN}"));
    own.map(|d| (d.line, d.message)).collect()
}

/// The chapter up to its second section, under a title in another language: a translation as the build takes it.
fn translation() -> String {
    let golden = golden();
    let (_, english) = golden.iter().find(|(path, _)| path == CHAPTER).expect("the chapter");
    let body = english.splitn(3, "+++\n").nth(2).expect("front matter");
    let ends = body.match_indices("\n## ").nth(1).map_or(body.len(), |(at, _)| at + 1);
    let lede = english.lines().find(|line| line.starts_with("lede = ")).expect("a lede");
    let section = without_notes(&body[..ends]);
    format!("+++\ntitle = \"Alles\"\nquestion = \"Was geht?\"\n{lede}\n+++\n\n{section}")
}

fn without_notes(text: &str) -> String {
    let mut out = String::new();
    let mut in_notes = false;
    for line in text.split_inclusive('\n') {
        let fence = line.starts_with("```");
        in_notes |= fence && line.starts_with("```notes");
        if !in_notes {
            out.push_str(line);
        }
        in_notes &= !(fence && line.trim_end() == "```");
    }
    out
}

#[test]
fn what_is_not_translated_is_english_and_says_so() {
    let german = translation();
    let site = built(&german);
    let list: Vec<String> = site.diagnostics.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
    let html = |path: &str| {
        let bytes = &site.files.iter().find(|(p, _)| p == path).expect(path).1;
        String::from_utf8(bytes.clone()).expect("UTF-8")
    };
    let (de, en) = (html("chapters/everything.de.html"), html("chapters/everything.html"));
    assert!(de.starts_with("<article class=\"chapter-page\" lang=\"de\"") && de.contains("<h1>Alles</h1>"), "{de}");
    assert!(
        en.contains("<a href=\"de/chapter/everything/\" hreflang=\"de\" lang=\"de\" rel=\"alternate\">Deutsch</a>")
    );
    assert!(de.contains("<a href=\"chapter/everything/\" hreflang=\"en\" lang=\"en\" rel=\"alternate\">English</a>"));
    assert_eq!(de.matches("class=\"untranslated sans\"").count(), 1, "{de}");
    let (translated, rest) = de.split_once("<p class=\"untranslated sans\">").expect("the rest");
    // Every element of the text that isn't translated says that it is English; of those before, only figures, exercises and sources do.
    for (line, tag) in rest.lines().filter_map(|line| Some((line, line.strip_prefix("<h2")?))) {
        assert!(tag.starts_with(" lang=\"en\" id="), "{line}");
    }
    assert!(rest.contains("<p lang=\"en\">") && !translated.contains("<p lang=\"en\">"), "{de}");
    for slot in ["class=\"widget-slot\"", "class=\"exercise-slot\"", "class=\"sources-slot\""] {
        assert_eq!(de.matches(slot).count(), en.matches(slot).count(), "{slot}");
        assert_eq!(de.matches(&format!("<div lang=\"en\" {slot}")).count(), en.matches(slot).count(), "{slot}");
    }
    assert!(!de.contains("data-notes") && !de.contains("href=\"chapter/everything/#"), "{de}");
    let ids = |html: &str| {
        html.split(" id=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&de), ids(&en));

    let languages = |path: &str| &site.routes.iter().find(|route| route.path == path).expect(path).languages;
    let both = [(Lang::En, "chapter/everything/".to_owned()), (Lang::De, "de/chapter/everything/".to_owned())];
    assert_eq!(
        (languages("chapter/everything/"), languages("de/chapter/everything/")),
        (&both.to_vec(), &both.to_vec())
    );
    assert!(languages("").is_empty());
}

/// Each change of what must be the same is refused at its line.
#[test]
fn a_translation_that_changes_more_than_words_is_refused() {
    let german = translation();
    let line = |text: &str, what: &str| text.lines().position(|line| line.contains(what)).map_or(0, |at| at + 1);
    let first = |mark: &str, end: char| {
        let from = german.find(mark).unwrap_or_else(|| panic!("{mark} in\n{german}"));
        let rest = &german[from..];
        rest[..rest[mark.len()..].find(end).expect("its end") + mark.len()].to_owned()
    };
    let see = first("](see:", ')');
    let widget = first("```widget ", '\n');
    for (from, to, says) in [
        (see.clone(), see.replace("see:?", "see:?serial=0.5&"), "This is the link"),
        (widget.clone(), widget.replace("```widget ", "```widget planner-"), "chapter.md has the figure"),
        ("{#".to_owned(), "{#x-".to_owned(), "chapter.md has no section"),
    ] {
        let changed = german.replacen(&from, &to, 1);
        assert_ne!(changed, german, "{from}");
        let said = said(&changed);
        let at = line(&changed, &to);
        assert!(said.iter().any(|(line, text)| *line == at && text.contains(says)), "{at} {says}: {said:#?}");
    }
    let dropped = german.replacen(&see, "](https://example.org", 1);
    assert!(
        said(&dropped).iter().any(|(_, text)| text.contains("This is the link `https://example.org`; chapter.md has"))
    );
    let end = format!("{german}\n```notes\nNein.\n```\n");
    assert!(said(&end).iter().any(|(_, text)| text.starts_with("Notes for the presenter stay in chapter.md")));
    let more = format!("{german}\nUnd `=amdahl limit ? serial=0.5`.\n");
    assert!(said(&more).iter().any(|(_, text)| text.contains("doesn’t have the expression")), "{:#?}", said(&more));
    let lede = german.replacen("lede = \"", "lede = \"$x$ ", 1);
    assert_eq!(said(&lede), [(4, "chapter.md doesn’t have the formula `$x$` here; take it out.".to_owned())]);
    let none = build_tree(
        &Tree::from_files(golden().into_iter().chain([(GERMAN.replace(".de.", ".xx."), german)])),
        Mode::Strict,
    );
    assert!(none.diagnostics.iter().any(|d| d.file.ends_with("chapter.xx.md") && d.message.contains("chapter.de.md")));
}

/// The course's own translations: what they take is what the page says.
#[test]
fn the_course_has_a_chapter_in_german() {
    let page = String::from_utf8(file("chapters/memory-accounting.de.html").to_vec()).expect("UTF-8");
    assert!(!page.contains("<h2 lang=\"en\"") && page.contains("Der Text ist übersetzt."), "{page}");
    assert!(page.contains("<a href=\"de/chapter/memory-accounting/#zero\">"), "{page}");
    assert!(texts().contains_key("chapters/03-memory-accounting/chapter.de.md"));
}
