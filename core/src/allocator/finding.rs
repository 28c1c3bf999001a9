//! What the allocator did, in sentences.

use super::device::SMALL;
use super::{Answer, Op, Run, Served, Snapshot};
use crate::quantity::{Unit, bytes_binary, grouped};

fn bytes(value: u64) -> String {
    bytes_binary(value as f64)
}

/// `part` of `whole`, in percent.
fn share(part: u64, whole: u64) -> String {
    let share = if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    Unit::Fraction.format((share * 1000.0).round() / 1000.0)
}

impl Run {
    /// What the last step did, and what there is now.
    pub fn finding(&self) -> String {
        let Some(op) = self.step.checked_sub(1).and_then(|i| self.program.get(i)) else {
            return "Nothing is asked for yet, and nothing taken from the device.".to_owned();
        };
        let (allocated, reserved) = (bytes(self.now.allocated()), bytes(self.now.reserved()));
        let now = format!("{allocated} are allocated, {reserved} reserved.");
        match (op, self.answers.last().copied().flatten()) {
            (Op::Alloc { name, bytes }, Some(answer)) => format!("{} {now}", self.asked_for(name, *bytes, answer)),
            (Op::Free(request), _) => {
                let name = self.name(*request);
                format!("“{name}” is freed. Its block stays with the allocator, joined to its free neighbours. {now}")
            }
            (Op::Alloc { .. }, None) => now,
        }
    }

    fn asked_for(&self, name: &str, request: u64, answer: Answer) -> String {
        let [asked_for, rounded] = [request, answer.rounded].map(bytes);
        let rounded = if asked_for == rounded { String::new() } else { format!(", rounded to {rounded}") };
        let asked = format!("“{name}” asks for {}{rounded}.", asked_for);
        let again = match answer.released {
            Some(0) => " The device has too little, and no segment is free to be given back.".to_owned(),
            Some(released) => {
                format!(" The device has too little: {} go back to it, and it is asked again.", bytes(released))
            }
            None => String::new(),
        };
        let served = match answer.served {
            Served::Reused { segment, block } if block == answer.rounded => {
                format!("A free block of just that size in segment {segment} serves it.")
            }
            Served::Reused { segment, block } => {
                format!("The smallest free block that is long enough has {}, in segment {segment}.", bytes(block))
            }
            Served::Taken { segment, bytes: taken } => {
                format!("Segment {segment}, {}, is taken from the device.", bytes(taken))
            }
            Served::Grown { segment, bytes: mapped } => format!("Segment {segment} grows by {}.", bytes(mapped)),
            Served::OutOfMemory => return format!("Out of memory. {asked}{again} {}", self.why(answer)),
        };
        let small = if answer.rounded <= SMALL { " Small requests share segments of 2 MiB." } else { "" };
        format!("{asked}{again} {served}{small}")
    }

    /// Why there is no memory, and what would help.
    fn why(&self, answer: Answer) -> String {
        let unallocated = self.now.reserved().saturating_sub(self.now.allocated());
        let (free, device) = (bytes(unallocated), bytes(self.now.device_free()));
        if unallocated.saturating_add(self.now.device_free()) < answer.rounded {
            return format!(
                "A true shortage: {device} are free on the device and {free} reserved and unallocated, together less than it asks for."
            );
        }
        let longest = bytes(self.now.longest_free());
        let help = if self.expandable() { "" } else { " With expandable_segments the holes could be given back." };
        format!(
            "Fragmentation: {free} are reserved and unallocated, but the longest free block has {longest}, and the device {device}.{help}"
        )
    }

    /// Whether segments grow.
    pub fn expandable(&self) -> bool {
        self.now.expandable
    }
}

impl Snapshot {
    /// What a snapshot says.
    pub fn finding(&self) -> String {
        let (reserved, allocated, free) = (self.bytes.reserved(), self.bytes.allocated, self.bytes.free);
        let held = free.saturating_sub(self.given_back);
        let segments = (self.segments.len() as u64).saturating_add(self.more.0);
        format!(
            "{} of {} reserved are allocated ({}). {} are free: {} of it in segments that a retry could give back, {} in holes beside blocks that are in use. \
             The longest free block has {}. {} segments.",
            bytes(allocated),
            bytes(reserved),
            share(allocated, reserved),
            bytes(free),
            bytes(self.given_back),
            bytes(held),
            bytes(self.bytes.longest_free),
            grouped(segments)
        )
    }
}
