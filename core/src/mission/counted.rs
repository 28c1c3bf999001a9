//! A number that is the answer to a decision, as a person types it.

use super::Counted;
use crate::answer::Asked;
use crate::quantity::Unit;

impl Counted {
    /// What stands beside the field.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Hours => "hours",
            Self::Dollars => "US$",
            Self::Seconds => "with its unit, such as 30 min",
            Self::Bytes => "with its unit, such as 60 GB",
            Self::Fraction => "in percent, such as 12%",
            Self::Count | Self::Ratio => "a number",
        }
    }

    /// What its field asks for.
    pub fn asked(self) -> Asked {
        match self {
            Self::Hours => Asked::each(Unit::Seconds, 3600.0),
            Self::Days => Asked::each(Unit::Seconds, 86_400.0),
            Self::Count | Self::Dollars | Self::Seconds | Self::Bytes | Self::Fraction | Self::Ratio => {
                Asked::of(self.unit())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_stands_beside_the_field_may_be_left_out() {
        assert_eq!((Counted::Hours.asked().read("3.2"), Counted::Hours.asked().read("3.2 h")), (Ok(3.2), Ok(3.2)));
        assert_eq!((Counted::Days.asked().read("2"), Counted::Days.asked().read("48 h")), (Ok(2.0), Ok(2.0)));
        assert_eq!((Counted::Dollars.asked().read("$400"), Counted::Count.asked().read("256")), (Ok(400.0), Ok(256.0)));
        assert!(Counted::Count.asked().read("").is_err() && Counted::Bytes.asked().read("many").is_err());
    }
}
