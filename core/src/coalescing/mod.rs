//! `coalescing`: what a warp's 32 addresses cost, in sectors and lines of global memory and in passes over the banks of shared memory.

pub mod banks;
mod finding;
pub mod measured;
pub mod memory;

pub use banks::Banks;
pub use memory::Access;

use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, applies, choice, doc, headline, measure, origin, when,
    whole,
};
use crate::options;
use crate::quantity::Unit;

/// Lanes of a warp.
pub const LANES: u64 = 32;

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Global memory.
    #[default]
    Global,
    /// Shared memory.
    Shared,
}

options!(View {
    Global: "global", "global memory";
    Shared: "shared", "shared memory";
});

/// Which value each lane reads of global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pattern {
    /// Values so many apart.
    #[default]
    Stride,
    /// Neighbouring values in another order.
    Permutation,
    /// One field of each struct of an array.
    Struct,
    /// A column of a matrix that lies row by row.
    Column,
    /// Any value of a table.
    Random,
    /// All the same value.
    Broadcast,
}

options!(Pattern {
    Stride: "stride", "values a stride apart";
    Permutation: "permutation", "neighbours in another order";
    Struct: "struct", "one field of each struct";
    Column: "column", "a matrix column";
    Random: "random", "values anywhere";
    Broadcast: "broadcast", "all the same value";
});

/// Bytes of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// A byte: int8, fp8.
    One,
    /// Half a word: fp16, bf16.
    Two,
    /// A word: float.
    #[default]
    Four,
    /// Two words: double, `float2`.
    Eight,
    /// Four words: `float4`.
    Sixteen,
}

options!(Width {
    One: "1", "1";
    Two: "2", "2";
    Four: "4", "4";
    Eight: "8", "8";
    Sixteen: "16", "16";
});

impl Width {
    /// As a number of bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
        }
    }
}

/// How lanes walk over a tile of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Walk {
    /// Along a row.
    Row,
    /// Down a column.
    #[default]
    Column,
    /// Down the diagonal.
    Diagonal,
}

options!(Walk {
    Row: "row", "a row";
    Column: "column", "a column";
    Diagonal: "diagonal", "the diagonal";
});

/// What keeps the lanes of a column in different banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// A value more in each row.
    Pad,
    /// Columns exchanged by the number of the row.
    Swizzle,
}

options!(Repair {
    None: "none", "none";
    Pad: "pad", "padding";
    Swizzle: "swizzle", "swizzle";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// Which memory.
    pub view: View,
    /// Which value each lane reads.
    pub pattern: Pattern,
    /// Values between two lanes' values.
    pub stride: u64,
    /// The first lane's value.
    pub offset: u64,
    /// Values of a struct.
    pub fields: u64,
    /// Values of a row of the matrix.
    pub columns: u64,
    /// The seed of random values.
    pub seed: u64,
    /// Bytes of a value.
    pub width: Width,
    /// How lanes walk over a tile.
    pub walk: Walk,
    /// Values of a row of the tile, a power of two.
    pub tile: u64,
    /// What keeps lanes in different banks.
    pub repair: Repair,
    /// Lanes, or passes, that have been served.
    pub step: u64,
    /// Values that are read where it is timed.
    pub values: u64,
}

/// What both memories make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// Global memory.
    pub access: Access,
    /// Shared memory.
    pub banks: Banks,
}

/// The last step: every lane.
pub const STEPS: u64 = LANES;

const GLOBAL: &str = "Global memory";

