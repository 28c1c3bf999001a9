//! Where a parameter lives: fields of every type that a parameter can have, seen alike.

use super::{Options, Takes};
use crate::query::{Kind, ParamSpec, Reader, plain};

/// A field of a model's parameters, to be read and written.
pub enum Slot<'a> {
    /// A real number.
    Real(&'a mut f64),
    /// A real number that may be left out.
    MaybeReal(&'a mut Option<f64>),
    /// A whole number; of a choice, one of those that its names say.
    Whole(&'a mut dyn Whole),
    /// A whole number that may be left out.
    MaybeWhole(&'a mut Option<u64>),
    /// One of some names.
    Choice(&'a mut dyn Choose),
    /// Any text that the model understands.
    Text(&'a mut dyn Text),
}

/// A type that a parameter can have.
pub trait Field {
    /// The field, to be read and written.
    fn slot(&mut self) -> Slot<'_>;
}

/// A whole number of some width.
pub trait Whole {
    /// The number.
    fn get(&self) -> u64;
    /// Sets it; what is too large for its type becomes the largest of it.
    fn set(&mut self, value: u64);
}

/// One of some names.
pub trait Choose {
    /// The name of the one chosen.
    fn id(&self) -> &'static str;
    /// Chooses another; an unknown name changes nothing.
    fn choose(&mut self, id: &str);
    /// What of a learner's setup a choice of this type, among `ids`, takes.
    fn takes(&self, _ids: &[&str]) -> Option<Takes> {
        None
    }
}

/// What is written as a text of its own form: a list of measurements, a schedule.
pub trait Text {
    /// Reads it. An empty text is valid and means none.
    ///
    /// # Errors
    /// A sentence that says what is wrong; then what could be read is kept.
    fn read(&mut self, text: &str) -> Result<(), String>;
    /// Writes it, so that it reads back to the same.
    fn write(&self) -> String;
}

impl Slot<'_> {
    /// Reads the parameter `spec`: as given, or its default with a problem.
    pub(super) fn read(self, spec: &ParamSpec, reader: &mut Reader<'_>) {
        match self {
            Slot::Real(value) => *value = reader.real(spec.name),
            Slot::MaybeReal(value) => *value = reader.real_or_none(spec.name),
            Slot::Whole(value) => value.set(match spec.kind {
                Kind::Choice(_) => reader.choice(spec.name).parse().unwrap_or_default(),
                Kind::Integer { .. } | Kind::Real { .. } => reader.integer(spec.name),
            }),
            Slot::MaybeWhole(value) => *value = reader.real_or_none(spec.name).map(|n| n as u64),
            Slot::Choice(value) => value.choose(reader.choice(spec.name)),
            Slot::Text(value) => {
                let given = reader.text(spec.name).unwrap_or(spec.default);
                if let Err(why) = value.read(given) {
                    reader.problem(spec.name, why);
                }
            }
        }
    }

    /// The value as a query has it; nothing where it is left out.
    pub fn write(&self) -> Option<String> {
        match self {
            Slot::Real(value) => Some(plain(**value)),
            Slot::MaybeReal(value) => value.map(plain),
            Slot::Whole(value) => Some(value.get().to_string()),
            Slot::MaybeWhole(value) => value.map(|n| n.to_string()),
            Slot::Choice(value) => Some(value.id().to_owned()),
            Slot::Text(value) => Some(value.write()).filter(|text| !text.is_empty()),
        }
    }

    /// The value of a number; none where it is left out, and of what is no number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Slot::Real(value) => Some(**value),
            Slot::MaybeReal(value) => **value,
            Slot::Whole(value) => Some(value.get() as f64),
            Slot::MaybeWhole(value) => value.map(|n| n as f64),
            Slot::Choice(_) | Slot::Text(_) => None,
        }
    }

    /// Sets a number, kept within what `kind` allows.
    pub fn set_number(self, kind: Kind, number: f64) {
        let number = match kind {
            Kind::Real { min, max } => number.clamp(min, max),
            Kind::Integer { min, max } => number.round().clamp(min as f64, max as f64),
            Kind::Choice(_) => number,
        };
        match self {
            Slot::Real(value) => *value = number,
            Slot::MaybeReal(value) => *value = Some(number),
            Slot::Whole(value) => value.set(number as u64),
            Slot::MaybeWhole(value) => *value = Some(number as u64),
            Slot::Choice(_) | Slot::Text(_) => {}
        }
    }

    /// The name, among those of `kind`, of what is chosen; empty for what is no choice.
    pub fn chosen(&self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Slot::Choice(value), _) => value.id(),
            (Slot::Whole(value), Kind::Choice(ids)) => {
                ids.iter().find(|id| id.parse() == Ok(value.get())).copied().unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Chooses.
    pub fn choose(self, id: &str) {
        match self {
            Slot::Choice(value) => value.choose(id),
            Slot::Whole(value) => value.set(id.parse().unwrap_or_else(|_| value.get())),
            _ => {}
        }
    }
}

impl Field for f64 {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Real(self)
    }
}

impl Field for Option<f64> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::MaybeReal(self)
    }
}

