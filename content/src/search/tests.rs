use std::sync::Arc;

use super::*;
use crate::schema::{AskedQuestion, EntryKind, SearchEntry, SearchIndex};

fn entry(title: &str, context: &str, text: &str) -> SearchEntry {
    let own = str::to_owned;
    // No two places are the same.
    let href = format!("{title}/{context}/{text}");
    SearchEntry {
        kind: EntryKind::Section,
        title: own(title),
        context: own(context),
        href,
        words: String::new(),
        text: own(text),
    }
}

fn index(entries: &[SearchEntry]) -> Index {
    let same = vec![vec!["oom".to_owned(), "out of memory".to_owned()]];
    Index::of(Arc::new(SearchIndex { entries: entries.to_vec(), same, ..SearchIndex::default() }))
}

fn found(entries: &[SearchEntry], question: &str) -> Vec<usize> {
    index(entries).find(question, 10).hits.into_iter().map(|h| h.index).collect()
}

#[test]
fn titles_come_before_contexts_and_contexts_before_texts() {
    let entries = [entry("a b", "c", "all about memory"), entry("a b", "memory", "d"), entry("memory", "c", "d")];
    assert_eq!(found(&entries, "memory"), [2, 1, 0]);
}

#[test]
fn rare_words_count_more_and_no_word_is_a_must() {
    let mut entries = vec![entry("", "", "the gpu waits"); 5];
    for (i, entry) in entries.iter_mut().enumerate() {
        entry.href = i.to_string();
    }
    entries.push(entry("", "", "a stall of the loader"));
    assert_eq!(found(&entries, "why is my gpu waiting for the loader").first(), Some(&5));
    assert_eq!(found(&entries, "gpu xyzzyxyzzy").len(), 5);
}

#[test]
fn a_number_that_is_written_to_its_word_is_one_and_is_never_another() {
    let entries =
        [entry("", "", "zero2 keeps weights whole"), entry("", "", "ZeRO-3 shards weights"), entry("", "", "3 cats")];
    let found = index(&entries).find("fsdp or zero3 ", 10);
    assert_eq!((found.hits.first().map(|hit| hit.index), found.meant), (Some(1), None));
}

#[test]
fn the_last_word_may_be_unfinished_and_slips_are_forgiven() {
    let entries = [entry("", "", "gradients accumulate"), entry("", "", "attention of heads")];
    let index = index(&entries);
    let ask = |question: &str| {
        let found = index.find(question, 10);
        (found.hits.first().map(|hit| hit.index), found.meant, found.weak)
    };
    assert_eq!(ask("gradient accum"), (Some(0), None, false));
    assert_eq!(ask("gradeints "), (Some(0), Some("gradients".to_owned()), false));
    assert_eq!(ask("attnetion heads"), (Some(1), Some("attention heads".to_owned()), false));
    assert!(ask("xyzzyxyzzy qwertyqwerty attention").2, "most of it is nowhere");
    assert_eq!(ask("attentionHeads "), (Some(1), None, false));
}

#[test]
fn nothing_in_common_shows_figures_to_begin_with() {
    let figure = SearchEntry { kind: EntryKind::Widget, ..entry("Roofline", "", "") };
    let index = index(&[entry("a", "", ""), figure]);
    let found = index.find("zzzz", 10);
    assert_eq!(found.hits.iter().map(|hit| hit.index).collect::<Vec<_>>(), [1]);
    assert_eq!(found.caption(), Some("No exact match. Closest results:"));
    assert_eq!(
        index.find("why is the sky blue", 10).caption(),
        Some("This site doesn’t seem to cover that. Closest results:")
    );
    for signs in ["-", "…", "???"] {
        assert_eq!(index.find(signs, 10), found, "{signs}");
    }
    for nothing in ["", "  "] {
        assert_eq!(index.find(nothing, 10), Found::default(), "{nothing:?}");
    }
}

#[test]
fn numbers_and_filler_carry_no_result() {
    let figure = SearchEntry { kind: EntryKind::Widget, ..entry("Roofline", "", "") };
    let entries = [entry("24", "", "3 of 24"), entry("whatnot", "", "pipeline of 24"), figure];
    for (question, found_at, weak) in [
        ("why do my 3 children want 24 apples", &[2][..], true),
        ("24 pipelines ", &[1], false),
        ("24", &[0, 1], false),
        ("what is it for ", &[2], true),
        ("what is", &[2], true),
        ("what", &[1], false),
    ] {
        let found = index(&entries).find(question, 10);
        let at: Vec<usize> = found.hits.iter().map(|hit| hit.index).collect();
        assert_eq!((at.as_slice(), found.weak), (found_at, weak), "{question}");
    }
}

#[test]
fn phrases_of_the_same_meaning_are_one() {
    let entries = [entry("", "", "a step that is out of memory"), entry("", "", "memory of a step")];
    assert_eq!(found(&entries, "OOM in a step"), [0, 1]);
}

#[test]
fn a_phrase_for_searching_that_stands_whole_in_a_question_counts_with_its_filler() {
    let place =
        SearchEntry { words: "where should I start, test what I know".to_owned(), ..entry("Placement", "", "") };
    let entries = [entry("Start of a test", "", "start the test that you know"), place];
    assert_eq!(found(&entries, "where should I start with this"), [1, 0]);
    assert_eq!(found(&entries, "how can I test what I know"), [1, 0]);
    assert_eq!(found(&entries, "start of a test"), [0, 1]);
}

