//! How like a text another is, without running either.

/// 1 − the Levenshtein distance over the length of the longer, in characters (Levenshtein 1966): 1 for equal texts.
pub fn edit(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longest = a.len().max(b.len());
    if longest == 0 {
        return 1.0;
    }
    // One row of the table: the distance of what was read of `a` from each beginning of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row.get(j + 1).copied().unwrap_or(0);
            if let Some(cell) = row.get_mut(j) {
                *cell = left;
            }
            left = (diagonal + usize::from(x != y)).min(above + 1).min(left + 1);
            diagonal = above;
        }
        if let Some(cell) = row.last_mut() {
            *cell = left;
        }
    }
    1.0 - row.last().copied().unwrap_or(0) as f64 / longest as f64
}
