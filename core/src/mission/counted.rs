//! A number that is the answer to a decision, as a person types it.

use super::Counted;
use crate::answer::{self, Answer, Reading};
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

    /// Reads what was typed. Where the unit is missing and could be another one, it is asked for.
    ///
    /// # Errors
    /// What to type instead: a sentence.
    pub fn read(self, typed: &str) -> Result<f64, String> {
        let typed = typed.trim().trim_start_matches('$');
        let of = |unit| match answer::read(typed, unit, &[]) {
            Reading::Answer(read) => Ok(read),
            Reading::Ambiguous { question, .. } => Err(question),
            Reading::Unreadable { message, .. } => Err(message),
            Reading::Empty => Err("Type a number first.".into()),
        };
        let is_bare = |read: &Answer| read.unit.is_none();
        let missing = |example: &str| Err(format!("{typed} of what? Write the unit behind it, such as {example}."));
        match self {
            Self::Hours | Self::Days => {
                let read = of(Unit::Seconds)?;
                let seconds = if self == Self::Hours { 3600.0 } else { 86_400.0 };
                Ok(if is_bare(&read) && !typed.contains(['h', 'm', 's', 'd']) {
                    read.value
                } else {
                    read.value / seconds
                })
            }
            Self::Bytes => match of(Unit::Bytes)? {
                read if is_bare(&read) && read.value != 0.0 => missing(&format!("{typed} GB")),
                read => Ok(read.value),
            },
            Self::Seconds => match of(Unit::Seconds)? {
                read if is_bare(&read) && read.value != 0.0 => missing(&format!("{typed} s or {typed} min")),
                read => Ok(read.value),
            },
            Self::Fraction => match of(Unit::Fraction)? {
                read if is_bare(&read) && read.value > 1.0 => missing(&format!("{typed}%")),
                read => Ok(read.value),
            },
            Self::Count | Self::Dollars | Self::Ratio => of(self.unit()).map(|read| read.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_is_missing_is_asked_for() {
        assert_eq!(Counted::Bytes.read("520 GB"), Ok(520e9));
        assert_eq!(
            Counted::Bytes.read("520"),
            Err("520 of what? Write the unit behind it, such as 520 GB.".to_owned())
        );
        assert!(Counted::Bytes.read("4.2e8").is_err());
        assert_eq!(Counted::Seconds.read("30 min"), Ok(1800.0));
        assert!(Counted::Seconds.read("30").is_err_and(|why| why.contains("30 s or 30 min")));
        assert_eq!((Counted::Fraction.read("12%"), Counted::Fraction.read("0.12")), (Ok(0.12), Ok(0.12)));
        assert!(Counted::Fraction.read("12").is_err_and(|why| why.contains("12%")));
    }

    #[test]
    fn a_unit_that_stands_beside_the_field_may_be_left_out() {
        assert_eq!((Counted::Hours.read("3.2"), Counted::Hours.read("3.2 h")), (Ok(3.2), Ok(3.2)));
        assert_eq!((Counted::Days.read("2"), Counted::Days.read("48 h")), (Ok(2.0), Ok(2.0)));
        assert_eq!((Counted::Dollars.read("$400"), Counted::Count.read("256")), (Ok(400.0), Ok(256.0)));
        assert!(Counted::Count.read("").is_err() && Counted::Bytes.read("many").is_err());
    }
}
