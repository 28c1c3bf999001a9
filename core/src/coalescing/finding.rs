//! What an access costs, in sentences.

use super::{Params, Repair, View};
use crate::quantity::{Unit, bytes_binary, counted, grouped, number, plural, unbroken};

impl Params {
    /// What the access of the lanes up to the step on show costs.
    pub fn finding(&self) -> String {
        match self.cost() {
            Err(why) => why,
            Ok(_) if self.view == View::Shared => self.of_banks(),
            Ok(_) => self.of_sectors(),
        }
    }

    fn of_sectors(&self) -> String {
        let access = self.access(self.step);
        let sectors = access.sectors.len();
        if sectors == 0 {
            return "Before the first lane: nothing has been asked for.".to_owned();
        }
        let so_far = if self.step < super::LANES {
            format!("After {}: ", plural(&self.step.to_string(), "lane"))
        } else {
            String::new()
        };
        let verdict = match access.best() {
            best if best == sectors as u64 => "No sector is moved in vain: the access is coalesced.".to_owned(),
            best => format!(
                "{} would do: the access costs {} times as much traffic as it must, unless neighbouring warps use the rest while it is cached.",
                plural(&best.to_string(), "sector"),
                number(sectors as f64 / best as f64)
            ),
        };
        let lines = access.lines.len();
        let text = format!(
            "{} of 32 B in {}: {} moved for {} used, {}. {verdict}",
            counted(sectors as u64, "sector", "sectors"),
            counted(lines as u64, "line", "lines"),
            grouped(access.moved()) + " B",
            grouped(access.used) + " B",
            unbroken(&Unit::Fraction.format(access.efficiency())),
        );
        so_far + &text
    }

    fn of_banks(&self) -> String {
        let banks = self.banks();
        let cost = match self.repair {
            Repair::None => String::new(),
            Repair::Pad => {
                let more = super::LANES * self.width.bytes();
                format!(" Padding makes the tile {} larger.", bytes_binary(more as f64))
            }
            Repair::Swizzle => " The swizzle takes no memory, only an exclusive or in each address.".to_owned(),
        };
        if banks.degree <= 1 {
            let alike = if banks.least > 1 {
                format!(
                    "Every lane reads {} B, so a warp takes {} passes at least, and takes no more: no conflict.",
                    self.width.bytes(),
                    banks.least
                )
            } else {
                "One pass: no two lanes ask a bank for different words.".to_owned()
            };
            return alike + &cost;
        }
        format!(
            "A {}-way bank conflict: {} passes where {} would do. A row of the tile is {} words long, so lanes that go down a column meet in the same banks.{cost}",
            banks.degree,
            banks.passes,
            banks.least,
            match self.repair {
                Repair::Pad => (self.tile + 1) * self.width.bytes() / 4,
                _ => self.tile * self.width.bytes() / 4,
            }
        )
    }
}
