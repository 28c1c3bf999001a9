//! Whether an output is right, and if it is not, where it goes wrong first.

use std::fmt;

/// What lies beyond the end of inputs.
pub const POISON: f32 = 1e30;
/// What `out` is filled with before a run.
pub const UNWRITTEN: f32 = -1.5e30;

/// What must come out.
pub(super) struct Expected {
    /// The values, as the twin computes them.
    pub(super) values: Vec<f32>,
    /// How far each may be off: what rounding in another order explains, twice, since the twin rounds too.
    pub(super) slack: Vec<f32>,
}

/// What is wrong with an output.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    /// The first slip.
    pub slip: Slip,
    /// Values that are wrong.
    pub wrong: usize,
    /// Values that there are.
    pub of: usize,
}

/// A slip, and where: the index, and the row and column if the output is a matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum Slip {
    /// Nothing was written there.
    Unwritten(Place),
    /// Something was written there, so far beyond the end of so many values.
    Beyond(usize, usize),
    /// This was written there, and this is right.
    Value(Place, f32, f32),
}

/// A place in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    index: usize,
    width: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, width } = *self;
        match width.filter(|width| *width > 0) {
            Some(width) => write!(f, "out[{index}] (row {}, column {})", index / width, index % width),
            None => write!(f, "out[{index}]"),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slip, wrong, of } = self;
        match (wrong, of) {
            (0, _) => {}
            (1, 1) => f.write_str("The only value is wrong: ")?,
            (1, of) => write!(f, "One of {of} values is wrong: ")?,
            (wrong, of) if wrong == of => write!(f, "All {of} values are wrong, first ")?,
            (wrong, of) => write!(f, "{wrong} of {of} values are wrong, first ")?,
        }
        match slip {
            Slip::Unwritten(place) => write!(f, "{place}, to which nothing was written."),
            Slip::Beyond(past, 1) => {
                write!(f, "Something was written {past} beyond the end of out, which has 1 value.")
            }
            Slip::Beyond(past, of) => {
                write!(f, "Something was written {past} beyond the end of out, which has {of} values.")
            }
            Slip::Value(place, got, expected) => {
                write!(f, "{place} is {got:?} and should be {expected:?}.")?;
                if got.abs() > POISON / 10.0 {
                    write!(f, " Beyond the end of every input stands {POISON:e}: it was read from there.")?;
                }
                Ok(())
            }
        }
    }
}

/// Compares an output and its margin with what must be there. `width` is the length of its rows.
pub(super) fn compare(expected: &Expected, output: &[f32], width: Option<u64>) -> Option<Wrong> {
    let of = expected.values.len();
    let place = |index| Place { index, width: width.map(|w| w as usize) };
    let mut wrong = 0;
    let mut first = None;
    for (i, (value, slack)) in expected.values.iter().zip(&expected.slack).enumerate() {
        let got = output.get(i).copied().unwrap_or(UNWRITTEN);
        // Whatever is not a number is wrong.
        if (got - value).abs() <= *slack + f32::MIN_POSITIVE {
            continue;
        }
        wrong += 1;
        if first.is_none() {
            first = Some(if got == UNWRITTEN { Slip::Unwritten(place(i)) } else { Slip::Value(place(i), got, *value) });
        }
    }
    let beyond = output.get(of..).unwrap_or_default().iter().position(|value| *value != UNWRITTEN);
    let slip = first.or(beyond.map(|past| Slip::Beyond(past + 1, of)))?;
    Some(Wrong { slip, wrong, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        Expected { values: vec![1.0, 2.0, 3.0, 4.0], slack: vec![1e-6; 4] }
    }

    fn said(output: &[f32], width: Option<u64>) -> String {
        compare(&expected(), output, width).map(|wrong| wrong.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_first_slip_is_named() {
        const U: f32 = UNWRITTEN;
        assert_eq!(said(&[1.0, 2.0, 3.0, 4.0, U, U], None), "");
        assert_eq!(
            said(&[1.0, 2.0, 3.5, U, U], Some(2)),
            "2 of 4 values are wrong, first out[2] (row 1, column 0) is 3.5 and should be 3.0."
        );
        assert_eq!(said(&[U; 6], None), "All 4 values are wrong, first out[0], to which nothing was written.");
        assert_eq!(
            said(&[1.0, 2.0, 3.0, 4.0, U, 0.0], None),
            "Something was written 2 beyond the end of out, which has 4 values."
        );
        assert_eq!(
            said(&[1.0, f32::NAN, 3.0, 4.0, U], None),
            "One of 4 values is wrong: out[1] is NaN and should be 2.0."
        );
        assert!(said(&[1.0, 2.0, 1e30, 4.0], None).ends_with("stands 1e30: it was read from there."));
        assert_eq!(said(&[1.0, 2.0, 3.0], None), "One of 4 values is wrong: out[3], to which nothing was written.");
    }
}
