//! What the figure shows, in sentences.

use super::{Method, Params, Placement, Role, Step, Work};
use crate::declare::Model as _;
use crate::memory::Verdict;
use crate::quantity::{Unit, number};

fn bytes(value: f64) -> String {
    Unit::Bytes.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, step: &Step) -> String {
        let Some(peak) = step.peak() else { return "Nothing is done.".to_owned() };
        let over = peak.total().0 - self.gpu.memory.0;
        let fits = match step.verdict {
            Verdict::Fits => "Fits",
            Verdict::Tight => "Tight",
            Verdict::DoesNotFit => "Does not fit",
        };
        let too_little = match step.verdict {
            Verdict::DoesNotFit if over <= 0.0 => {
                ", which leaves too little for the CUDA context, buffers and fragmentation"
            }
            _ => "",
        };
        let said = format!(
            "{fits}. “{}” needs the most memory, {} of {}{too_little}. {}",
            peak.work.label(),
            bytes(peak.total().0),
            bytes(self.gpu.memory.0),
            self.against(step)
        );
        if self.runs(step) { format!("{said} {}", self.in_time(step)) } else { said }
    }

    fn against(&self, step: &Step) -> String {
        let models = Role::ALL.into_iter().filter(|role| self.is_there(*role)).count();
        let many = if models == 1 {
            "One model’s states take".to_owned()
        } else {
            format!("{models} models’ states take")
        };
        format!(
            "{many} {} per GPU, {} times those of pre-training the {} on the same GPUs.",
            bytes(step.states()),
            number(step.states() / step.pretraining_states.max(1.0)),
            if self.method == Method::Reward { "model" } else { "policy" }
        )
    }

    fn in_time(&self, step: &Step) -> String {
        if !self.method.generates() {
            return format!(
                "A step takes at least {} if large products reach {} of the GPU’s peak.",
                Unit::Seconds.format(self.seconds(step)),
                Unit::Fraction.format(self.mfu / 100.0)
            );
        }
        let generating = step.seconds(|work| work == Work::Generate) / step.seconds(|_| true).max(f64::MIN_POSITIVE);
        let wait = match self.placement {
            Placement::Apart | Placement::Async => {
                format!(" GPUs wait {} of the time.", Unit::Fraction.format(self.idle(step)))
            }
            Placement::Hybrid | Placement::Swapped => String::new(),
        };
        format!(
            "Generating takes {} of the time and {} of the FLOPs.{wait}",
            Unit::Fraction.format(generating),
            Unit::Fraction.format(self.flop_share(step))
        )
    }
}
