//! Unions of intervals, in nanoseconds.

/// From when to when.
pub type Interval = (i64, i64);

/// The union of intervals: those that touch are joined. In HTA's manner (`hta/utils/utils.py:125-139`): sorted by their starts, one opens a
/// new interval when it starts after the largest end so far.
pub fn union(intervals: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    let mut all: Vec<Interval> = intervals.into_iter().collect();
    all.sort_by_key(|i| i.0);
    let mut merged: Vec<Interval> = Vec::new();
    for (start, end) in all {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// How long they are together.
pub fn length(intervals: &[Interval]) -> i64 {
    intervals.iter().fold(0_i64, |sum, (start, end)| sum.saturating_add(end.saturating_sub(*start)))
}

/// What two unions share.
pub fn both(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let (mut i, mut j) = (0, 0);
    let mut shared = Vec::new();
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (start, end) = (x.0.max(y.0), x.1.min(y.1));
        if start < end {
            shared.push((start, end));
        }
        if x.1 < y.1 { i += 1 } else { j += 1 }
    }
    shared
}

/// What a union has and another has not.
pub fn without(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let mut rest = Vec::new();
    let mut j = 0;
    for &(start, end) in a {
        let mut from = start;
        while b.get(j).is_some_and(|y| y.1 <= from) {
            j += 1;
        }
        let mut k = j;
        while let Some(&(cut, to)) = b.get(k).filter(|y| y.0 < end) {
            if cut > from {
                rest.push((from, cut));
            }
            from = from.max(to);
            k += 1;
        }
        if from < end {
            rest.push((from, end));
        }
    }
    rest
}

/// What lies between the intervals of a union.
pub fn gaps(union: &[Interval]) -> Vec<Interval> {
    union.windows(2).filter_map(|pair| Some((pair.first()?.1, pair.get(1)?.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_touch_are_one() {
        let merged = union([(10, 20), (0, 5), (20, 30), (12, 14), (31, 31)]);
        assert_eq!(merged, [(0, 5), (10, 30), (31, 31)]);
        assert_eq!(length(&merged), 25);
        assert_eq!(gaps(&merged), [(5, 10), (30, 31)]);
    }

    #[test]
    fn shared_and_left() {
        let (a, b) = ([(0, 10), (20, 30)], [(5, 22), (24, 25), (29, 40)]);
        assert_eq!(both(&a, &b), [(5, 10), (20, 22), (24, 25), (29, 30)]);
        assert_eq!(without(&a, &b), [(0, 5), (22, 24), (25, 29)]);
        assert_eq!(length(&both(&a, &b)) + length(&without(&a, &b)), length(&a));
        assert_eq!(without(&a, &[]), a);
        assert_eq!(without(&[], &b), []);
    }
}
