//! Passes on the GPU: recorded, submitted, and timed by the device's clock or ours; and what they wrote, brought back.

use ringside_core::kernels::job::Trouble;
use ringside_core::kernels::timing::{PASS, SUBMISSION, WARM_UP, repeats, steady};
use web_time::Instant;
use wgpu::{
    Buffer, BufferUsages, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor, ComputePassTimestampWrites,
    Features, MapMode, QuerySet, QuerySetDescriptor, QueryType,
};

use super::Progress;
use super::adapter::{Gpu, Memory};

/// Measurements; and measurements of what takes longer than a submission should, or on a device whose times show nothing of a GPU.
const ROUNDS: u32 = 9;
const FEW: u32 = 3;
/// How often rounds are measured again that grew faster while they went on.
const ATTEMPTS: u32 = 3;
/// Bytes of the times when a pass began and ended.
const TICKS: u64 = 16;

/// What a pass is timed by: the device's own clock, if it has one.
pub(crate) struct Clock<'a> {
    gpu: &'a Gpu,
    ticks: Option<Ticks>,
}

/// The device's own clock.
struct Ticks {
    set: QuerySet,
    resolved: Buffer,
    read: Buffer,
}

impl<'a> Clock<'a> {
    /// The clock of a device, with buffers among those of a job.
    pub(crate) fn new(gpu: &'a Gpu, memory: &Memory) -> Self {
        let ticks = gpu.device.features().contains(Features::TIMESTAMP_QUERY).then(|| Ticks {
            set: gpu.device.create_query_set(&QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: 2 }),
            resolved: memory.buffer(TICKS, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC),
            read: memory.buffer(TICKS, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
        });
        Self { gpu, ticks }
    }

    /// One pass, and how long it took by the device's clock, or by ours if it has none or shows nothing; in seconds.
    pub(crate) async fn pass(&self, record: impl Fn(&mut ComputePass)) -> Result<f64, Trouble> {
        let gpu = self.gpu;
        let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
        let timestamp_writes = self.ticks.as_ref().map(|ticks| ComputePassTimestampWrites {
            query_set: &ticks.set,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        record(&mut encoder.begin_compute_pass(&ComputePassDescriptor { label: None, timestamp_writes }));
        if let Some(ticks) = &self.ticks {
            encoder.resolve_query_set(&ticks.set, 0..2, &ticks.resolved, 0);
            encoder.copy_buffer_to_buffer(&ticks.resolved, 0, &ticks.read, 0, TICKS);
        }
        let commands = encoder.finish();
        let before = Instant::now();
        gpu.queue.submit([commands]);
        gpu.told(|done| gpu.queue.on_submitted_work_done(move || done(()))).await?;
        let ours = before.elapsed().as_secs_f64();
        let Some(ticks) = &self.ticks else { return Ok(ours) };
        let nanoseconds = match read::<u64>(gpu, &ticks.read).await?.as_slice() {
            [start, end] => end.saturating_sub(*start) as f64 * f64::from(gpu.queue.get_timestamp_period()),
            _ => 0.0,
        };
        // A clock that stands still, or runs ahead of ours, is none.
        let theirs = nanoseconds / 1e9;
        Ok(if theirs > 0.0 && theirs <= ours * 1.05 + 1e-3 { theirs } else { ours })
    }

    /// The seconds that `record` takes, measured several times, and how often it was repeated in each. What was run once
    /// before is warm.
    pub(crate) async fn rounds(
        &self,
        record: impl Fn(&mut ComputePass),
        progress: Progress<'_>,
    ) -> Result<(Vec<f64>, u32), Trouble> {
        let repeated = async |times: u32| self.pass(|pass| (0..times).for_each(|_| record(pass))).await;
        // The first run compiled: how long one takes is seen in the second.
        let mut once = repeated(1).await?;
        let mut seconds = Vec::new();
        let mut times = repeats(once);
        let rounds = if once > SUBMISSION || self.gpu.software { FEW } else { ROUNDS };
        for _ in 0..ATTEMPTS {
            let started = Instant::now();
            while !self.gpu.software && started.elapsed().as_secs_f64() < WARM_UP {
                once = repeated(times).await? / f64::from(times);
                times = repeats(once);
            }
            if f64::from(times) * once < PASS {
                times = repeats(repeated(times).await? / f64::from(times));
            }
            seconds.clear();
            for round in 0..rounds {
                progress("measuring", 0.5 + 0.5 * f64::from(round) / f64::from(rounds));
                seconds.push(repeated(times).await? / f64::from(times));
            }
            if self.gpu.software || steady(&seconds) {
                break;
            }
        }
        Ok((seconds, times))
    }
}

/// What is in a buffer, by way of one that can be read here.
pub(crate) async fn download(gpu: &Gpu, from: &Buffer, by: &Buffer) -> Result<Vec<f32>, Trouble> {
    let mut encoder = gpu.device.create_command_encoder(&CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(from, 0, by, 0, by.size());
    gpu.queue.submit([encoder.finish()]);
    read(gpu, by).await
}

/// What is in a buffer that can be read here.
async fn read<T: bytemuck::Pod>(gpu: &Gpu, buffer: &Buffer) -> Result<Vec<T>, Trouble> {
    let refused = |why: &dyn std::fmt::Display| Trouble::NotAccepted(why.to_string());
    gpu.told(|done| buffer.map_async(MapMode::Read, .., done)).await?.map_err(|why| refused(&why))?;
    let values = bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..).map_err(|why| refused(&why))?);
    buffer.unmap();
    Ok(values)
}
