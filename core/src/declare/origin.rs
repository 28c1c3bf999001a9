//! Where the number of a quantity comes from.

/// Where the formula of a quantity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Somebody's paper, program or manual, and the place in it.
    Of(&'static str),
    /// A model of Ringside's own: what it does, and what it rests on or was checked against.
    Own(&'static str),
    /// The quantity's name is its definition: a count, a share, a rate of what the figure shows.
    Definition,
    /// Arithmetic on other rows of the same table: a sum, a difference, a ratio.
    Rows,
    /// What the controls say, or the model or GPU chosen there.
    Controls,
}

impl Origin {
    /// As a person reads it, without a full stop.
    pub fn text(self) -> String {
        match self {
            Self::Of(source) => source.to_owned(),
            Self::Own(what) => format!("Ringside’s own model: {what}"),
            Self::Definition | Self::Rows | Self::Controls => self.word().to_owned(),
        }
    }

    /// All of it in a word or two, where that is enough; else empty.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Of(_) | Self::Own(_) => "",
            Self::Definition => "by definition",
            Self::Rows => "from other rows",
            Self::Controls => "from the controls",
        }
    }
}

/// Quantities with an origin other than their model's.
#[derive(Debug, Clone, Copy)]
pub struct Origins {
    /// The origin.
    pub origin: Origin,
    /// The quantities.
    pub ids: &'static [&'static str],
}

/// These quantities come from there.
pub const fn origin(origin: Origin, ids: &'static [&'static str]) -> Origins {
    Origins { origin, ids }
}
