//! Lab 08: decoding against the roofline.

use super::block::Block;
use super::{ROUNDOFF, Rows, Within};
use crate::kv_cache::{Cache, Keeps};
use crate::quantity::Unit;
use crate::setup::Measurable;

/// A framework's own time for each of a step's many small operations is not in the roofline.
const NEAR: f64 = 3.0;

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let [layers, width, heads, kv_heads] =
        ["layers", "width", "heads", "kv_heads"].map(|name| block.whole(name, 1.0, 1e6));
    let [context, tokens] = ["context", "tokens"].map(|name| block.whole(name, 1.0, 1e7));
    let bytes = block.whole("bytes", 1.0, 8.0);
    let weights = block.whole("weight_bytes", 1.0, 1e15);
    let [flops, bandwidth] = ["flops", "bandwidth"].map(|name| block.number(name, 1.0, 1e18));
    let error = block.number("cache_error", 0.0, 1e30);
    let wrong = block.number("cache_error_if_wrong", 0.0, 1e30);
    let measured = block.rows::<4>("rows");
    // Dot products of `width` terms in fp32, through two layers: what rounding at random leaves (Higham, §2.8), with room.
    let bound = 16.0 * (2.0 * width).sqrt() * ROUNDOFF;
    rows.add("Largest difference that the cache makes to a logit", (bound, error), Unit::Ratio, Within::AtMost, |_| {
        "More than rounding in fp32 explains: look at the positions and at what is kept.".into()
    });
    rows.right(
        "A cache that is off by one is seen",
        wrong > bound,
        "Keys written one place too early leave the logits as they are, so the comparison above proves nothing.",
    );
    let head = (width / heads).floor();
    let keeps = Keeps::Heads { kv_heads: kv_heads as u64, key: head as u64, value: head as u64 };
    let cache = Cache::same(layers as u64, keeps);
    let params = weights / bytes;
    let mut best = (1.0_f64, 0.0_f64);
    for &[batch, prefill, step, held] in &measured {
        let room = batch * cache.bytes((context + tokens) as u64, bytes);
        rows.add(format!("KV cache of {batch}"), (room, held), Unit::Bytes, Within::Exactly, |_| {
            "Keys and values, for each layer, KV head, position and request: which of them does the model keep otherwise?".into()
        });
        // All weights and the caches are read once; 2 FLOPs for each weight and token.
        let read = weights + batch * cache.bytes((context + tokens / 2.0) as u64, bytes);
        let (memory, compute) = (read / bandwidth, 2.0 * params * batch / flops);
        rows.add(format!("A step of decoding, batch {batch}"), (memory.max(compute), step), Unit::Seconds, Within::Times(NEAR), |ratio| {
            if ratio > 1.0 {
                "Slower than the roofline: launches and Python cost more than the bytes of so small a model. More layers do not help, wider ones do."
            } else {
                "Faster than the roofline: the weights fit a cache nearer than the memory that was measured."
            }
            .into()
        });
        let work = 2.0 * params * batch * context / flops;
        rows.add(format!("Prefill, batch {batch}"), (work, prefill), Unit::Seconds, Within::Times(NEAR), |ratio| {
            if ratio > 1.0 {
                "Slower than the FLOPs say: attention and everything between the matmuls read and write memory."
            } else {
                "Faster than the FLOPs say: the matmul that was measured for the roof did not reach the peak."
            }
            .into()
        });
        if step > 0.0 && batch / step > best.1 {
            best = (batch, batch / step);
        }
    }
    rows.keep(Measurable::Flops, flops);
    rows.keep(Measurable::Memory, bandwidth);
    let critical = flops / bandwidth * bytes / 2.0;
    rows.finding = format!(
        "Batch {} makes most tokens, {} per second. On this machine decoding stays bound by memory up to a batch of about {}.",
        best.0,
        crate::quantity::number(best.1),
        crate::quantity::number(critical.floor().max(1.0)),
    );
    rows
}
