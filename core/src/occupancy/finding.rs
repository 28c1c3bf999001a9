//! What the SM says, in sentences.

use super::definition::{Limit, MAX_BLOCK};
use super::{Held, Params};
use crate::quantity::{Unit, bytes_binary, capital, counted, grouped, unbroken};

impl Params {
    /// What the SM holds, what runs out, and whether more would help.
    pub fn finding(&self) -> String {
        match self.held() {
            Err(why) => why,
            Ok(held) if held.residency.blocks == 0 => self.refused(&held),
            Ok(held) => format!("{} {} {}", self.resident(&held), self.limited(&held), self.hiding(&held)),
        }
    }

    fn resident(&self, held: &Held) -> String {
        let limits: Vec<&str> = held.residency.limits().map(Limit::label).collect();
        let verb = if limits == ["registers"]
            || limits == ["warp slots"]
            || limits == ["block slots"]
            || limits == ["barriers"]
            || limits.len() > 1
        {
            "limit"
        } else {
            "limits"
        };
        let first = capital(&limits.join(" and "));
        format!(
            "{first} {verb} an SM to {}: {} of {} warps, {} occupancy.",
            counted(held.residency.blocks, "block", "blocks"),
            held.warps,
            held.sm.warps(),
            unbroken(&Unit::Fraction.format(held.occupancy())),
        )
    }

    /// What a block takes of what runs out.
    fn limited(&self, held: &Held) -> String {
        let (r, sm) = (&held.residency, &held.sm);
        let says = |limit: Limit| match limit {
            Limit::Warps => {
                format!("A block has {} and an SM {} slots.", counted(held.block_warps, "warp", "warps"), sm.warps())
            }
            Limit::Registers => format!(
                "A block is given {} of {} registers, in units of 256 for each warp.",
                grouped(r.block_registers),
                grouped(sm.registers)
            ),
            Limit::Shared => format!(
                "A block is given {} of {} of shared memory{}.",
                bytes_binary(r.block_shared as f64),
                bytes_binary(r.configured_shared as f64),
                if sm.reserved > 0 {
                    format!(", {} of it for the driver", bytes_binary(sm.reserved as f64))
                } else {
                    String::new()
                }
            ),
            Limit::Blocks => {
                format!("An SM manages at most {}.", counted(sm.max_blocks().unwrap_or_default(), "block", "blocks"))
            }
            Limit::Barriers => {
                format!(
                    "A block uses {} of {}.",
                    counted(self.barriers, "barrier", "barriers"),
                    sm.barriers().unwrap_or_default()
                )
            }
        };
        r.limits().map(says).collect::<Vec<_>>().join(" ")
    }

    /// Whether more warps would help.
    fn hiding(&self, held: &Held) -> String {
        let (needed, most) = (held.needed_warps(), held.sm.warps());
        let per = format!(
            "With {} of {} in flight a thread, {} hide the latency of memory",
            counted(self.loads, "load", "loads"),
            unbroken(&format!("{} B", self.width.bytes())),
            counted(needed, "warp", "warps")
        );
        if held.warps >= needed {
            return format!("{per}: there are enough, and a higher occupancy will not help.");
        }
        let reach = unbroken(&Unit::Fraction.format(held.reach(held.warps as f64)));
        if needed > most {
            return format!(
                "{per}, more than an SM holds: these reach {reach} of the bandwidth, and only more loads in flight reach all of it."
            );
        }
        format!(
            "{per}: these reach {reach} of the bandwidth. More warps would help, and so would more loads in flight."
        )
    }

    /// Why nothing is launched, in CUDA's words and in ours.
    fn refused(&self, held: &Held) -> String {
        let (r, sm) = (&held.residency, &held.sm);
        let none = |limit| r.allows(limit) == Some(0);
        if none(Limit::Registers) {
            return format!(
                "The kernel does not launch: too many resources requested for launch. {} threads of {} registers are {} registers, and a block may have {}.",
                grouped(self.block),
                self.registers,
                grouped(r.block_registers),
                grouped(sm.block_registers)
            );
        }
        if none(Limit::Shared) {
            let most = if self.opt_in { sm.block_shared_opt_in } else { sm.block_shared };
            let how = if self.opt_in || self.dynamic + self.declared > sm.block_shared_opt_in {
                String::new()
            } else {
                format!(
                    " With cudaFuncSetAttribute(MaxDynamicSharedMemorySize) it may have {}.",
                    bytes_binary(sm.block_shared_opt_in as f64)
                )
            };
            return format!(
                "The kernel does not launch: invalid argument. It asks for {} of shared memory, and a block may have {}.{how}",
                bytes_binary((self.dynamic + self.declared) as f64),
                bytes_binary(most as f64)
            );
        }
        if none(Limit::Barriers) {
            return format!(
                "The kernel does not launch: a block uses {} barriers, more than an SM has.",
                self.barriers
            );
        }
        format!(
            "The kernel does not launch: a block of {} threads has {} warps, and an SM of {} threads holds {} (a block may have {} threads).",
            grouped(self.block),
            held.block_warps,
            grouped(sm.threads),
            sm.warps(),
            grouped(MAX_BLOCK)
        )
    }
}
