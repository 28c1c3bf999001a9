//! In which order the tiles of a matrix product are computed, and what of A and B the L2 cache still has when they are.
//!
//! C has `rows` × `columns` tiles, and each needs a row of `depth` blocks of A and a column of `depth` blocks of B. Programs are
//! numbered; as many as there is room for run at a time, step along the depth together, and the next as many follow. A number
//! becomes a tile either row by row or in groups of rows, as in Triton's tutorial 03 (`GROUP_SIZE_M`): the programs of a group go
//! down its rows before they go on to the next column. Each block is asked of a cache that keeps the blocks last used. Left out:
//! programs that run ahead of others, and what else is in the cache.

use std::collections::VecDeque;

use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, applies, choice, headline, measure, origin, whole,
};
use crate::options;
use crate::quantity::{Unit, grouped, number, plural};

/// How numbers of programs become tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Along a row, then the next.
    RowMajor,
    /// Down the rows of a group, then the next column.
    #[default]
    Grouped,
}

options!(Order {
    RowMajor: "row-major", "row by row";
    Grouped: "grouped", "in groups";
});

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// The order.
    pub order: Order,
    /// Rows of a group, Triton's `GROUP_SIZE_M`.
    pub group: u64,
    /// Programs that run at a time.
    pub running: u64,
    /// Rows of tiles of C.
    pub rows: u64,
    /// Columns of tiles of C.
    pub columns: u64,
    /// Blocks along the inner dimension.
    pub depth: u64,
    /// Blocks that the cache holds.
    pub cache: u64,
    /// Waves that are done.
    pub step: usize,
}

const MAX_SIDE: u64 = 64;
const MAX_DEPTH: u64 = 128;

/// What the product reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it is the run of.
    pub params: Params,
    /// The waves, first to last.
    pub waves: Vec<Wave>,
    /// Blocks that programs ask for.
    pub requests: u64,
}

/// Programs that run together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wave {
    /// Its tiles of C: row and column, in the order of their numbers.
    pub tiles: Vec<[u64; 2]>,
    /// Blocks of A that it uses, by row, and for each of the depth whether the cache had it.
    pub a: Vec<(u64, Vec<bool>)>,
    /// The same of B, by column.
    pub b: Vec<(u64, Vec<bool>)>,
}

impl Wave {
    /// Blocks that are read from memory.
    pub fn read(&self) -> u64 {
        self.a.iter().chain(&self.b).flat_map(|(_, had)| had).filter(|had| !**had).count() as u64
    }

    /// Different blocks that are used.
    pub fn used(&self) -> u64 {
        self.a.iter().chain(&self.b).map(|(_, had)| had.len() as u64).sum()
    }
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "tile-order";
    const TITLE: &'static str = "The order of tiles";
    const SUMMARY: &'static str = "The tiles of a matrix product in the order of their launch, row by row or in groups, and what the L2 cache still has of A and B.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("order", "how numbers of programs become tiles", Order::LIST, "grouped")
            .label("Tile order")
            .main()
            .at(|p| p.order.slot()),
        whole("group", "rows of a group, GROUP_SIZE_M", [1, MAX_SIDE], "3")
            .label("Rows per group")
            .steps(1.0)
            .main()
            .at(|p| p.group.slot()),
        whole("running", "programs that run at a time", [1, 1024], "9")
            .label("Concurrent programs")
            .steps(1.0)
            .main()
            .at(|p| p.running.slot()),
        whole("cache", "blocks that the L2 cache holds", [1, 1 << 14], "64")
            .label("L2 capacity, blocks")
            .doubling(14)
            .main()
            .at(|p| p.cache.slot()),
        whole("rows", "rows of tiles of C", [1, MAX_SIDE], "9").label("Tiles down").steps(1.0).at(|p| p.rows.slot()),
        whole("columns", "columns of tiles of C", [1, MAX_SIDE], "9")
            .label("Tiles across")
            .steps(1.0)
            .at(|p| p.columns.slot()),
        whole("depth", "blocks along the inner dimension", [1, MAX_DEPTH], "9")
            .label("Blocks of the inner dimension")
            .steps(1.0)
            .at(|p| p.depth.slot()),
        whole("step", "waves done", [0, MAX_SIDE * MAX_SIDE], "1").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["group"], |p| p.order == Order::Grouped)];
    const ORIGIN: Origin = Origin::Of(
        "Triton’s tutorial 03, python/tutorials/03-matrix-multiplication.py (GROUP_SIZE_M), run through a cache that evicts the least recently used block",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["hit-rate"]),
        origin(Origin::Definition, &["waves", "wave-efficiency", "blocks-least", "requests"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("wave-blocks", "Blocks the first wave uses", Unit::Count, |_, r| {
            r.waves.first().map_or(0.0, |wave| wave.used() as f64)
        }),
        headline(
            "Reads that the L2 cache does not serve.",
            measure("blocks-read", "Blocks read from memory", Unit::Count, |_, r| r.read() as f64),
        ),
        headline(
            "Every block of A and B once.",
            measure("blocks-least", "Minimum blocks read", Unit::Count, |p, _| p.least() as f64),
        ),
        measure("requests", "Blocks requested", Unit::Count, |_, r| r.requests as f64),
        headline(
            "Blocks that are found in the L2 cache.",
            measure("hit-rate", "L2 hit rate", Unit::Fraction, |_, r| r.hits()),
        ),
        measure("waves", "Waves", Unit::Count, |_, r| r.waves.len() as f64),
        headline(
            "How much of the time that the waves take programs have a tile, if all tiles take the same time (wave quantization).",
            measure("wave-efficiency", "Wave efficiency", Unit::Fraction, |p, _| p.wave_efficiency()),
        ),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Ok(Run::new(*self))
    }

    fn follow(&mut self, before: &Self) {
        if (Self { step: 0, ..*self }) != (Self { step: 0, ..*before }) {
            self.step = self.step.min(self.waves());
        }
    }
}

