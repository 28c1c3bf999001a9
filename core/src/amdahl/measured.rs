//! One's own times on several numbers of processors: the serial fraction that each of them shows, and what its growth says.
//!
//! With a speed-up of ψ on n processors the serial fraction that Amdahl's law would need is e = (1/ψ − 1/n)/(1 − 1/n). If it is the
//! same for all n, the program has that serial part. If it grows, something grows with the processors: communication, waiting,
//! a shared memory that is full.

use crate::declare::{Field, Origin, Slot, Text};
use crate::query::{parse_number, plain, shorten};

/// Where the serial fraction comes from.
pub const ORIGIN: Origin =
    Origin::Of("Karp and Flatt 1990, “Measuring Parallel Processor Performance”, CACM 33(5), p. 539");

/// Times on numbers of processors, least first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured(pub Vec<(f64, f64)>);

/// Most times that are read.
pub const MOST: usize = 64;

/// What the times say together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The serial fraction.
    pub serial: f64,
    /// The cost of a further processor, as a part of the time on one.
    pub cost: f64,
}

impl Measured {
    /// The time on one processor; none if it was not measured.
    pub fn one(&self) -> Option<f64> {
        self.0.first().filter(|(n, _)| *n == 1.0).map(|(_, seconds)| *seconds)
    }

    /// Processors and speed-up, for more than one processor.
    pub fn speedups(&self) -> Vec<(f64, f64)> {
        let Some(one) = self.one() else { return Vec::new() };
        self.0.iter().filter(|(n, _)| *n > 1.0).map(|(n, seconds)| (*n, one / seconds)).collect()
    }

    /// Processors and Karp–Flatt's serial fraction.
    pub fn fractions(&self) -> Vec<(f64, f64)> {
        self.speedups().into_iter().map(|(n, psi)| (n, (1.0 / psi - 1.0 / n) / (1.0 - 1.0 / n))).collect()
    }

    /// The serial fraction and the cost of a processor that come nearest to all times, by least squares:
    /// T(n)/T(1) − 1/n = s (1 − 1/n) + c (n − 1), neither under zero. None for fewer than two speed-ups.
    pub fn fit(&self) -> Option<Fit> {
        let rows: Vec<(f64, f64, f64)> =
            self.speedups().into_iter().map(|(n, psi)| (1.0 - 1.0 / n, n - 1.0, 1.0 / psi - 1.0 / n)).collect();
        if rows.len() < 2 {
            return None;
        }
        let sum = |of: fn(&(f64, f64, f64)) -> f64| rows.iter().map(of).sum::<f64>();
        let (aa, ab, bb) = (sum(|r| r.0 * r.0), sum(|r| r.0 * r.1), sum(|r| r.1 * r.1));
        let (ay, by) = (sum(|r| r.0 * r.2), sum(|r| r.1 * r.2));
        let determinant = aa * bb - ab * ab;
        let (serial, cost) = ((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant);
        let fit = if !(serial.is_finite() && cost.is_finite()) {
            return None;
        } else if cost < 0.0 {
            Fit { serial: ay / aa, cost: 0.0 }
        } else if serial < 0.0 {
            Fit { serial: 0.0, cost: by / bb }
        } else {
            Fit { serial, cost }
        };
        Some(Fit { serial: fit.serial.clamp(0.0, 1.0), cost: fit.cost.max(0.0) })
    }

    /// What the fractions say, in sentences; empty where nothing was measured.
    pub fn finding(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        if self.one().is_none() {
            return " Your times have none on one processor: everything is compared with that one.".to_owned();
        }
        let fractions = self.fractions();
        let (Some((from, first)), Some((to, last))) = (fractions.first(), fractions.last()) else {
            return " One time alone says nothing: add one on more processors.".to_owned();
        };
        let percent = |v: f64| crate::quantity::Unit::Fraction.format(v);
        let ends = format!("{} on {} and {} on {}", percent(*first), plain(*from), percent(*last), plain(*to));
        let says = if from == to {
            "more of them would say whether it grows"
        } else if *last > 1.15 * first.max(0.001) {
            "it grows, so there is a cost that grows with the processors"
        } else if *last < 0.85 * first {
            "it falls, so more memory or cache comes with the processors"
        } else {
            "it stays, so it is a part of the program that is serial"
        };
        format!(" By Karp and Flatt your serial fraction is {ends}: {says}.")
    }
}

impl Text for Measured {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let mut times: Vec<(f64, f64)> = Vec::new();
        let rows = text.split([',', '\n', ';']).map(str::trim).filter(|row| !row.is_empty());
        for row in rows {
            let mut words = row.split([':', ' ', '\t']).filter(|word| !word.is_empty());
            let pair = (words.next().and_then(parse_number), words.next().and_then(parse_number), words.next());
            let (Some(n), Some(seconds), None) = pair else {
                return Err(format!(
                    "measured must be pairs of processors and seconds such as 1:100,2:52, not “{}”.",
                    shorten(row)
                ));
            };
            if !(1.0..=1e6).contains(&n) || n.fract() != 0.0 || !(1e-9..=1e12).contains(&seconds) {
                return Err(format!(
                    "measured must have whole numbers of processors and times over zero, not “{}”.",
                    shorten(row)
                ));
            }
            if times.iter().any(|(other, _)| *other == n) {
                return Err(format!("measured has two times on {}: keep one of them.", plain(n)));
            }
            times.push((n, seconds));
        }
        if times.len() > MOST {
            return Err(format!("measured must have at most {MOST} times, not {}.", times.len()));
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.0 = times;
        Ok(())
    }

