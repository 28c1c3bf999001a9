//! What a person decides with a figure.

/// How a quantity has to stand for the decision to be good.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// Not above what it is held against: it fits.
    Within,
    /// Not below a number.
    AtLeast {
        /// The number.
        least: f64,
        /// How far it is from that: a sentence, with `{}` for the quantity.
        said: &'static str,
    },
}

/// What a person decides with a figure: whether something fits, and what would make it fit.
#[derive(Debug, Clone, Copy)]
pub struct Decision {
    /// The quantities that may decide: the first that applies, and is held against something, does. In a state in which none does there is
    /// nothing to decide.
    pub quantities: &'static [&'static str],
    /// How one without a limit of its own has to stand; one with a limit stays within it.
    pub aim: Aim,
    /// Quantities that judge, if they count more than that one does: the first that applies, bad at 0, with words of its own. Otherwise the
    /// number is compared.
    pub judges: &'static [&'static str],
    /// The verdict where it is bad and where it is good: `["Does not fit", "Fits"]`; the words of the judge, if there is one, come first.
    pub words: [&'static str; 2],
    /// What makes it good, the cheapest first.
    pub levers: &'static [Lever],
    /// What the quantity leaves out: a sentence.
    pub not_counted: &'static str,
}

/// A setting that is changed to make a decision good.
#[derive(Debug, Clone, Copy)]
pub struct Lever {
    /// Its parameter.
    pub param: &'static str,
    /// The values that are tried, in this order; where there are none, those of its control, the nearest first.
    pub values: &'static [&'static str],
    /// What the change costs: a sentence.
    pub cost: &'static str,
}

/// A setting that is tried at all positions of its control.
pub const fn lever(param: &'static str, cost: &'static str) -> Lever {
    Lever { param, values: &[], cost }
}

/// A setting that is tried at these values, in this order.
pub const fn lever_of(param: &'static str, values: &'static [&'static str], cost: &'static str) -> Lever {
    Lever { param, values, cost }
}
