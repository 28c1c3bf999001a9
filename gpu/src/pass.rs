//! Passes on the GPU: recorded, submitted, and timed by the device's clock or ours; and what they wrote, brought back.

use js_sys::{Array, BigUint64Array, Float32Array};
use ringside_core::kernels::timing::{PASS, SUBMISSION, repeats};
use ringside_core::kernels::wire::Trouble;
use wasm_bindgen::prelude::*;

use crate::adapter::Gpu;
use crate::progress;
use crate::webgpu::{Buffer, ComputePass, Encoder, member, now, object, text_of, usage, wait};

/// Measurements, and measurements of what takes longer than a submission should.
const ROUNDS: u32 = 9;
const FEW: u32 = 3;

/// Of something that JavaScript threw.
pub(crate) fn thrown(error: &JsValue) -> Trouble {
    Trouble::NotAccepted(text_of(error))
}

/// What a pass is timed by: the device's own clock, if it has one.
pub(crate) struct Clock(Option<Ticks>);

/// The device's own clock.
struct Ticks {
    set: JsValue,
    resolved: Buffer,
    read: Buffer,
}

impl Clock {
    /// The clock of a device, with buffers that `make` makes of a size and a usage.
    pub(crate) fn new(gpu: &Gpu, make: impl Fn(f64, u32) -> Result<Buffer, Trouble>) -> Result<Self, Trouble> {
        if !gpu.timestamps {
            return Ok(Self(None));
        }
        let set = object(&[("type", "timestamp".into()), ("count", 2.into())]);
        Ok(Self(Some(Ticks {
            set: gpu.device.create_query_set(&set).map_err(|e| thrown(&e))?,
            resolved: make(16.0, usage::QUERY_RESOLVE | usage::COPY_SRC)?,
            read: make(16.0, usage::MAP_READ | usage::COPY_DST)?,
        })))
    }

    /// One pass, and how long it took by the device's clock, or by ours if it has none or shows nothing; in seconds.
    pub(crate) async fn pass(&self, gpu: &Gpu, record: impl Fn(&ComputePass)) -> Result<f64, Trouble> {
        let device = &gpu.device;
        let encoder: Encoder = device.create_encoder();
        let descriptor = match &self.0 {
            Some(ticks) => object(&[(
                "timestampWrites",
                object(&[
                    ("querySet", ticks.set.clone()),
                    ("beginningOfPassWriteIndex", 0.into()),
                    ("endOfPassWriteIndex", 1.into()),
                ]),
            )]),
            None => JsValue::UNDEFINED,
        };
        let pass = encoder.begin(&descriptor);
        record(&pass);
        pass.end();
        if let Some(ticks) = &self.0 {
            encoder.resolve(&ticks.set, 0, 2, &ticks.resolved, 0.0);
            encoder.copy(&ticks.resolved, 0.0, &ticks.read, 0.0, 16.0);
        }
        let queue = device.queue();
        let before = now();
        queue.submit(&Array::of1(&encoder.finish()));
        wait(queue.done()).await.map_err(|e| thrown(&e))?;
        let ours = (now() - before) / 1e3;
        let Some(ticks) = &self.0 else { return Ok(ours) };
        wait(ticks.read.map(usage::MAP_READ)).await.map_err(|e| thrown(&e))?;
        let range = ticks.read.mapped_range().map_err(|e| thrown(&e))?;
        let values = BigUint64Array::new(&range).to_vec();
        ticks.read.unmap();
        let nanoseconds = match values.as_slice() {
            [start, end] => end.saturating_sub(*start),
            _ => 0,
        };
        // A clock that stands still, or runs ahead of ours, is none.
        let theirs = nanoseconds as f64 / 1e9;
        Ok(if theirs > 0.0 && theirs <= ours * 1.05 + 1e-3 { theirs } else { ours })
    }

    /// The seconds that `record` takes, measured several times, and how often it was repeated in each. What was run once
    /// before is warm.
    pub(crate) async fn rounds(&self, gpu: &Gpu, record: impl Fn(&ComputePass)) -> Result<(Vec<f64>, u32), Trouble> {
        let repeated = async |times: u32| self.pass(gpu, |pass| (0..times).for_each(|_| record(pass))).await;
        // The first run compiled and warmed up: how long one takes is seen in the second.
        let warm = repeated(1).await?;
        let mut times = repeats(warm);
        if f64::from(times) * warm < PASS {
            times = repeats(repeated(times).await? / f64::from(times));
        }
        let mut seconds = Vec::new();
        let rounds = if warm > SUBMISSION { FEW } else { ROUNDS };
        for round in 0..rounds {
            progress("measuring", 0.5 + 0.5 * f64::from(round) / f64::from(rounds));
            seconds.push(repeated(times).await? / f64::from(times));
        }
        Ok((seconds, times))
    }

    /// Gives its memory back.
    pub(crate) fn destroy(&self) {
        if let Some(ticks) = &self.0 {
            ticks.resolved.destroy();
            ticks.read.destroy();
        }
    }
}

/// So many values of a buffer, by way of one that can be read here.
pub(crate) async fn download(gpu: &Gpu, from: &Buffer, by: &Buffer, values: u64) -> Result<Vec<f32>, Trouble> {
    let encoder = gpu.device.create_encoder();
    encoder.copy(from, 0.0, by, 0.0, 4.0 * values as f64);
    gpu.device.queue().submit(&Array::of1(&encoder.finish()));
    wait(by.map(usage::MAP_READ)).await.map_err(|e| thrown(&e))?;
    let range = by.mapped_range().map_err(|e| thrown(&e))?;
    let length = member(&range, "byteLength").as_f64().unwrap_or(0.0) as u64 / 4;
    let data = Float32Array::new(&range).subarray(0, length.min(values) as u32).to_vec();
    by.unmap();
    Ok(data)
}
