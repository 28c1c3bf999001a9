//! What decides when something ends.

/// The blocks that decide when the last of `blocks` ends, the first one first: each began when the one before it was done.
/// `end` says when a block ends, `after` the place of the block that it began after, if it waited for one.
pub(crate) fn path<B>(blocks: &[B], end: impl Fn(&B) -> f64, after: impl Fn(&B) -> Option<u32>) -> Vec<u32> {
    let ends = |i: &u32| blocks.get(*i as usize).map_or(0.0, &end);
    let mut at = (0..blocks.len() as u32).max_by(|a, b| ends(a).total_cmp(&ends(b)).then(b.cmp(a)));
    let mut path = Vec::new();
    while let Some(block) = at
        && path.len() < blocks.len()
    {
        path.push(block);
        at = blocks.get(block as usize).and_then(&after);
    }
    path.reverse();
    path
}
