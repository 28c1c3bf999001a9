//! Occupancy against NVIDIA's own header: every case of the shared oracle, and drawn cases of every compute capability that it knows.

use ringside_core::occupancy::definition::{Launch, Limit, Residency, Sm};
use serde_json::Value;

use crate::compare::{Check, cases, int, json};

const HEADER: &str = "oracles/nvidia_cuda_occupancy.json";
const DRAWN: &str = "oracles/nvidia_cuda_occupancy_drawn.json";
/// `INT_MAX`, where NVIDIA's header has no limit.
const NONE: u64 = 2_147_483_647;

/// What the header says, in the order of the drawn cases: blocks, bits, blocks by registers, shared memory, warps, blocks and barriers,
/// registers and shared memory of a block.
fn said(held: &Residency) -> [u64; 9] {
    let by = |limit: Limit| held.allows(limit).unwrap_or(NONE);
    [
        held.blocks,
        held.bits().into(),
        by(Limit::Registers),
        by(Limit::Shared),
        by(Limit::Warps),
        by(Limit::Blocks),
        by(Limit::Barriers),
        held.block_registers,
        held.block_shared,
    ]
}

fn header() -> Check {
    let mut check = Check::new("occupancy", HEADER, "blocks, what limits them, and what each resource allows", 0.0);
    for case in cases(&json(HEADER)) {
        let (i, o) = (&case["inputs"], &case["outputs"]);
        let (major, minor) = i["cc"].as_str().and_then(|cc| cc.split_once('.')).expect("a compute capability");
        let sm = Sm {
            cc: (major.parse().expect("a number"), minor.parse().expect("a number")),
            threads: int(i, "max_threads_per_sm"),
            registers: int(i, "regs_per_sm"),
            block_registers: int(i, "regs_per_sm"),
            shared: int(i, "smem_per_sm"),
            block_shared: 49_152,
            block_shared_opt_in: int(i, "smem_per_block_optin"),
            reserved: int(i, "reserved_smem_per_block"),
        };
        let launch = Launch {
            block: int(i, "block_size"),
            registers: int(i, "regs_per_thread"),
            static_shared: int(i, "static_smem"),
            dynamic_shared: int(i, "dynamic_smem"),
            max_dynamic_shared: int(i, "smem_per_block_optin").saturating_sub(int(i, "static_smem")),
            barriers: 1,
            carveout: None,
        };
        let held = sm.holds(&launch).expect("a launch that the definition knows");
        let keys = [
            "active_blocks_per_sm",
            "limiting_factors_bits",
            "limit_regs",
            "limit_smem",
            "limit_warps",
            "limit_blocks",
            "limit_barriers",
            "allocated_regs_per_block",
            "allocated_smem_per_block",
        ];
        for (key, ours) in keys.into_iter().zip(said(&held)) {
            check.close(&format!("{key} of {i}"), ours as f64, int(o, key) as f64);
        }
        let warps = held.blocks * launch.block.div_ceil(32);
        check.close("warps", warps as f64, int(o, "active_warps_per_sm") as f64);
        // Theirs is written to six decimals.
        let part = warps as f64 / sm.warps() as f64;
        assert!((part - o["occupancy"].as_f64().expect("a part")).abs() < 1e-6, "occupancy of {i}");
        check.case();
    }
    check
}

fn drawn() -> Check {
    let mut check = Check::new("occupancy", DRAWN, "drawn launches, carve-outs and barriers on 5.0 to 12.1", 0.0);
    for case in cases(&json(DRAWN)) {
        let numbers = |side: usize| -> Vec<i64> {
            case[side].as_array().expect("numbers").iter().filter_map(Value::as_i64).collect()
        };
        let (given, theirs) = (numbers(0), numbers(1));
        let at = |i: usize| u64::try_from(given[i]).unwrap_or_default();
        let sm = Sm {
            cc: (at(0) as u32, at(1) as u32),
            threads: at(2),
            shared: at(3),
            block_shared_opt_in: at(4),
            reserved: at(5),
            registers: at(6),
            block_registers: at(14),
            block_shared: at(15),
        };
        let launch = Launch {
            block: at(7),
            registers: at(8),
            static_shared: at(9),
            dynamic_shared: at(10),
            max_dynamic_shared: at(11),
            barriers: at(12),
            carveout: (given[13] >= 0).then(|| at(13)),
        };
        check.case();
        match sm.holds(&launch) {
            Ok(held) => {
                assert_eq!(theirs[0], 0, "the header has no answer to {given:?}, we have {held:?}");
                for (ours, theirs) in said(&held).into_iter().zip(&theirs[1..]) {
                    check.close(&format!("{given:?}"), ours as f64, *theirs as f64);
                }
            }
            Err(why) => assert_ne!(theirs[0], 0, "{given:?}: {why}"),
        }
    }
    check
}

/// Every comparison of this file.
pub fn all() -> Vec<Check> {
    vec![header(), drawn()]
}

#[test]
fn occupancy_is_what_the_header_says() {
    let cases: Vec<u32> = all().iter().map(|check| check.cases).collect();
    assert_eq!(cases, [150, 900]);
}
