//! The roof of the learner's own GPU, found with copies and the intensity ladder, and what was measured under it.

use super::roof::Roof;
use crate::declare::Model as _;
use crate::kernels::measured::Measured;
use crate::kernels::rows::{self, Op};
use crate::kernels::stream::{Copy, Intensity, KERNELS, Sum};
use crate::kernels::{Params, Work, attention, decode, matmul, tuner};
use crate::query::Query;

/// A measurement on a roofline.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What ran.
    pub label: String,
    /// On what.
    pub device: String,
    /// Operations for each byte that has to be moved; less than any axis has for copies, which do none.
    pub intensity: f64,
    /// Operations a second.
    pub rate: f64,
    /// Bytes that have to be moved, a second.
    pub bandwidth: f64,
}

/// The families of kernels by which a roof is found.
pub const FAMILIES: [&str; 3] = ["copy", "sum", "intensity"];

fn size(query: &Query, name: &str) -> Option<u64> {
    query.get(name).and_then(|text| text.parse::<u64>().ok()).filter(|n| (1..=1 << 32).contains(n))
}

/// Bytes that have to be moved for what was measured, if it is one of our kernels.
fn moved(m: &Measured) -> Option<u64> {
    fn work<W: Work>(query: &Query) -> u64 {
        Params::<W>::read(query).0.sizes.compulsory()
    }
    let query = Query::parse(&m.sizes);
    let matrix = || Some((size(&query, "rows")?, size(&query, "cols")?));
    match m.family.as_str() {
        matmul::Sizes::NAME => Some(work::<matmul::Sizes>(&query)),
        attention::Sizes::NAME => Some(work::<attention::Sizes>(&query)),
        decode::Sizes::NAME => Some(work::<decode::Sizes>(&query)),
        tuner::FAMILY => {
            let n = size(&query, "n")?;
            Some(matmul::Sizes { m: n, n, k: n }.compulsory())
        }
        "copy" => matrix().map(|(rows, cols)| Copy { rows, cols }.needs("").asked.total()),
        "sum" => Some(Sum { n: size(&query, "n")? }.needs("one").asked.total()),
        "intensity" => Some(Intensity { n: size(&query, "n")?, fma: 0 }.compulsory().total()),
        family => {
            let (op, (rows, cols)) = (Op::find(family)?, matrix()?);
            Some(op.kernel(&m.kernel)?.moved(rows::Sizes { rows, cols }).total())
        }
    }
}

/// Where a measurement lies; none if it was wrong, or is of something else.
pub fn point(m: &Measured) -> Option<Point> {
    let bytes = moved(m).filter(|bytes| *bytes > 0 && m.verified && m.seconds > 0.0)? as f64;
    let known = KERNELS.iter().find(|k| k.family == m.family && k.id == m.kernel);
    let label = known.map_or_else(|| format!("{} {}", m.family, m.kernel), |k| k.label.to_owned());
    Some(Point {
        label,
        device: m.device.clone(),
        intensity: m.flop / bytes,
        rate: m.rate(),
        bandwidth: bytes / m.seconds,
    })
}

/// The roof of the device that was measured last: the best bandwidth and the best rate that any kernel reached on it. None
/// before one of each kind has run.
pub fn roof(measured: &[Measured]) -> Option<(String, Roof)> {
    let device = measured.iter().rev().find(|m| FAMILIES.contains(&m.family.as_str())).map(|m| m.device.clone())?;
    let points: Vec<Point> = measured.iter().filter(|m| m.device == device).filter_map(point).collect();
    let best = |look: fn(&Point) -> f64| points.iter().map(look).fold(0.0, f64::max);
    let roof = Roof { bandwidth: best(|p| p.bandwidth), peak: best(|p| p.rate) };
    (roof.bandwidth > 0.0 && roof.peak > 0.0).then_some((device, roof))
}

/// The rungs of the ladder: multiplications and additions for each value, a power of two up to this.
pub const RUNGS: u64 = 512;
/// The first size, and the largest: twice 64 MiB, more than caches hold, and within what WebGPU allows a buffer.
const FIRST: u64 = 1 << 20;
const LARGEST: u64 = 1 << 24;
/// Seconds that a run may take before the next rung has fewer values.
const LONG: f64 = 0.008;

/// A run of a measurement of the roof: family, kernel, and sizes as a query and as they are sent.
pub type Run = (&'static str, &'static str, (Query, Vec<u64>));

fn rung(n: u64, fma: u64) -> Run {
    ("intensity", "ladder", Intensity { n, fma }.sizes())
}

