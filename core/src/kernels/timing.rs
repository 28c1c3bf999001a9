//! Arithmetic of measuring with a clock that only shows multiples of a tenth of a millisecond (Chrome quantises WebGPU's
//! timestamps to 100 µs), on a device that must not be kept busy for long at a time.

/// The longest that one submission should take, in seconds: longer ones hold up whatever else the GPU has to draw.
pub const SUBMISSION: f64 = 0.1;
/// The shortest pass that is measured, in seconds, where repeating can make it longer: 300 ticks of the clock, so that
/// one tick is a third of a percent.
pub const PASS: f64 = 0.03;

/// How long a GPU is kept busy before it is measured, in seconds. While a result is checked on the CPU it idles and lowers its clocks:
/// on an H100 the same product then took 4.4 times as long, for up to 0.4 s (`shaders/gpu/reference.py`'s session of 2026-11-27).
pub const WARM_UP: f64 = 0.8;
/// How much faster later rounds may be than the first ones.
const STEADY: f64 = 0.95;

/// Whether rounds in the order in which they were measured are of one speed: the clocks had been raised before the first.
pub fn steady(seconds: &[f64]) -> bool {
    let third = seconds.len() / 3;
    third == 0 || summary(&seconds[seconds.len() - third..]).median >= STEADY * summary(&seconds[..third]).median
}

/// How often to repeat what takes `seconds` once, so that a pass is long enough to be measured and not too long for one
/// submission.
pub fn repeats(seconds: f64) -> u32 {
    if seconds.is_nan() {
        return 1;
    }
    let most = SUBMISSION / seconds.max(1e-7);
    (PASS / seconds.max(1e-7)).ceil().min(most).clamp(1.0, 10_000.0) as u32
}

/// How many rows of workgroups to submit next, of `left`, when the last `rows` took `seconds`: about half of a
/// submission's time, and at most four times as many as before.
pub fn next_piece(rows: u32, seconds: f64, left: u32) -> u32 {
    let fit = f64::from(rows) * (SUBMISSION / 2.0) / seconds.max(1e-6);
    let most = f64::from(rows.max(1)) * 4.0;
    (fit.min(most).max(1.0) as u32).min(left)
}

/// Several measurements of the same.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// The middle one, in seconds; the mean of the two in the middle.
    pub median: f64,
    /// A quarter of them are faster, in seconds.
    pub low: f64,
    /// A quarter of them are slower, in seconds.
    pub high: f64,
}

/// Median and quartiles of `seconds`, linear between neighbours; all 0 if there are none.
pub fn summary(seconds: &[f64]) -> Summary {
    let mut sorted: Vec<f64> = seconds.iter().copied().filter(|s| s.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * sorted.len().saturating_sub(1) as f64;
        let (low, high) = (sorted.get(place as usize), sorted.get(place.ceil() as usize));
        match (low, high) {
            (Some(low), Some(high)) => low + (high - low) * place.fract(),
            _ => 0.0,
        }
    };
    Summary { median: at(0.5), low: at(0.25), high: at(0.75) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a clock with ticks of 100 µs shows of it.
    fn quantised(seconds: f64) -> f64 {
        (seconds * 1e4).floor() / 1e4
    }

    #[test]
    fn a_coarse_clock_measures_any_kernel_to_a_percent() {
        let mut seconds = 1e-7;
        while seconds < 1.0 {
            let times = f64::from(repeats(seconds));
            let measured = quantised(seconds * times) / times;
            if seconds > 4e-6 {
                assert!((measured / seconds - 1.0).abs() < 0.01, "{seconds}: {measured}");
            }
            assert!(seconds * times <= SUBMISSION * 1.01 || times == 1.0, "{seconds}");
            seconds *= 1.07;
        }
        assert_eq!(repeats(f64::NAN), 1);
        assert_eq!(repeats(0.0), 10_000);
    }

    #[test]
    fn pieces_grow_until_they_take_half_of_a_submission() {
        let (mut rows, mut done, mut longest) = (1, 0, 0.0_f64);
        while done < 5000 {
            let seconds = f64::from(rows) * 0.0004;
            longest = longest.max(seconds);
            done += rows;
            rows = next_piece(rows, seconds, 5000_u32.saturating_sub(done).max(1));
        }
        assert!(longest > SUBMISSION / 4.0 && longest <= SUBMISSION, "{longest}");
        assert_eq!(next_piece(1, 5.0, 10), 1, "never less than one");
        assert_eq!(next_piece(8, 0.0, 10), 10, "never more than there are");
    }

    #[test]
    fn rounds_during_which_the_clocks_rose_are_not_steady() {
        // Of an H100, in milliseconds: a product in f16, measured right after its check.
        assert!(!steady(&[22.1, 22.0, 22.1, 21.3, 21.3, 21.3, 4.6, 4.6, 4.6]));
        assert!(steady(&[3.70, 3.71, 3.70, 3.70, 3.69, 3.71, 3.70, 3.70, 3.70]));
        assert!(steady(&[1.0, 1.1, 1.2, 1.3]) && steady(&[2.0, 1.0]) && steady(&[]));
    }

    #[test]
    fn summaries_are_medians_and_quartiles() {
        let five = summary(&[5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!((five.low, five.median, five.high), (2.0, 3.0, 4.0));
        assert_eq!(summary(&[1.0, 2.0]).median, 1.5);
        assert_eq!(summary(&[]), Summary::default());
        assert_eq!(summary(&[f64::NAN, 1.0]).median, 1.0);
    }
}
