use super::*;
use crate::query::Query;

fn batch(query: &str) -> (Params, Batch) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let batch = params.evaluate().expect("possible");
    (params, batch)
}

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    let all: usize = TALKS.iter().map(|talk| talk.tokens.len()).sum();
    let answers = TALKS.iter().flat_map(|talk| talk.tokens).filter(|(_, whose)| *whose == Whose::Assistant).count();
    for layout in ["padded", "longest", "packed", "cut"] {
        for seed in [0, 1, 7] {
            let (_, b) = batch(&format!("layout={layout}&row=96&seed={seed}"));
            assert_eq!((b.tokens(), b.lost), (all, 0), "{layout}");
            let mut seen: Vec<(usize, usize)> = b.cells().map(|c| (c.talk, c.index)).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), all);
            if layout != "cut" {
                assert_eq!(b.counted(), answers);
            }
            assert!(b.rows.iter().all(|row| row.len() <= b.width));
        }
    }
}

#[test]
fn packing_needs_fewer_rows_and_keeps_conversations_whole() {
    let (_, padded) = batch("layout=padded");
    let (_, packed) = batch("layout=packed");
    let (_, cut) = batch("layout=cut");
    assert!(packed.rows.len() < padded.rows.len() && cut.rows.len() <= packed.rows.len());
    for row in &packed.rows {
        assert!(row.windows(2).all(|w| w[1].talk != w[0].talk || w[1].position == w[0].position + 1));
    }
    assert_eq!(padded.pairs()[1], 0);
    assert!(packed.pairs()[1] > 0 && packed.pairs()[0] == padded.pairs()[0]);
    assert_eq!(batch("layout=packed").0.quantities(&packed)[10].value, 0.0, "cut off unless open");
}

#[test]
fn a_row_that_is_too_short_loses_answers_first() {
    let (_, b) = batch("layout=padded&row=32");
    assert!(b.lost > 0 && b.lost_answers > 0);
}

#[test]
fn a_mean_over_rows_weighs_short_answers_more() {
    let (p, b) = batch("layout=padded&weighting=rows");
    // 37 tokens of answers against 4.
    assert!((p.spread(&b) - 37.0 / 4.0).abs() < 1e-9, "{}", p.spread(&b));
    let (p, b) = batch("layout=padded&weighting=tokens");
    assert!((p.spread(&b) - 1.0).abs() < 1e-12);
    let total: f64 = b.cells().filter(|c| c.counted).map(|c| b.weight(c.talk, Weighting::Rows)).sum();
    assert!((total - 1.0).abs() < 1e-9);
}

#[test]
fn only_the_last_answer_of_two_is_counted() {
    let (_, answers) = batch("counted=answers");
    let (_, last) = batch("counted=last");
    let (_, all) = batch("counted=all");
    assert!(last.counted() < answers.counted() && answers.counted() < all.counted());
    assert_eq!(all.counted(), all.tokens() - TALKS.len());
}
