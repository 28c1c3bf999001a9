//! Amdahl's and Gustafson's laws: what the serial part of a program does to its speed-up.
//!
//! With a serial fraction `s` and `n` processors, Amdahl (1967) holds the problem fixed:
//! speed-up = 1 / (s + (1 − s)/n), at most 1/s. Gustafson (1988) holds the time fixed and lets the problem grow:
//! scaled speed-up = s + (1 − s)·n.
//!
//! Sources: G. M. Amdahl, AFIPS Spring Joint Computer Conference 1967; J. L. Gustafson, "Reevaluating Amdahl's law",
//! CACM 31(5), 1988, p. 532.

use crate::catalogue::{Entry, Evaluation};
use crate::quantity::{Unit, grouped, number};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, plain};

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Fraction of the single-processor time that cannot be split, 0 to 1.
    pub serial: f64,
    /// Number of processors, at least 1.
    pub n: u64,
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
}

/// Most processors.
pub const MAX_N: u64 = 65_536;

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "serial",
        doc: "fraction of the work that cannot be split",
        kind: Kind::Real { min: 0.0, max: 1.0 },
        default: "0.05",
    },
    ParamSpec { name: "n", doc: "processors", kind: Kind::Integer { min: 1, max: MAX_N }, default: "64" },
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "amdahl",
    title: "Amdahl’s law",
    summary: "What the part that cannot be split does to the speed-up of all the rest.",
    params: PARAMS,
    quantities: &[
        ("speedup", "Speed-up", Unit::Ratio),
        ("scaled-speedup", "Scaled speed-up", Unit::Ratio),
        ("limit", "Limit", Unit::Ratio),
        ("efficiency", "Efficiency", Unit::Fraction),
    ],
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let result = params.speedup();
        Evaluation::new(params.query(), problems, Ok(ENTRY.measured(|id| result.quantity(id))))
    },
};

impl Speedup {
    /// The value of a quantity of [`ENTRY`]; 0 for any other id. Where there is no limit, the scaled speed-up stands for it.
    pub fn quantity(&self, id: &str) -> f64 {
        match id {
            "speedup" => self.amdahl,
            "scaled-speedup" => self.gustafson,
            "limit" if self.limit.is_finite() => self.limit,
            "limit" => self.gustafson,
            "efficiency" => self.efficiency,
            _ => 0.0,
        }
    }
}

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let params = Self { serial: reader.real("serial"), n: reader.integer("n").max(1) };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        Query::new([("serial", plain(self.serial)), ("n", self.n.to_string())])
    }

    /// Evaluates both laws.
    pub fn speedup(&self) -> Speedup {
        let (s, n) = (self.serial, self.n as f64);
        let amdahl = 1.0 / (s + (1.0 - s) / n);
        Speedup { amdahl, gustafson: s + (1.0 - s) * n, limit: 1.0 / s, efficiency: amdahl / n }
    }

    /// Both laws on 1, 2, 4, … [`MAX_N`] processors and three numbers between each two: the processors and the speed-ups.
    pub fn curve(&self) -> impl Iterator<Item = (f64, Speedup)> {
        let serial = self.serial;
        (0..=MAX_N.ilog2() * 4).map(move |quarter| {
            let n = 2_f64.powf(f64::from(quarter) / 4.0).round();
            (n, Self { serial, n: n as u64 }.speedup())
        })
    }

    /// What the laws say at these parameters, in two sentences.
    pub fn finding(&self) -> String {
        let result = self.speedup();
        let (n, efficiency) = (grouped(self.n), Unit::Fraction.format(result.efficiency));
        let limit = if result.limit.is_finite() {
            format!("No number of them makes it more than {} times as fast", number(result.limit))
        } else {
            "Nothing is serial, so there is no limit".to_owned()
        };
        format!(
            "{n} processors make it {} times as fast and work {efficiency} of the time. {limit}; if the problem grows with \
             the machine instead (Gustafson), {n} do {} times the work of one.",
            number(result.amdahl),
            number(result.gustafson)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_serial_work_stops_at_twenty() {
        let at = |n| Params { serial: 0.05, n }.speedup();
        assert_eq!(at(1).amdahl, 1.0);
        assert!((at(64).amdahl - 15.42).abs() < 0.01);
        assert!(at(65_536).amdahl < 20.0 && at(65_536).amdahl > 19.9);
        assert!((at(64).gustafson - 60.85).abs() < 1e-9);
    }

    #[test]
    fn the_finding_says_what_the_curve_shows() {
        let params = Params { serial: 0.05, n: 64 };
        let finding = params.finding();
        assert!(
            finding.starts_with("64 processors make it 15.4 times as fast and work 24.1% of the time."),
            "{finding}"
        );
        assert!(finding.contains("more than 20 times"), "{finding}");
        assert_eq!(params.curve().last().map(|(n, s)| (n, s.limit)), Some((65_536.0, 20.0)));
        assert!(Params { serial: 0.0, n: 1 }.finding().contains("no limit"));
    }
}
