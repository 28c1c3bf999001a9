//! What JAX's rows are, which have no categories.

use super::Building;
use crate::trace::{Sort, Trace, Track};

impl Building {
    /// What the file calls its rows. JAX writes no categories: work of a GPU stands on threads `Stream #…` of a process `/device:GPU:0`,
    /// that of a TPU on `XLA Ops` of `/device:TPU:0`, calls of the driver on threads of `/host:CPU` (`openxla/xprof`, trace viewer). Its
    /// other rows of a device say the same again by step and module, and are no work.
    pub(super) fn name_tracks(&mut self) {
        let mut rows: Vec<Jax> = Vec::new();
        for track in &mut self.trace.tracks {
            let key = (track.process.clone(), track.thread.clone());
            track.process_name = self.process_names.get(&key.0).cloned().unwrap_or_default();
            track.thread_name = self.thread_names.get(&key).cloned().unwrap_or_default();
            rows.push(Jax::of(track));
        }
        for span in self.trace.spans.iter_mut().filter(|s| s.category == Trace::NONE) {
            let name = self.trace.names.get(span.name);
            match rows.get(span.track as usize) {
                Some(Jax::Stream(stream)) => {
                    span.stream = *stream;
                    span.sort = if name.starts_with("Memcpy") {
                        Sort::Copy
                    } else if name.starts_with("Memset") {
                        Sort::Set
                    } else {
                        Sort::Kernel
                    };
                }
                Some(Jax::Host) if is_driver_call(name) => span.sort = Sort::Call,
                _ => {}
            }
        }
    }
}

/// What a row of JAX's is.
enum Jax {
    /// Work of a device, with the number of its stream.
    Stream(i64),
    /// A thread of the host.
    Host,
    /// None of these.
    Other,
}

impl Jax {
    fn of(track: &Track) -> Self {
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
        let stream = || track.thread_name.strip_prefix("Stream #").and_then(digits);
        match track.process_name.as_str() {
            name if name.starts_with("/device:GPU") => stream().map_or(Self::Other, Self::Stream),
            name if name.starts_with("/device:TPU") && track.thread_name == "XLA Ops" => Self::Stream(0),
            name if name.starts_with("/host:CPU") => Self::Host,
            _ => Self::Other,
        }
    }
}

/// Whether a call without a category is one of CUDA's or HIP's: `cuLaunchKernel`.
fn is_driver_call(name: &str) -> bool {
    let rest = ["cuda", "cu", "hip"].iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}
