//! A speedup that was measured: "my 8 GPU training is only 3x faster than 1 GPU". What it comes to, and Amdahl's figure with its numbers.

use super::Answered;
use super::read::{Reading, What};
use crate::amdahl::Params;
use crate::declare::Model as _;
use crate::planner::published;
use crate::quantity::{Unit, grouped, number};
use crate::query::{Query, plain};

/// The figure with the speedup as a measurement of one's own; none where the question has no speedup, or no GPUs that it is of.
pub(super) fn of(reading: &Reading) -> Option<Answered> {
    let speedup = reading.speedup?;
    let n = reading.all_gpus().filter(|n| *n > 1)?;
    let measured = Query::new([
        ("n", n.to_string()),
        ("cost", "0".to_owned()),
        // Only the ratio of the times is known.
        ("measured", format!("1:{},{n}:1", plain(speedup))),
    ]);
    let serial =
        Params::read(&measured).0.measured.fractions().last().map(|(_, e)| *e).filter(|e| (0.0..=1.0).contains(e));
    let query = match serial {
        Some(serial) => measured.with(&Query::new([("serial", plain(serial))])),
        None => measured,
    };
    let (params, _) = Params::read(&query);
    let result = params.speedup();
    let leads = format!(
        "{} times as fast on {} GPUs is an efficiency of {}.",
        number(speedup),
        grouped(n),
        Unit::Fraction.format(speedup / n as f64)
    );
    let law = match serial {
        Some(serial) if result.limit.is_finite() => format!(
            " It is as if {} of the time on one GPU couldn’t be split (Karp–Flatt), so more GPUs would never make it more than {} times as \
             fast. {}",
            Unit::Fraction.format(serial),
            number(result.limit),
            published::CAUSES
        ),
        _ => " That is no less than the GPUs: the run on one was held back by something else, such as memory or its batch.".to_owned(),
    };
    let [read, unused] = reading.parted(|what| matches!(what, What::Speedup | What::Cluster));
    Some(Answered { figure: Params::ID, title: Params::TITLE, query, read, unused, says: leads + &law })
}