impl Field for Option<u64> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::MaybeWhole(self)
    }
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl Whole for $type {
            fn get(&self) -> u64 {
                *self as u64
            }

            fn set(&mut self, value: u64) {
                *self = Self::try_from(value).unwrap_or(Self::MAX);
            }
        }

        impl Field for $type {
            fn slot(&mut self) -> Slot<'_> {
                Slot::Whole(self)
            }
        }
    )+};
}

whole_numbers!(u8, u32, u64, usize);

/// Nothing is 0, where a query has that for whatever is best.
impl Whole for Option<u64> {
    fn get(&self) -> u64 {
        self.unwrap_or(0)
    }

    fn set(&mut self, value: u64) {
        *self = Some(value).filter(|value| *value > 0);
    }
}

/// 0 or 1, where a query has these for off and on.
impl Whole for bool {
    fn get(&self) -> u64 {
        u64::from(*self)
    }

    fn set(&mut self, value: u64) {
        *self = value > 0;
    }
}

impl Choose for bool {
    fn id(&self) -> &'static str {
        if *self { "true" } else { "false" }
    }

    fn choose(&mut self, id: &str) {
        *self = id == "true";
    }
}

impl Field for bool {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

impl<O: Options> Choose for O {
    fn id(&self) -> &'static str {
        Options::id(*self)
    }

    fn choose(&mut self, id: &str) {
        if let Some(option) = O::find(id) {
            *self = option;
        }
    }
}

impl<O: Options> Field for O {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// A row of a table, chosen by its id. Reading starts at the first.
macro_rules! chosen_by_id {
    ($($row:ty, $first:expr, $find:path $(, $takes:expr)?;)+) => {$(
        impl Default for &'static $row {
            fn default() -> Self {
                $first
            }
        }

        impl $crate::declare::Choose for &'static $row {
            fn id(&self) -> &'static str {
                self.id
            }

            fn choose(&mut self, id: &str) {
                if let Some(row) = $find(id) {
                    *self = row;
                }
            }

            $(
                fn takes(&self, ids: &[&str]) -> Option<$crate::declare::Takes> {
                    $takes(ids)
                }
            )?
        }

        impl $crate::declare::Field for &'static $row {
            fn slot(&mut self) -> $crate::declare::Slot<'_> {
                $crate::declare::Slot::Choice(self)
            }
        }
    )+};
}

pub(crate) use chosen_by_id;

/// A type around one of these ids. What is none of them changes nothing.
macro_rules! one_of {
    ($of:ty, $ids:expr) => {
        impl $crate::declare::Choose for $of {
            fn id(&self) -> &'static str {
                self.0
            }

            fn choose(&mut self, id: &str) {
                self.0 = $ids.iter().find(|known| **known == id).unwrap_or(&self.0);
            }
        }

        impl $crate::declare::Field for $of {
            fn slot(&mut self) -> $crate::declare::Slot<'_> {
                $crate::declare::Slot::Choice(self)
            }
        }
    };
}

pub(crate) use one_of;