    fn write(&self) -> String {
        self.0.iter().map(|(n, seconds)| format!("{}:{}", plain(*n), plain(*seconds))).collect::<Vec<_>>().join(",")
    }
}

impl Field for Measured {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: impl IntoIterator<Item = (f64, f64)>) -> Measured {
        Measured(times.into_iter().collect())
    }

    /// Times made by Amdahl's law give its serial fraction for each n, and the fit finds it without a cost.
    #[test]
    fn a_serial_program_shows_the_same_fraction_everywhere() {
        let times = [1.0, 2.0, 4.0, 8.0, 16.0].map(|n: f64| (n, 100.0 * (0.1 + 0.9 / n)));
        let measured = of(times);
        assert!(measured.fractions().iter().all(|(_, e)| (e - 0.1).abs() < 1e-12));
        let fit = measured.fit().expect("four speed-ups");
        assert!((fit.serial - 0.1).abs() < 1e-9 && fit.cost < 1e-9);
        assert!(measured.finding().contains("it stays"));
    }

    /// Karp and Flatt 1990: a fraction that rises with n is overhead.
    #[test]
    fn a_cost_of_each_processor_shows_as_a_fraction_that_grows() {
        let measured =
            of([1.0, 2.0, 4.0, 8.0, 16.0, 64.0].map(|n: f64| (n, 7.0 * (0.02 + 0.98 / n + 0.001 * (n - 1.0)))));
        let fit = measured.fit().expect("five speed-ups");
        assert!((fit.serial - 0.02).abs() < 1e-9 && (fit.cost - 0.001).abs() < 1e-9, "{fit:?}");
        assert!(measured.fractions().windows(2).all(|w| w[1].1 > w[0].1));
        assert!(measured.finding().contains("it grows"));
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let mut measured = Measured::default();
        assert_eq!(measured.read("1 100\n2 52, 4:28"), Ok(()));
        assert_eq!(measured.write(), "1:100,2:52,4:28");
        for text in ["1", "1:2:3", "1.5:2", "0:3", "2:-1", "a:b", "2:3,2:4"] {
            assert!(measured.read(text).is_err_and(|why| why.ends_with('.')), "{text}");
        }
        assert_eq!(measured.write(), "1:100,2:52,4:28", "nothing is lost");
        assert!(of([(2.0, 3.0), (4.0, 2.0)]).finding().contains("none on one processor"));
        assert!(of([(1.0, 3.0)]).finding().contains("One time alone"));
        assert_eq!(of([(1.0, 3.0), (2.0, 2.0)]).fit(), None);
    }
}