#[test]
fn questions_that_were_asked_lead_to_the_places_that_answered_them() {
    let entries = [entry("Rings", "", "a slow link"), entry("Trees", "", "a slow link")];
    let asked = ["my cable is slow", "links and cables"].map(|ask| AskedQuestion { ask: ask.to_owned(), at: vec![1] });
    let known = SearchIndex { entries: entries.to_vec(), asked: asked.to_vec(), ..SearchIndex::default() };
    let known = Index::of(Arc::new(known));
    let first = |question: &str| known.find(question, 10).hits.first().map(|hit| hit.index);
    assert_eq!(found(&entries, "slow link"), [0, 1]);
    assert_eq!(first("slow link"), Some(1), "two questions share a word with it");
    assert_eq!(first("my cable is slow"), Some(1), "of its words an entry has one");
    assert_eq!(first("rings"), Some(0), "no question has it");
    assert!(!known.find("cable", 10).weak, "a question had the word that no entry has");
}

#[test]
fn a_chapter_that_has_more_of_a_question_comes_first_and_reasons_stand_in_sections() {
    let place = |href: &str, kind, text: &str| SearchEntry { kind, href: href.to_owned(), ..entry("", "", text) };
    let section = EntryKind::Section;
    let chapters = [
        place("chapter/a/#x", section, "a bubble"),
        place("chapter/b/#x", section, "a bubble"),
        place("chapter/b/#y", section, "one bubble, and more of it"),
    ];
    assert_eq!(found(&chapters, "bubble"), [1, 2, 0]);
    let figure = [place("w/a/", EntryKind::Widget, "a bubble"), place("chapter/a/#x", section, "a bubble")];
    assert_eq!(found(&figure, "bubble"), [0, 1]);
    assert_eq!(found(&figure, "why a bubble"), [1, 0]);
}

#[test]
fn equal_scores_keep_their_order_and_a_place_comes_once() {
    let mut entries = vec![entry("Memory", "", ""); 5];
    for (i, entry) in entries.iter_mut().enumerate() {
        entry.href = (i / 2).to_string();
    }
    assert_eq!(found(&entries, "mem"), [0, 2, 4]);
    assert_eq!(index(&entries).find("mem", 2).hits.len(), 2);
}

#[test]
fn a_figure_that_its_quantities_found_shows_its_summary() {
    let entry = SearchEntry {
        kind: EntryKind::Widget,
        title: "Batching".to_owned(),
        text: "Requests share a step. Steps, Steps with prompts, Mean batch.".to_owned(),
        ..SearchEntry::default()
    };
    let text = entry.text.clone();
    let index = index(&[entry]);
    let found = index.find("steps with prompts", 1);
    let hit = found.hits.first().expect("a hit");
    assert_eq!(text.get(hit.snippet.clone()), Some("Requests share a step."));
}

#[test]
fn a_snippet_shows_the_match_and_its_marks() {
    let text = format!("{}the Ádám states of Adam take {}", "word ".repeat(40), "much room ".repeat(40));
    let index = index(&[entry("Adam", "", &text)]);
    let found = index.find("adam st", 1);
    let hit = found.hits.first().expect("a hit");
    assert_eq!(hit.title_marks.first(), Some(&(0..4)));
    let shown: Vec<&str> = hit.marks.iter().map(|m| &text[m.clone()]).collect();
    assert_eq!(shown, ["Ádám", "states", "Adam"]);
    assert!(text[hit.snippet.clone()].starts_with("word "));
}

proptest::proptest! {
    #[test]
    fn any_text_and_any_question_give_ranges_inside_the_text(title in "\\PC{0,40}", text in "\\PC{0,400}", question in "\\PC{0,12}") {
        let entries = [entry(&title, "", &text), entry(&text, &title, &question)];
        for hit in index(&entries).find(&question, 5).hits {
            let e = &entries[hit.index];
            assert!(e.text.get(hit.snippet.clone()).is_some());
            assert!(hit.marks.iter().all(|m| e.text.get(m.clone()).is_some()));
            assert!(hit.title_marks.iter().all(|m| e.title.get(m.clone()).is_some()));
        }
    }
}

#[test]
fn a_log_with_a_speed_is_compared_and_not_said_to_be_fine() {
    let said = |text: &str| {
        let answer = answer(&index(&[entry("a", "b", "c")]), &crate::schema::Signs(Vec::new()), text, 10);
        (answer.is_measured, answer.figures.len(), answer.summary())
    };
    let (is_measured, figures, summary) = said("epoch 1\n{'loss': 2.31, 'mfu': 0.14}\nstep time 1.9 s");
    assert!(is_measured && figures == 1 && summary == "No error in these 3 lines.", "{summary}");
    // An error comes first.
    let (is_measured, _, summary) = said("ValueError: x\nMFU 14%\ndone");
    assert!(is_measured && summary.contains("1 line looks like an error"), "{summary}");
    let (is_measured, figures, summary) = said("step 1\nloss 2.3");
    assert!(!is_measured && figures == 0 && summary.starts_with("Nothing in these 2 lines looks wrong."), "{summary}");
}