impl Params {
    /// Tiles of C.
    pub fn tiles(&self) -> u64 {
        self.rows * self.columns
    }

    /// Waves of the launch.
    pub fn waves(&self) -> usize {
        self.tiles().div_ceil(self.running.max(1)) as usize
    }

    /// The share of the places in all waves that have a tile: NVIDIA, Matrix Multiplication Background User's Guide, wave quantization.
    pub fn wave_efficiency(&self) -> f64 {
        self.tiles() as f64 / (self.waves().max(1) as f64 * self.running.max(1) as f64)
    }

    /// Blocks of A and B, each once.
    pub fn least(&self) -> u64 {
        (self.rows + self.columns) * self.depth
    }

    /// The tile, row and column, of program `number`.
    pub fn tile(&self, number: u64) -> [u64; 2] {
        let columns = self.columns.max(1);
        match self.order {
            Order::RowMajor => [number / columns, number % columns],
            Order::Grouped => {
                let in_group = self.group.max(1) * columns;
                let (first, place) = (number / in_group * self.group.max(1), number % in_group);
                let high = self.group.min(self.rows.saturating_sub(first)).max(1);
                [first + place % high, place / high]
            }
        }
    }

    /// What the picture says after a number of waves.
    pub fn finding(&self, run: &Run, step: usize) -> String {
        let wave = step.checked_sub(1).and_then(|i| run.waves.get(i)).map_or_else(
            || "Nothing has been computed.".to_owned(),
            |wave| {
                let found = wave.used() - wave.read();
                let rest = if found == 0 {
                    "all of them from memory".to_owned()
                } else {
                    format!("{} from memory and {} still in the L2", grouped(wave.read()), grouped(found))
                };
                let many = |n: u64, what: &str| plural(&grouped(n), what);
                let tiles = wave.tiles.len() as u64;
                let idle = if tiles < self.running {
                    format!(" {} have none.", many(self.running - tiles, "program"))
                } else {
                    String::new()
                };
                format!(
                    "The {} of this wave lie in {} and {}: they use {} of A and B, {rest}.{idle}",
                    many(tiles, "tile"),
                    many(wave.a.len() as u64, "row"),
                    many(wave.b.len() as u64, "column"),
                    many(wave.used(), "block")
                )
            },
        );
        format!(
            "{wave} The whole product reads {} blocks, {} times what A and B have; {} of {} requests find theirs in the L2.",
            grouped(run.read()),
            number(run.read() as f64 / self.least().max(1) as f64),
            Unit::Fraction.format(run.hits()),
            grouped(run.requests)
        )
    }
}

/// A cache that keeps what was used last.
struct Cache {
    /// For each block when it was last used, if it is there.
    used: Vec<Option<u64>>,
    /// Blocks in the order of use; one that was used again later is there again.
    order: VecDeque<(usize, u64)>,
    held: u64,
    room: u64,
    time: u64,
}

impl Cache {
    fn new(blocks: u64, room: u64) -> Self {
        Self { used: vec![None; blocks as usize], order: VecDeque::new(), held: 0, room, time: 0 }
    }

    /// Asks for a block: whether it was there. It is from now on.
    fn ask(&mut self, block: usize) -> bool {
        self.time += 1;
        let Some(used) = self.used.get_mut(block) else { return false };
        let had = used.replace(self.time).is_some();
        self.order.push_back((block, self.time));
        self.held += u64::from(!had);
        while self.held > self.room {
            let Some((oldest, time)) = self.order.pop_front() else { break };
            if let Some(used) = self.used.get_mut(oldest).filter(|used| **used == Some(time)) {
                *used = None;
                self.held -= 1;
            }
        }
        had
    }
}

