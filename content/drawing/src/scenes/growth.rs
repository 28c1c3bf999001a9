//! Attention as a sequence grows, as SVG text: a row for each part of the sequence, of what is scored and of what is kept.

use std::fmt::Write as _;

use ringside_core::attention::growth::{Params, STEPS};

/// What is left free at the foot of a row, and beside a head's column.
const FOOT: f64 = 0.14;
const BESIDE: f64 = 0.09;
/// The depth of the drawing of who shares with whom.
pub const DEEP: f64 = 10.0;

/// The rows of scores: those that were computed, the newest, and those to come.
pub fn scores(step: u64) -> String {
    let mut paths = [String::new(), String::new(), String::new()];
    for row in 0..STEPS {
        // Writing to a string does not fail.
        let _ = write!(paths[age(row, step)], "M0 {row}h{0}v{1}h-{0}z", row + 1, 1.0 - FOOT);
    }
    marked(&paths)
}

/// The keys and values of each row, a column for each head that has its own; and where every other head's would be.
pub fn kept(p: &Params) -> String {
    let mut text = String::from("<path class=\"spared\" d=\"");
    for head in 0..p.heads {
        let _ = write!(text, "M{:.2} 0h{:.2}v{STEPS}h-{1:.2}z", head as f64 + BESIDE, 1.0 - 2.0 * BESIDE);
    }
    text.push_str("\"/>");
    let (mut there, mut newest) = (String::new(), String::new());
    if let Some(past) = p.step.checked_sub(1) {
        for head in 0..p.kv_heads {
            let left = middle(p, head) - 0.5 + BESIDE;
            if past > 0 {
                column(&mut there, left, 0, past);
            }
            column(&mut newest, left, past, 1);
        }
    }
    text + &marked(&[there, newest, String::new()])
}

/// So many rows of a head's column.
fn column(path: &mut String, left: f64, from: u64, rows: u64) {
    let (wide, high) = (1.0 - 2.0 * BESIDE, rows as f64 - FOOT);
    let _ = write!(path, "M{left:.2} {from}h{wide:.2}v{high:.2}h-{wide:.2}z");
}

/// From each query head to the column that it reads.
pub fn shared(p: &Params) -> String {
    let mut paths = [String::new(), String::new()];
    let group = p.group().max(1);
    for head in 0..p.heads {
        let own = head / group;
        let _ = write!(
            paths[(own % 2) as usize],
            "M{:.2} 0V{:.1}L{:.2} {DEEP}",
            head as f64 + 0.5,
            DEEP * 0.3,
            middle(p, own)
        );
    }
    let [even, odd] = paths;
    format!("<path d=\"{even}\"/><path class=\"odd\" d=\"{odd}\"/>")
}

/// The middle of the column of a head of keys and values: under the query heads that share it.
fn middle(p: &Params, kv_head: u64) -> f64 {
    (kv_head as f64 + 0.5) * p.group() as f64
}

/// Whether a row was there, is the newest, or is to come.
fn age(row: u64, step: u64) -> usize {
    match step.checked_sub(row + 1) {
        Some(0) => 1,
        Some(_) => 0,
        None => 2,
    }
}

fn marked([there, newest, to_come]: &[String; 3]) -> String {
    format!("<path class=\"to-come\" d=\"{to_come}\"/><path d=\"{there}\"/><path class=\"newest\" d=\"{newest}\"/>")
}

#[cfg(test)]
mod tests {
    use ringside_core::declare::Model as _;
    use ringside_core::query::Query;

    use super::*;

    fn params(query: &str) -> Params {
        Params::read(&Query::parse(query)).0
    }

    #[test]
    fn a_row_is_as_long_as_it_has_keys() {
        let drawn = scores(3);
        assert_eq!(drawn.matches('M').count(), STEPS as usize);
        assert!(drawn.contains("<path d=\"M0 0h1v0.86h-1zM0 1h2v0.86h-2z\"/>"), "{drawn}");
        assert!(drawn.contains("class=\"newest\" d=\"M0 2h3v0.86h-3z\""), "{drawn}");
        assert!(scores(0).contains("class=\"newest\" d=\"\""));
    }

    #[test]
    fn columns_are_as_many_as_heads_of_keys_and_values() {
        for (query, columns) in
            [("heads=8&kv_heads=8&step=5", 8), ("heads=8&kv_heads=2&step=5", 2), ("heads=7&kv_heads=1&step=5", 1)]
        {
            let p = params(query);
            let drawn = kept(&p);
            // One for what each head would have, then those that were there and the newest of each column.
            assert_eq!(drawn.matches('M').count(), p.heads as usize + 2 * columns, "{drawn}");
            assert_eq!(shared(&p).matches('M').count(), p.heads as usize);
        }
        assert_eq!(kept(&params("heads=8&kv_heads=2&step=0")).matches('M').count(), 8);
    }
}
