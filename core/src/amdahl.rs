//! Amdahl's and Gustafson's laws: what the serial part of a program does to its speed-up.
//!
//! With a serial fraction `s` and `n` processors, Amdahl (1967) holds the problem fixed:
//! speed-up = 1 / (s + (1 − s)/n), at most 1/s. Gustafson (1988) holds the time fixed and lets the problem grow:
//! scaled speed-up = s + (1 − s)·n. Where each further processor costs a part `c` of the time on one (a message to whoever puts the
//! results together), the time is s + (1 − s)/n + c·(n − 1): shortest on √((1 − s)/c) processors, and longer on more.
//! [`measured`] has one's own times.

pub mod measured;

use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, Scale, doc, headline, measure, origin, real, text, when, whole,
    written,
};
use crate::quantity::{Unit, grouped, number};
use measured::Measured;

/// The parameters of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// Fraction of the single-processor time that cannot be split, 0 to 1.
    pub serial: f64,
    /// Number of processors, at least 1.
    pub n: u64,
    /// What a further processor costs, as a part of the time on one.
    pub cost: f64,
    /// One's own times.
    pub measured: Measured,
}

/// The result of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speedup {
    /// Amdahl's speed-up on `n` processors.
    pub amdahl: f64,
    /// Gustafson's scaled speed-up on `n` processors.
    pub gustafson: f64,
    /// The most that Amdahl's law allows on any number of processors; infinite when nothing is serial.
    pub limit: f64,
    /// Amdahl's speed-up divided by `n`: the share of the processors' time that does work.
    pub efficiency: f64,
    /// The speed-up with what each further processor costs.
    pub costly: f64,
    /// The number of processors beyond which that is slower again, at most [`MAX_N`].
    pub best: f64,
}

/// Most processors.
pub const MAX_N: u64 = 65_536;

