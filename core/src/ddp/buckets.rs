//! Which gradients travel together.

/// Deals `sizes` out to buckets, in their order: a bucket is closed as soon as it has reached its limit. The first bucket has the
/// first of the `limits`, the next the next, and all further ones the last (`compute_bucket_assignment_by_size`).
pub fn assign(sizes: impl IntoIterator<Item = (usize, f64)>, limits: &[f64]) -> Vec<Vec<usize>> {
    let mut limits = limits.iter().copied();
    let mut limit = limits.next().unwrap_or(f64::INFINITY);
    let mut buckets = Vec::new();
    let (mut bucket, mut size) = (Vec::new(), 0.0);
    for (index, bytes) in sizes {
        bucket.push(index);
        size += bytes;
        if size >= limit {
            buckets.push(std::mem::take(&mut bucket));
            size = 0.0;
            limit = limits.next().unwrap_or(limit);
        }
    }
    if !bucket.is_empty() {
        buckets.push(bucket);
    }
    buckets
}