impl Model for Params {
    type Result = Cost;
    const ID: &'static str = "coalescing";
    const TITLE: &'static str = "Coalescing and bank conflicts";
    const SUMMARY: &'static str = "The 32 addresses of a warp: the sectors and lines that they touch in global memory, the passes that they take in shared memory, and what the same pattern costs on your GPU.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("memory", "which memory is read", View::LIST, "global").label("Memory").main().at(|p| p.view.slot()),
        choice("pattern", "which value of global memory each lane reads", Pattern::LIST, "stride")
            .label("Access pattern")
            .main()
            .at(|p| p.pattern.slot()),
        whole("stride", "values from one lane’s to the next’s", [0, 64], "1")
            .label("Stride, values")
            .steps(1.0)
            .main()
            .at(|p| p.stride.slot()),
        choice("repair", "what keeps the lanes of a column of shared memory in different banks", Repair::LIST, "none")
            .label("Fix")
            .main()
            .at(|p| p.repair.slot()),
        choice("width", "bytes of a value", Width::LIST, "4").label("Bytes per value").more("").at(|p| p.width.slot()),
        whole("offset", "the value that the first lane reads", [0, 64], "0")
            .label("First value")
            .steps(1.0)
            .more(GLOBAL)
            .at(|p| p.offset.slot()),
        whole("fields", "values of a struct", [1, 64], "8")
            .label("Values per struct")
            .steps(1.0)
            .more(GLOBAL)
            .at(|p| p.fields.slot()),
        whole("columns", "values of a row of the matrix", [1, 65_536], "1024")
            .label("Values per row")
            .doubling(16)
            .more(GLOBAL)
            .at(|p| p.columns.slot()),
        whole("seed", "seed of the random values", [1, 999], "1").label("Seed").more(GLOBAL).at(|p| p.seed.slot()),
        whole("tile", "values of a row of the tile in shared memory, a power of two", [1, 128], "32")
            .label("Values per tile row")
            .doubling(7)
            .more("Shared memory")
            .at(|p| p.tile.slot()),
        choice("walk", "how lanes walk over a tile of shared memory", Walk::LIST, "column")
            .label("Lanes read")
            .more("Shared memory")
            .at(|p| p.walk.slot()),
        whole(
            "values",
            "values that are read where the pattern is timed, a power of two",
            [1 << 16, 1 << 25],
            "16777216",
        )
        .label("Values when timed")
        .format(crate::quantity::count)
        .doubling(25)
        .more("On your GPU")
        .at(|p| p.values.slot()),
        whole("step", "lanes that have been served", [0, STEPS], "32").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["pattern", "values"], |p| p.view == View::Global),
        applies(&["stride"], |p| p.reads(Pattern::Stride)),
        applies(&["fields"], |p| p.reads(Pattern::Struct)),
        applies(&["columns"], |p| p.reads(Pattern::Column)),
        applies(&["seed"], |p| p.reads(Pattern::Random)),
        applies(&["offset"], |p| p.view == View::Global && p.pattern != Pattern::Random),
        applies(&["walk", "tile", "repair"], |p| p.view == View::Shared),
    ];
    const ORIGIN: Origin = memory::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["efficiency", "times"]),
        origin(banks::ORIGIN, &["passes", "least-passes", "conflict", "tile-bytes"]),
        origin(
            Origin::Own("the longer of the bytes moved and the bank passes, over those of a plain copy"),
            &["predicted"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Cost>] = &[
        when(
            |p, _| p.view == View::Global,
            headline(
                "32-byte pieces of memory that one warp’s access touches.",
                measure("sectors", "Sectors touched", Unit::Count, |_, c| c.access.sectors.len() as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Global,
            doc(
                "The fewest sectors that hold what the warp asks for.",
                measure("best-sectors", "Minimum sectors", Unit::Count, |_, c| c.access.best() as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Global,
            measure("lines", "Lines touched", Unit::Count, |_, c| c.access.lines.len() as f64),
        ),
        when(
            |p, _| p.view == View::Global,
            headline(
                "All bytes of the sectors touched.",
                measure("moved", "Bytes moved", Unit::Bytes, |_, c| c.access.moved() as f64),
            ),
        ),
        when(|p, _| p.view == View::Global, measure("used", "Bytes used", Unit::Bytes, |_, c| c.access.used as f64)),
        when(
            |p, _| p.view == View::Global,
            headline(
                "The bytes that the warp asked for over the bytes that move.",
                measure("efficiency", "Share of moved bytes used", Unit::Fraction, |_, c| c.access.efficiency()),
            ),
        ),
        when(
            |p, _| p.view == View::Global,
            measure("times", "Traffic over the minimum", Unit::Ratio, |_, c| 1.0 / c.access.efficiency()),
        ),
        when(
            |p, _| p.view == View::Shared,
            headline(
                "Passes that shared memory needs to serve the warp.",
                measure("passes", "Bank passes", Unit::Count, |_, c| c.banks.passes as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Shared,
            headline(
                "Passes that the same bytes would need if no two addresses shared a bank.",
                measure("least-passes", "Bank passes without conflicts", Unit::Count, |_, c| c.banks.least as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Shared,
            headline(
                "The most addresses that fall on one bank. One means there is no conflict.",
                measure("conflict", "Bank conflict, ways", Unit::Count, |_, c| c.banks.degree as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Shared,
            measure("tile-bytes", "Shared memory of the tile", Unit::Bytes, |_, c| c.banks.bytes as f64),
        ),
        when(
            |p, _| p.run().is_some(),
            measure("predicted", "Predicted time over a plain copy", Unit::Ratio, |p, _| {
                p.run().map_or(0.0, |run| run.predicted())
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Cost, String> {
        self.cost()
    }

    fn settle(&mut self, reader: &mut crate::query::Reader<'_>) {
        for (name, value) in [("tile", &mut self.tile), ("values", &mut self.values)] {
            if !value.is_power_of_two() {
                let down = 1 << value.ilog2();
                reader.problem(name, format!("{name} is a power of two: {down} is taken for {value}."));
                *value = down;
            }
        }
    }

    fn follow(&mut self, before: &Self) {
        if self.view != before.view {
            self.step = STEPS;
        }
    }
}

impl Params {
    /// Whether global memory is read in this pattern.
    pub fn reads(&self, pattern: Pattern) -> bool {
        self.view == View::Global && self.pattern == pattern
    }

    /// What both memories make of it.
    ///
    /// # Errors
    /// A value of less than a word in shared memory shares its word with others: a sentence.
    pub fn cost(&self) -> Result<Cost, String> {
        if self.view == View::Shared && self.width.bytes() < banks::WORD {
            return Err(format!(
                "Shared memory is drawn in words of four bytes; with values of {} several lanes share each: choose 4, 8 or 16.",
                self.width.bytes()
            ));
        }
        Ok(Cost { access: self.access(LANES), banks: self.banks() })
    }

    /// Steps of the figure: lanes of global memory, passes of shared memory.
    pub fn steps(&self) -> u64 {
        match self.view {
            View::Global => LANES,
            View::Shared => self.banks().passes,
        }
    }

    /// The state in a few words.
    pub fn subtitle(&self) -> String {
        let bytes = self.width.bytes();
        match self.view {
            View::Global => format!("32 lanes read {bytes} B each: {}", self.pattern_in_words()),
            View::Shared => {
                format!("32 lanes read {} of a tile with {} values of {bytes} B a row", self.walk.label(), self.tile)
            }
        }
    }

    fn pattern_in_words(&self) -> String {
        match self.pattern {
            Pattern::Stride if self.stride == 1 && self.offset == 0 => "neighbours".to_owned(),
            Pattern::Stride => format!("{} values apart, from value {}", self.stride, self.offset),
            Pattern::Struct => format!("a field of structs of {}", self.fields),
            Pattern::Column => format!("a column of rows of {}", self.columns),
            other => other.label().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