/// The first run.
pub fn first() -> Run {
    rung(FIRST, 1)
}

/// What to run after what was measured last: more values while that takes no time, then rung by rung, then copies and sums of
/// as many values as the first rung had in the end; none when all have run.
pub fn next(measured: &[Measured]) -> Option<Run> {
    let last = measured.last()?;
    let query = Query::parse(&last.sizes);
    if last.family == "intensity" {
        let (n, fma) = (size(&query, "n")?, size(&query, "fma")?);
        if fma == 1 && n < LARGEST && last.seconds < LONG / 4.0 {
            return Some(rung(n * 4, 1));
        }
        if fma < RUNGS {
            let shorter = if last.seconds > LONG { (n / 2).max(1 << 14) } else { n };
            return Some(rung(shorter, fma * 2));
        }
    }
    let ladder = measured.iter().filter(|m| m.family == "intensity" && m.device == last.device);
    let n = ladder.filter_map(|m| size(&Query::parse(&m.sizes), "n")).max().unwrap_or(FIRST);
    // The ladder was the last before these.
    let place = KERNELS.iter().position(|k| k.family == last.family && k.id == last.kernel)?;
    let following = if last.family == "intensity" { 0 } else { place + 1 };
    // One invocation says nothing of a machine, and takes for ever.
    let mut others = KERNELS.iter().skip(following).filter(|k| k.is_fast());
    others.next().filter(|k| k.family != "intensity").map(|k| {
        let sizes = if k.family == "sum" { Sum { n }.sizes() } else { Copy { rows: 4096, cols: n / 4096 }.sizes() };
        (k.family, k.id, sizes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(machine: Roof, (family, kernel, (query, sizes)): &Run) -> Measured {
        let (flop, bytes) = match (*family, sizes.as_slice()) {
            ("intensity", [n, fma]) => (2 * n * fma, 8 * n),
            ("copy", [rows, cols]) => (0, 8 * rows * cols),
            ("sum", [n]) => (*n, 4 * n),
            other => panic!("{other:?}"),
        };
        Measured {
            family: (*family).to_owned(),
            kernel: (*kernel).to_owned(),
            sizes: query.to_string(),
            device: "a GPU".to_owned(),
            flop: flop as f64,
            seconds: (flop as f64 / machine.peak).max(bytes as f64 / machine.bandwidth),
            verified: true,
            ..Measured::default()
        }
    }

    fn all(machine: Roof) -> Vec<Measured> {
        let mut all = vec![run(machine, &first())];
        while let Some(more) = next(&all) {
            let measured = run(machine, &more);
            all.retain(|m| !m.same_run(&measured));
            all.push(measured);
            assert!(all.len() < 40);
        }
        all
    }

    #[test]
    fn the_ladder_finds_the_roof_of_any_machine() {
        for machine in [
            Roof { bandwidth: 3e12, peak: 60e12 },
            Roof { bandwidth: 2e11, peak: 4e12 },
            Roof { bandwidth: 8e9, peak: 6e9 },
        ] {
            let all = all(machine);
            let (device, found) = roof(&all).expect("a roof");
            assert_eq!(device, "a GPU");
            assert!((found.bandwidth / machine.bandwidth - 1.0).abs() < 1e-3, "{found:?}");
            assert!((found.peak / machine.peak - 1.0).abs() < 1e-3, "{found:?}");
            assert_eq!(all.iter().filter(|m| m.family != "intensity").count(), 5);
            assert!(all.iter().all(|m| m.seconds < 0.6), "one run is far longer than the others");
        }
    }

    #[test]
    fn wrong_results_and_other_things_have_no_place() {
        let mut one = run(Roof { bandwidth: 1e9, peak: 1e9 }, &first());
        assert!(point(&one).is_some_and(|p| (p.intensity - 0.25).abs() < 1e-12));
        one.verified = false;
        assert_eq!((point(&one), roof(&[one.clone()])), (None, None));
        assert_eq!(point(&Measured { family: "poetry".into(), verified: true, seconds: 1.0, ..one }), None);
        let product = Measured {
            family: "matmul".into(),
            sizes: "m=64&n=64&k=64".into(),
            flop: 2.0 * 64.0 * 64.0 * 64.0,
            seconds: 1e-3,
            verified: true,
            ..Measured::default()
        };
        assert!(point(&product).is_some_and(|p| (p.intensity - 64.0 / 6.0).abs() < 1e-9));
    }
}
