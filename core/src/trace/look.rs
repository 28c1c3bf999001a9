//! What an event looks like in a drawing, and by what it is summed: coarser than [`Sort`], finer than
//! [`super::kind::Kind`].

use super::kind::communicates;
use super::names::waits;
use super::{Sort, Trace};

/// How an event is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// A kernel that computes.
    Computation,
    /// A kernel or a copy that moves data between GPUs.
    Communication,
    /// A copy or a memset.
    Copy,
    /// An operator.
    Operator,
    /// A call of the device's runtime.
    Call,
    /// A call that waits for the GPU.
    WaitingCall,
    /// A range that the program named.
    Range,
    /// Anything else.
    Other,
}

impl Look {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Look::Computation,
        Look::Communication,
        Look::Copy,
        Look::Operator,
        Look::Call,
        Look::WaitingCall,
        Look::Range,
        Look::Other,
    ];

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Look::Computation => "Computation",
            Look::Communication => "Communication",
            Look::Copy => "Copies",
            Look::Operator => "Operators",
            Look::Call => "Runtime calls",
            Look::WaitingCall => "Runtime calls that wait",
            Look::Range => "Ranges",
            Look::Other => "Other",
        }
    }

    /// What each event of a trace looks like, in their order. Names are looked at once each, not once for each event.
    pub fn of_all(trace: &Trace) -> Vec<Self> {
        let by_name: Vec<(bool, bool)> = trace
            .names
            .iter()
            .map(|name| (communicates(name) || name.contains("PtoP"), waits(name) || name.contains("Free")))
            .collect();
        let look = |span: &super::Span| {
            let (communicates, waits) = by_name.get(span.name as usize).copied().unwrap_or_default();
            match span.sort {
                Sort::Kernel | Sort::Copy if communicates => Look::Communication,
                Sort::Kernel => Look::Computation,
                Sort::Copy | Sort::Set => Look::Copy,
                Sort::Operator => Look::Operator,
                Sort::Call if waits => Look::WaitingCall,
                Sort::Call => Look::Call,
                Sort::Range | Sort::GpuRange => Look::Range,
                Sort::Python | Sort::Wait | Sort::Other => Look::Other,
            }
        };
        let mut looks: Vec<Self> = trace.spans.iter().map(look).collect();
        // What says of itself that it is a collective is one, whatever it is called.
        for (index, _) in &trace.collectives {
            if let (Some(look), Some(span)) = (looks.get_mut(*index as usize), trace.spans.get(*index as usize))
                && span.sort == Sort::Kernel
            {
                *look = Look::Communication;
            }
        }
        looks
    }
}