impl Run {
    /// The run of these parameters.
    pub fn new(params: Params) -> Self {
        let depth = params.depth;
        let of_a = params.rows * depth;
        let mut cache = Cache::new(params.least(), params.cache);
        let mut requests = 0;
        let running = params.running.max(1);
        let starts = (0..params.tiles()).step_by(running as usize);
        let wave = |start: u64| {
            let tiles: Vec<[u64; 2]> =
                (start..(start + running).min(params.tiles())).map(|number| params.tile(number)).collect();
            let distinct = |which: usize| {
                let mut all: Vec<u64> = tiles.iter().map(|tile| tile[which]).collect();
                all.sort_unstable();
                all.dedup();
                all.into_iter().map(|at| (at, Vec::with_capacity(depth as usize))).collect::<Vec<_>>()
            };
            let (mut a, mut b) = (distinct(0), distinct(1));
            requests += 2 * tiles.len() as u64 * depth;
            for at in 0..depth {
                // All programs of a wave ask for a block at the same time, so that it is read once.
                a.iter_mut().for_each(|(row, had)| had.push(cache.ask((*row * depth + at) as usize)));
                b.iter_mut().for_each(|(column, had)| had.push(cache.ask((of_a + *column * depth + at) as usize)));
            }
            Wave { tiles, a, b }
        };
        let waves = starts.map(wave).collect();
        Self { params, waves, requests }
    }

    /// Blocks that are read from memory.
    pub fn read(&self) -> u64 {
        self.waves.iter().map(Wave::read).sum()
    }

    /// The part of the requests that the cache answers.
    pub fn hits(&self) -> f64 {
        if self.requests == 0 { 0.0 } else { 1.0 - self.read() as f64 / self.requests as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use proptest::prelude::*;

    fn run(query: &str) -> Run {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        Run::new(params)
    }

    /// Triton's tutorial 03, "L2 Cache Optimizations": of matrices of 9 × 9 blocks, the first nine tiles need 90 blocks row by row and
    /// 54 in groups of three.
    #[test]
    fn the_blocks_of_the_tutorial() {
        assert_eq!(run("order=row-major").waves[0].used(), 90);
        assert_eq!(run("order=grouped&group=3").waves[0].used(), 54);
        assert_eq!(run("order=grouped&group=1").waves, run("order=row-major").waves);
    }

    /// 8192 cubed in tiles of 128 × 128 × 64 on an A100: the cache of 40 MB holds 2,560 blocks of 16 kB.
    #[test]
    fn groups_save_traffic_where_a_row_of_b_does_not_fit() {
        let a100 = "rows=64&columns=64&depth=128&running=108&cache=2560";
        let [plain, groups] = ["row-major", "grouped&group=8"].map(|order| run(&format!("{a100}&order={order}")));
        assert!(groups.read() * 2 < plain.read(), "{} {}", groups.read(), plain.read());
        // Where everything fits, no order is better.
        let ample = |order: &str| run(&format!("order={order}&cache=16384")).read();
        assert_eq!([ample("row-major"), ample("grouped")], [162; 2]);
    }

    /// NVIDIA, Matrix Multiplication Background User's Guide: one tile more than a whole number of waves takes another wave.
    #[test]
    fn a_last_wave_with_few_tiles_takes_as_long_as_a_full_one() {
        let efficiency = |query: &str| Params::read(&Query::parse(query)).0.wave_efficiency();
        assert_eq!(efficiency("rows=9&columns=12&running=108"), 1.0);
        assert_eq!(efficiency("rows=16&columns=16&running=108"), 256.0 / 324.0);
        let last = Params::read(&Query::parse("rows=16&columns=16&running=108&step=3")).0;
        assert!(
            last.finding(&Run::new(last), 3).contains("68 programs have none"),
            "{}",
            last.finding(&Run::new(last), 3)
        );
    }

    /// A cache of two: the block used longest ago goes.
    #[test]
    fn the_cache_keeps_what_was_used_last() {
        let mut cache = Cache::new(4, 2);
        assert_eq!([0, 1, 0, 2, 0, 1, 0].map(|block| cache.ask(block)), [false, false, true, false, true, false, true]);
    }

    proptest! {
        #[test]
        fn sound_for_everything_that_is_valid(
            rows in 1..20_u64, columns in 1..20_u64, depth in 1..12_u64, group in 1..=64_u64, running in 1..200_u64,
            cache in 1..500_u64, grouped: bool, step in 0..40_usize,
        ) {
            let order = if grouped { Order::Grouped } else { Order::RowMajor };
            let p = Params { order, group, running, rows, columns, depth, cache, step };
            prop_assert_eq!(Params::read(&p.query()), (p, vec![]));
            let run = Run::new(p);
            let mut tiles: Vec<[u64; 2]> = run.waves.iter().flat_map(|wave| wave.tiles.clone()).collect();
            tiles.sort_unstable();
            prop_assert_eq!(tiles, (0..rows).flat_map(|r| (0..columns).map(move |c| [r, c])).collect::<Vec<_>>());
            prop_assert!(run.read() >= p.least() && run.read() <= run.requests);
            prop_assert_eq!(run.waves.len(), p.waves());
            let places = (running * run.waves.len() as u64) as f64;
            prop_assert!((p.wave_efficiency() * places - (rows * columns) as f64).abs() < 1e-6);
            let ample = Params { cache: p.least(), ..p };
            prop_assert_eq!(Run::new(ample).read(), p.least());
            prop_assert!(p.quantities(&run).iter().all(|q| q.value.is_finite()));
            prop_assert!(!p.finding(&run, step).is_empty());
        }
    }
}
