//! The bits of a number in two formats.

use ringside_core::float::Format;
use ringside_core::float::bits::{Held, Shown};

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head};
use crate::picture::Picture;

fn ink(format: Format, bit: u32) -> Ink {
    match bit {
        bit if bit < format.mantissa_bits => Ink::Weights,
        bit if bit < format.mantissa_bits + format.exponent_bits => Ink::Optimizer,
        _ => Ink::Gradients,
    }
}

/// A row of bits for each format, sign first, to the same scale.
pub fn bits(s: &Shown) -> Picture {
    let most = s.held.iter().map(|held| held.format.bits()).max().unwrap_or(1).max(8);
    let row = |held: &Held| {
        let format = held.format;
        let bit = |bit: u32| {
            let on = held.code >> bit & 1 == 1;
            let column = f64::from(format.bits() - 1 - bit);
            let cell = Cell::new(column, 0.0, ink(format, bit).at(if on { 100 } else { 30 }));
            cell.text(if on { "1" } else { "0" })
        };
        let keys =
            [(Ink::Gradients.into(), "sign"), (Ink::Optimizer.into(), "exponent"), (Ink::Weights.into(), "mantissa")];
        let title = format!("{}: {} = {}", format.name, held.formula(), held.text());
        let cells = (0..format.bits()).rev().map(bit).collect();
        (1.0, Cells::new(title.clone(), Head::new(title, &keys), [f64::from(most), 1.0], cells).into())
    };
    Picture::Over(s.held.iter().map(row).collect())
}