impl Model for Params {
    type Result = Speedup;
    const ID: &'static str = "amdahl";
    const TITLE: &'static str = "Amdahl’s law";
    const SUMMARY: &'static str = "What the part that cannot be split does to the speed-up of all the rest.";
    const PARAMS: &'static [Param<Self>] = &[
        real("serial", "fraction of the work that cannot be split", [0.0, 1.0], "0.05")
            .label("Serial fraction")
            .unit(Unit::Fraction)
            .steps(0.005)
            .main()
            .at(|p| p.serial.slot()),
        whole("n", "processors", [1, MAX_N], "64")
            .label("Processors")
            .doubling(MAX_N.ilog2())
            .main()
            .at(|p| p.n.slot()),
        real("cost", "what a further processor costs, as a part of the time on one", [0.0, 1.0], "0.0001")
            .label("Overhead per processor")
            .unit(Unit::Fraction)
            .slider(Scale::Decades(-6, -1))
            .main()
            .quiet()
            .at(|p| p.cost.slot()),
        text("measured", "your times: processors:seconds, with commas between them", "").at(|p| p.measured.slot()),
    ];
    const ORIGIN: Origin = Origin::Of("Amdahl 1967, AFIPS Spring Joint Computer Conference");
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("Gustafson 1988, “Reevaluating Amdahl’s law”, CACM 31(5), p. 532"), &["scaled-speedup"]),
        origin(Origin::Rows, &["efficiency"]),
        origin(
            Origin::Own("Amdahl’s law plus a constant cost for each further processor; minimum and fit in closed form"),
            &["costly-speedup", "best", "best-speedup", "fitted-serial", "fitted-cost"],
        ),
        origin(measured::ORIGIN, &["karp-flatt"]),
    ];
    // Where nothing is serial there is no limit; the scaled speed-up stands for it.
    const QUANTITIES: &'static [Measure<Self, Speedup>] = &[
        headline(
            "Amdahl’s law: the time on one processor over the time on all of them, without overhead.",
            measure("speedup", "Speedup", Unit::Ratio, |_, s| s.amdahl),
        ),
        doc(
            "The speedup if the problem grows with the number of processors.",
            measure("scaled-speedup", "Scaled speedup (Gustafson)", Unit::Ratio, |_, s| s.gustafson),
        ),
        headline(
            "What no number of processors exceeds for this problem.",
            measure(
                "limit",
                "Maximum speedup",
                Unit::Ratio,
                |_, s| if s.limit.is_finite() { s.limit } else { s.gustafson },
            ),
        ),
        headline(
            "The share of its time in which a processor does useful work.",
            measure("efficiency", "Efficiency", Unit::Fraction, |_, s| s.efficiency),
        ),
        when(
            |p, _| p.cost > 0.0,
            headline(
                "The speedup if each processor adds a fixed communication cost.",
                measure("costly-speedup", "Speedup with overhead", Unit::Ratio, |_, s| s.costly),
            ),
        ),
        when(
            |p, _| p.cost > 0.0,
            headline(
                "With more processors than this, communication costs more than they save.",
                written(
                    |best| grouped(best.round() as u64),
                    measure("best", "Fastest processor count", Unit::Count, |_, s| s.best),
                ),
            ),
        ),
        when(
            |p, _| p.cost > 0.0,
            measure("best-speedup", "Speedup at the fastest processor count", Unit::Ratio, |p, s| p.on(s.best).costly),
        ),
        when(
            |p, _| p.measured.fit().is_some(),
            doc(
                "The serial fraction that your last measurement implies.",
                measure("karp-flatt", "Karp–Flatt serial fraction", Unit::Fraction, |p, _| {
                    p.measured.fractions().last().map_or(0.0, |(_, e)| *e)
                }),
            ),
        ),
        when(
            |p, _| p.measured.fit().is_some(),
            measure("fitted-serial", "Fitted serial fraction", Unit::Fraction, |p, _| {
                p.measured.fit().map_or(0.0, |fit| fit.serial)
            }),
        ),
        when(
            |p, _| p.measured.fit().is_some(),
            measure("fitted-cost", "Fitted overhead per processor", Unit::Fraction, |p, _| {
                p.measured.fit().map_or(0.0, |fit| fit.cost)
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Speedup, String> {
        Ok(self.speedup())
    }
}

impl Params {
    /// Evaluates the laws.
    pub fn speedup(&self) -> Speedup {
        self.on(self.n as f64)
    }

    /// The laws on so many processors.
    fn on(&self, n: f64) -> Speedup {
        let (s, c) = (self.serial, self.cost);
        let time = s + (1.0 - s) / n;
        let best = if c > 0.0 { ((1.0 - s) / c).sqrt().clamp(1.0, MAX_N as f64) } else { MAX_N as f64 };
        Speedup {
            amdahl: 1.0 / time,
            gustafson: s + (1.0 - s) * n,
            limit: 1.0 / s,
            efficiency: 1.0 / time / n,
            costly: 1.0 / (time + c * (n - 1.0)),
            best,
        }
    }

    /// The laws on 1, 2, 4, … [`MAX_N`] processors and three numbers between each two: the processors and the speed-ups.
    pub fn curve(&self) -> impl Iterator<Item = (f64, Speedup)> {
        (0..=MAX_N.ilog2() * 4).map(|quarter| {
            let n = 2_f64.powf(f64::from(quarter) / 4.0).round();
            (n, self.on(n))
        })
    }

    /// What the laws say at these parameters, in sentences.
    pub fn finding(&self) -> String {
        let result = self.speedup();
        let n = grouped(self.n);
        let lead = if self.cost > 0.0 {
            format!(
                "{n} processors make it {} times as fast, and would make it {} times as fast if working together cost nothing. At this \
                 cost {} processors are best: {} times as fast.",
                number(result.costly),
                number(result.amdahl),
                grouped(result.best.round() as u64),
                number(self.on(result.best).costly),
            )
        } else {
            let limit = if result.limit.is_finite() {
                format!("No number of processors makes it more than {} times as fast", number(result.limit))
            } else {
                "Nothing is serial, so there is no limit".to_owned()
            };
            format!(
                "{n} processors make it {} times as fast, and each is busy {} of the time. {limit}.",
                number(result.amdahl),
                Unit::Fraction.format(result.efficiency),
            )
        };
        format!(
            "{lead} If the problem grows with the machine instead (Gustafson), {n} processors do {} times the work of one.{}",
            number(result.gustafson),
            self.measured.finding()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_serial_work_stops_at_twenty() {
        let at = |n| Params { serial: 0.05, n, ..Params::standard() }.speedup();
        assert_eq!(at(1).amdahl, 1.0);
        assert!((at(64).amdahl - 15.42).abs() < 0.01);
        assert!(at(65_536).amdahl < 20.0 && at(65_536).amdahl > 19.9);
        assert!((at(64).gustafson - 60.85).abs() < 1e-9);
    }

    #[test]
    fn the_finding_says_what_the_curve_shows() {
        let params = Params { serial: 0.05, n: 64, cost: 0.0, ..Params::standard() };
        let finding = params.finding();
        assert!(
            finding.starts_with("64 processors make it 15.4 times as fast, and each is busy 24.1% of the time."),
            "{finding}"
        );
        assert!(finding.contains("more than 20 times"), "{finding}");
        assert_eq!(params.curve().last().map(|(n, s)| (n, s.limit)), Some((65_536.0, 20.0)));
        assert!(Params { serial: 0.0, n: 1, cost: 0.0, ..Params::standard() }.finding().contains("no limit"));
        let costly = Params { serial: 0.02, n: 16, cost: 0.001, ..Params::standard() }.finding();
        assert!(costly.starts_with("16 processors make it 10.4 times as fast"), "{costly}");
    }
    /// With c = 10⁻⁴ and 5% serial the time is shortest where (1 − s)/n² = c: on √9500 processors.
    #[test]
    fn more_processors_than_the_best_number_are_slower() {
        let at = |n| Params { serial: 0.05, n, cost: 1e-4, ..Params::standard() }.speedup();
        let best = at(64).best;
        assert!((best - 9500_f64.sqrt()).abs() < 1e-9, "{best}");
        assert!(at(97).costly > at(64).costly && at(97).costly > at(128).costly);
        assert!(at(65_536).costly < 1.0, "slower than one");
        let free = Params { cost: 0.0, ..Params::standard() }.speedup();
        assert_eq!((free.costly, free.best), (free.amdahl, MAX_N as f64));
    }
}
