//! What fails, and how often: published counts.

use crate::options;

/// How a failure shows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symptom {
    /// A process ends with an error, and its agent sees it.
    Crash,
    /// A collective never completes: nobody knows until a timeout.
    Hang,
    /// Nothing is seen. The numbers are wrong.
    Silent,
}

/// Something that interrupts a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// As the source names it.
    pub name: &'static str,
    /// Interruptions among the 419 that Llama 3 counted.
    pub count: u32,
    /// How it shows itself. Llama 3 does not say: ours.
    pub symptom: Symptom,
    /// Whether its node leaves the job until it is repaired. Ours too.
    pub repair: bool,
}

const fn row(name: &'static str, count: u32, symptom: Symptom, repair: bool) -> Component {
    Component { name, count, symptom, repair }
}

use Symptom::{Crash, Hang, Silent};

/// The Llama 3 Herd of Models, arXiv 2407.21783, table 5: 419 unexpected interruptions by cause. The counts are what is printed. The
/// percentages are not taken: its first row prints 30.1 % for 148 of 419, which are 35.3 %.
pub const LLAMA3: [Component; 18] = [
    row("Faulty GPU", 148, Crash, true),
    row("GPU HBM3 memory", 72, Crash, true),
    row("Software bug", 54, Crash, false),
    row("Network switch or cable", 35, Hang, true),
    row("Host maintenance", 32, Crash, true),
    row("GPU SRAM memory", 19, Crash, true),
    row("GPU system processor", 17, Crash, true),
    row("NIC", 7, Hang, true),
    row("NCCL watchdog timeout", 7, Hang, false),
    row("Silent data corruption", 6, Silent, true),
    row("GPU thermal interface and sensor", 6, Crash, true),
    row("SSD", 3, Crash, true),
    row("Power supply", 3, Crash, true),
    row("Server chassis", 2, Crash, true),
    row("IO expansion board", 2, Crash, true),
    row("Dependency", 2, Crash, false),
    row("CPU", 2, Crash, true),
    row("System memory", 2, Crash, true),
];

/// HBM alone, as Delta's count has it.
pub const HBM: [Component; 1] = [row("GPU HBM3 memory", 1, Crash, true)];

/// GPUs and days of Llama 3's run.
pub const LLAMA3_RUN: (f64, f64) = (16_384.0, 54.0);
/// Interruptions of it that were planned.
pub const LLAMA3_PLANNED: u32 = 47;

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

/// Causes among 678 interruptions of a run on 32 000 GPUs, in percent, by Llama 3's names where both have one (arXiv 2602.00277).
pub const AT_32K: [(&str, f64); 10] = [
    ("GPU HBM3 memory", 22.9),
    ("PCIe device", 18.0),
    ("NCCL watchdog timeout", 9.0),
    ("Faulty GPU", 7.4),
    ("Software bug", 7.1),
    ("Host maintenance", 6.2),
    ("Kernel fault", 5.8),
    ("System reboot", 5.6),
    ("Silent data corruption", 5.5),
    ("Network switch or cable", 5.3),
];

/// Seconds of one GPU between interruptions of this cause, as Llama 3 counted them.
pub fn gpu_time(component: &Component) -> f64 {
    let (gpus, days) = LLAMA3_RUN;
    gpus * days * DAY / f64::from(component.count.max(1))
}

/// Whose failure rate is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rates {
    /// Llama 3: 419 unexpected interruptions in 54 days on 16 384 GPUs (H100).
    #[default]
    Llama3,
    /// Meta's research cluster RSC-1 (A100): 6.50 failures in a thousand node-days of eight GPUs, Kokolis et al., arXiv 2410.21680.
    /// Causes as Llama 3 has them.
    Rsc,
    /// NCSA's Delta: uncorrectable memory errors alone, one in 88 768 hours of an H100, Cui et al., arXiv 2503.11901, version 4.
    Delta,
    /// One's own GPUs and hosts. Causes as Llama 3 has them.
    Own,
}

options!(Rates {
    Llama3: "llama3", "Llama 3, 2024";
    Rsc: "rsc", "Meta RSC-1";
    Delta: "delta", "Delta, HBM alone";
    Own: "own", "my own";
});

impl Rates {
    /// Failures a second for each GPU; none for one's own.
    pub fn published(self) -> Option<f64> {
        let (gpus, days) = LLAMA3_RUN;
        match self {
            Self::Llama3 => Some(f64::from(total(&LLAMA3)) / (gpus * days * DAY)),
            Self::Rsc => Some(6.50 / (1000.0 * 8.0 * DAY)),
            Self::Delta => Some(1.0 / (88_768.0 * HOUR)),
            Self::Own => None,
        }
    }

    /// What fails, in proportion.
    pub fn components(self) -> &'static [Component] {
        if self == Self::Delta { &HBM } else { &LLAMA3 }
    }
}

/// All of them.
pub fn total(components: &[Component]) -> u32 {
    components.iter().map(|c| c.count).sum()
}

/// The part of the failures with this symptom.
pub fn share(components: &[Component], symptom: Symptom) -> f64 {
    let hit = components.iter().filter(|c| c.symptom == symptom).map(|c| c.count).sum::<u32>();
    f64::from(hit) / f64::from(total(components).max(1))
}

/// Measured or projected mean times between failures of one job: GPUs, seconds, and whose.
pub const PUBLISHED: [(f64, f64, &str); 4] = [
    (8.0, 47.7 * DAY, "RSC, measured"),
    (1024.0, 7.9 * HOUR, "RSC, measured"),
    (16_384.0, 54.0 * DAY / 419.0, "Llama 3, measured"),
    (131_072.0, 0.23 * HOUR, "RSC, projected"),
];
