//! A run as a file for other programs.

use super::{EventKind, Run};
use crate::trace::{Event, chrome};

impl Run {
    /// The run as a Chrome trace: two rows for each rank, one for its program and one for what runs beside it.
    pub fn chrome_trace(&self, name: &str) -> String {
        let rows: Vec<String> =
            (0..self.ranks.len()).flat_map(|rank| [format!("rank {rank}"), format!("rank {rank}, beside")]).collect();
        let events = self.ranks.iter().enumerate().flat_map(|(rank, of)| {
            of.events.iter().map(move |event| Event {
                row: 2 * rank + usize::from(event.stream),
                name: event.call(),
                category: match event.kind {
                    EventKind::Compute => "compute",
                    EventKind::Send => "send",
                    EventKind::Recv => "recv",
                    EventKind::Wait => "wait",
                    EventKind::Collective => "collective",
                },
                start: event.start * 1e3,
                end: event.end * 1e3,
                args: vec![("line", event.line.into()), ("bytes", event.bytes)],
            })
        });
        chrome(name, &rows, events)
    }
}
