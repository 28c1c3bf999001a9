//! What a learner may have meant: the nearest word that the course has.

/// Letters that may be wrong in a word of this many: none in a short one, where every other word would be near.
fn allowed(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Which of `words` (with how often each occurs) is nearest to `word`, or begins with what is, if `word` may be unfinished; the most frequent
/// of several. `None` if none is near.
pub(super) fn nearest<'a, T>(
    word: &str,
    unfinished: bool,
    words: impl Iterator<Item = (&'a str, usize, T)>,
) -> Option<T> {
    let word: Vec<char> = word.chars().collect();
    let most = allowed(word.len());
    let near = words.filter_map(|(other, count, of)| {
        // Letters take one byte at least.
        if other.len() + most < word.len() || (!unfinished && other.len() > 4 * (word.len() + most)) {
            return None;
        }
        let other: Vec<char> = other.chars().collect();
        // A wrong digit is another thing, and no slip.
        if !digits(&word).eq(digits(other.get(..word.len() + most).unwrap_or(&other))) {
            return None;
        }
        let off = distance(&word, &other, unfinished, most)?;
        // Who is off by two letters has begun right: "sufficient" is not "efficient".
        let begins = word.iter().take(2).eq(other.iter().take(2));
        if (off > 1 && !begins) || are_forms(&word, &other) {
            return None;
        }
        Some(((off, word.len().abs_diff(other.len()), std::cmp::Reverse(count)), of))
    });
    near.min_by_key(|(rank, _)| *rank).map(|(_, of)| of)
}

/// Whether both are forms of one English word, which is no slip: "steadily" and "steady", "tuned" and "tune", "resilience" and "resilient".
fn are_forms(word: &[char], other: &[char]) -> bool {
    /// Endings of inflection and derivation.
    const ENDINGS: [&str; 27] = [
        "", "s", "es", "y", "e", "ed", "er", "est", "ing", "ly", "al", "ally", "ity", "ness", "able", "ible", "ance",
        "ence", "ant", "ent", "ce", "t", "ion", "ive", "or", "ful", "ment",
    ];
    /// Those of a word that ends in an e.
    const AFTER_E: [&str; 3] = ["d", "r", "st"];
    const STEM: usize = 4;
    let stem = word.iter().zip(other).take_while(|(a, b)| a == b).count();
    let follows_e = stem.checked_sub(1).and_then(|last| word.get(last)) == Some(&'e');
    let is_ending = |word: &[char]| {
        let end: String = word.get(stem..).unwrap_or_default().iter().collect();
        // "Steady" changes its last letter before an ending.
        let plain = end.strip_prefix('i').unwrap_or(&end);
        ENDINGS.contains(&plain) || ENDINGS.contains(&end.as_str()) || (follows_e && AFTER_E.contains(&end.as_str()))
    };
    stem >= STEM && word != other && is_ending(word) && is_ending(other)
}

fn digits(word: &[char]) -> impl Iterator<Item = &char> {
    word.iter().filter(|c| c.is_ascii_digit())
}

/// How many letters are wrong, missing, too many or swapped with the next in `word` to be `other`, or its beginning if `prefix` is set; `None`
/// if they are more than `most`. The distance of Damerau and Levenshtein, restricted to swaps of neighbours.
fn distance(word: &[char], other: &[char], prefix: bool, most: usize) -> Option<usize> {
    let longest = word.len() + most;
    if most == 0 || other.len() + most < word.len() || (!prefix && other.len() > longest) {
        return None;
    }
    let other = other.get(..longest).unwrap_or(other);
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=other.len()).collect()];
    for (i, a) in word.iter().enumerate() {
        rows.rotate_left(1);
        let [two_before, before, row] = &mut rows;
        row.clear();
        row.push(i + 1);
        for (j, b) in other.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut least = (at(before, j) + usize::from(a != b)).min(at(before, j + 1) + 1).min(at(row, j) + 1);
            let swapped = i > 0 && j > 0 && word.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                least = least.min(at(two_before, j - 1) + 1);
            }
            row.push(least);
        }
        if row.iter().all(|off| *off > most) {
            return None;
        }
    }
    let last = &rows[2];
    let off = if prefix { last.iter().min() } else { last.last() };
    off.copied().filter(|off| *off <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let words = ["attention", "flash", "gradient", "ridge", "ring"];
        let meant = |word: &str, unfinished| nearest(word, unfinished, words.iter().map(|w| (*w, 1, *w)));
        assert_eq!(meant("attnetion", false), Some("attention"), "two letters swapped");
        assert_eq!(meant("gradeint", false), Some("gradient"));
        assert_eq!(meant("aten", true), Some("attention"), "an unfinished word with a slip");
        assert_eq!(meant("aten", false), None);
        let numbered = |word: &str| nearest(word, false, ["zero2", "llama2", "llama4"].into_iter().map(|w| (w, 1, w)));
        assert_eq!([numbered("zero3"), numbered("llama3"), numbered("lama2")], [None, None, Some("llama2")]);
        assert_eq!(meant("rig", false), None, "every short word is near to another");
        assert_eq!(meant("xyzzyxyzzy", false), None);
    }

    #[test]
    fn no_correct_word_is_replaced() {
        let words =
            ["efficient", "steady", "training", "gradient", "slow", "resilient", "allocation", "feasible", "optimal"];
        let meant = |word: &str| nearest(word, false, words.iter().map(|w| (*w, 1, *w)));
        assert_eq!(["sufficient", "steadily", "steadier"].map(meant), [None; 3]);
        assert_eq!(["resilience", "allocator", "feasibly", "optimally", "steadiest"].map(meant), [None; 5]);
        assert_eq!(
            ["eficient", "trainng", "rgadient", "gradint", "optiml", "allocatoin"].map(meant),
            [
                Some("efficient"),
                Some("training"),
                Some("gradient"),
                Some("gradient"),
                Some("optimal"),
                Some("allocation")
            ]
        );
    }

    #[test]
    fn a_distance_counts_slips() {
        let off = |word: &str, other: &str, prefix| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            distance(&chars(word), &chars(other), prefix, 2)
        };
        assert_eq!(off("kitten", "kitten", false), Some(0));
        assert_eq!(off("kiten", "kitten", false), Some(1));
        assert_eq!(off("iktten", "kitten", false), Some(1));
        assert_eq!(off("sitting", "kitten", false), None);
        assert_eq!(off("kit", "kitten", false), None);
        assert_eq!(off("kit", "kitten", true), Some(0));
        assert_eq!(off("", "ab", false), Some(2));
    }
}
