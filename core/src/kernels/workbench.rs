//! Puzzles: kernels to write oneself, from one line to softmax in one pass.
//!
//! What each asks for is said here, with what its timed run comes to. Its frame, its solution and what its results are
//! checked against are in `ringside_shaders::puzzles`, whose tests hold the numbers here to them. The idea of a ladder of
//! small puzzles is that of Rush's GPU-Puzzles (<https://github.com/srush/GPU-Puzzles>); these are others.

use super::{WORD, intensity};
use crate::declare::{
    Field as _, List, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, when,
};
use crate::quantity::Unit;

/// A kernel to write.
#[derive(Debug, Clone, Copy)]
pub struct Puzzle {
    /// The name in a query string: `tiled-matmul`.
    pub id: &'static str,
    /// What a person reads.
    pub title: &'static str,
    /// What to compute, in sentences.
    pub task: &'static str,
    /// Each gives away a little more than the one before.
    pub hints: &'static [&'static str],
    /// The sizes at which it is timed, by name.
    pub timed: &'static [(&'static str, u64)],
    /// Floating-point operations at these sizes, an exponential counted as one.
    pub flop: fn(&[u64]) -> u64,
    /// Values that have to be read and written at least at these sizes.
    pub values: fn(&[u64]) -> u64,
}

/// A vector, for kernels that do little with each value.
const LONG: &[(&str, u64)] = &[("n", 1 << 20)];
/// A shorter one, for kernels with barriers: on a GPU made of software these take a microsecond each.
const BLOCKED: &[(&str, u64)] = &[("n", 1 << 18)];
const PLANE: &[(&str, u64)] = &[("rows", 1024), ("cols", 1024)];
const CUBE: &[(&str, u64)] = &[("m", 256), ("n", 256), ("k", 256)];
const ROWS: &[(&str, u64)] = &[("rows", 512), ("cols", 1024)];

/// Values in a block that one workgroup of the puzzles over vectors takes.
pub const BLOCK: u64 = 64;
/// Values in a chunk of the puzzle that splits k.
pub const CHUNK: u64 = 256;
/// Weights of the stencil.
pub const TAPS: u64 = 5;

/// Laps of a loop in one invocation, which no right solution needs at the sizes that it is run at: after so many it is broken off.
/// Mesa's llvmpipe breaks loops off after 65 535 by itself, and says nothing.
pub const LAPS: u32 = 1 << 15;

fn first(sizes: &[u64]) -> u64 {
    sizes.first().copied().unwrap_or(0)
}

fn area(sizes: &[u64]) -> u64 {
    sizes.iter().take(2).product()
}

fn product_flop(sizes: &[u64]) -> u64 {
    2 * sizes.iter().product::<u64>()
}

fn product_values(sizes: &[u64]) -> u64 {
    match sizes {
        [m, n, k] => m * k + k * n + m * n,
        _ => 0,
    }
}

/// The puzzles, the easiest first.
pub const PUZZLES: &[Puzzle] = &[
    Puzzle {
        id: "map",
        title: "Map",
        task: "Write out[i] = a[i] + 10 for every i. There are exactly as many invocations as values: n is a multiple of 64.",
        hints: &[
            "Every invocation runs this same text. Only id differs, and id.x counts from 0 to n − 1.",
            "One assignment is enough. 10 is an integer; 10.0 is what can be added to an f32.",
        ],
        timed: LONG,
        flop: first,
        values: |s| 2 * first(s),
    },
    Puzzle {
        id: "zip",
        title: "Zip",
        task: "Write out[i] = a[i] · b[i]. This time nobody counts for you: you are given the number of the workgroup and \
               the place in it. n is a multiple of 64.",
        hints: &[
            "Workgroups are numbered from 0, and each has 64 invocations, numbered from 0 too.",
            "Before this workgroup there are group.x others of 64 invocations each.",
        ],
        timed: LONG,
        flop: first,
        values: |s| 3 * first(s),
    },
    Puzzle {
        id: "guard",
        title: "Guard",
        task: "The text below doubles a, and is wrong for most n: workgroups come whole, so the last one has invocations \
               beyond the end. Keep them from writing.",
        hints: &[
            "The number of values is sizes.n. Both buffers are a little longer here, so that you are caught.",
            "Put the assignment into an if.",
        ],
        timed: LONG,
        flop: first,
        values: |s| 2 * first(s),
    },
    Puzzle {
        id: "broadcast",
        title: "Broadcast",
        task: "Write out[row, col] = a[row] + b[col], with any number of rows and columns. The matrix lies in memory row \
               by row, and the grid has two axes.",
        hints: &[
            "Before row r there are r rows of sizes.cols values each.",
            "Both axes need a guard, or the last column of one row becomes the first of the next.",
        ],
        timed: PLANE,
        flop: area,
        values: |s| s.iter().sum::<u64>() + area(s),
    },
    Puzzle {
        id: "transpose",
        title: "Transpose",
        task: "Write out[col, row] = a[row, col]. It can be done in one line, with neighbours that write far apart. \
               Better: turn a tile of 16 × 16 in workgroup memory, so that neighbours read and write side by side.",
        hints: &[
            "Every invocation reads one value into tile[local.y][local.x]. Then all wait: workgroupBarrier().",
            "Afterwards local.x has to count along a row of out, which is a column of a. The tile starts there at row \
             group.x * 16 and column group.y * 16.",
            "The value to write is tile[local.x][local.y]. The guard is that of out: cols rows of rows values.",
        ],
        timed: PLANE,
        flop: |_| 0,
        values: |s| 2 * area(s),
    },
    Puzzle {
        id: "sum",
        title: "Block sum",
        task: "Each workgroup adds up its 64 values, and its first invocation writes the sum to out[group.x]. Use workgroup \
               memory. n is any number: the last block may be short.",
        hints: &[
            "Put one value of each invocation into part, and 0 beyond the end. Then all wait.",
            "Halve it: 32 invocations add the value 32 further on to their own, then 16, then 8, with a barrier after \
             each step.",
            "The barrier stands in the loop and outside of the if: all 64 have to meet there.",
        ],
        timed: BLOCKED,
        flop: first,
        values: |s| first(s) + first(s).div_ceil(BLOCK),
    },
    Puzzle {
        id: "stencil",
        title: "Convolution",
        task: "Every value of out is a weighted sum of five neighbours in a, with zeros beyond both ends. Fetch the 68 \
               values that a workgroup needs into tile once, and read them from there.",
        hints: &[
            "tile[j] holds a[group.x * 64 + j − 2]. Indices are unsigned: compare before you subtract.",
            "68 values and 64 invocations: a loop from local.x in steps of 64 gives four of them a second value.",
            "Wait after the fetch. Then out[i] is the sum over k of w[k] * tile[local.x + k].",
        ],
        timed: LONG,
        flop: |s| 2 * TAPS * first(s),
        values: |s| 2 * first(s) + TAPS,
    },
    Puzzle {
        id: "dot",
        title: "Dot product",
        task: "One workgroup, and vectors of any length: write the sum of a[i] · b[i] to out[0].",
        hints: &[
            "Each invocation takes every 64th product and adds them up in a variable of its own.",
            "Start at local.x, so that neighbours read neighbours. What is left are 64 sums: you have added those up before.",
        ],
        timed: BLOCKED,
        flop: |s| 2 * first(s),
        values: |s| 2 * first(s) + 1,
    },
    Puzzle {
        id: "scan",
        title: "Prefix sum",
        task: "Write to out[i] the sum of the values of its block of 64 up to a[i]. Six steps are enough for 64 values.",
        hints: &[
            "If every sum covers the last s values, adding the sum s places before makes it cover 2s.",
            "Read what is s places before, wait, then add, wait: else someone reads what was already changed.",
            "s is 1, 2, 4, 8, 16, 32. Whoever has nothing s places before adds nothing, and waits all the same.",
        ],
        timed: BLOCKED,
        flop: first,
        values: |s| 2 * first(s),
    },
    Puzzle {
        id: "matmul",
        title: "Matrix product",
        task: "Write out = a · b with a of m × k and b of k × n, one invocation for each element of out.",
        hints: &[
            "out[row, col] needs row `row` of a, at row * sizes.k, and column `col` of b, whose values are sizes.n apart.",
            "Keep the sum in a variable and write it once, inside the guard.",
        ],
        timed: CUBE,
        flop: product_flop,
        values: product_values,
    },
    Puzzle {
        id: "tiled-matmul",
        title: "Tiled product, with masks",
        task: "The same product through workgroup memory: 16 columns of a and 16 rows of b at a time. No size is a multiple \
               of 16. The loop is there; fill it.",
        hints: &[
            "This invocation fetches a[row, start + local.x] and b[start + local.y, col].",
            "Each fetch has a guard with two conditions of its own. Beyond the edge the value is 0, which changes no sum.",
            "Nobody may return early and no barrier may stand in an if: who has no element of out still fetches for others.",
            "Two barriers: one before the products, one after them, before the next tile is written over this one.",
        ],
        timed: CUBE,
        flop: product_flop,
        values: product_values,
    },
    Puzzle {
        id: "softmax",
        title: "Row softmax",
        task: "A workgroup for each row: out is exp(a) over the row’s sum of exp(a). Subtract the row’s maximum first, or \
               f32 overflows.",
        hints: &[
            "exp(a − most) over the sum of exp(a − most) is the same quotient, and no exponent is above 0.",
            "Three passes along the row, 64 values at a time: the maximum, the sum, the quotients. After the first two, 64 \
             partial results become one as in the puzzles before.",
            "part is used twice. Wait between reading the maximum from it and writing sums to it.",
        ],
        timed: ROWS,
        flop: |s| 5 * area(s),
        values: |s| 2 * area(s),
    },
    Puzzle {
        id: "online-softmax",
        title: "Online softmax",
        task: "Maximum and sum in a single pass: keep both as they are so far, and rescale the sum whenever the maximum grows. \
               FlashAttention rests on this step.",
        hints: &[
            "With a new maximum m′ in place of m, a sum of exp(a − m) becomes one of exp(a − m′) by the factor exp(m − m′).",
            "Two pairs merge alike: the maximum of both, and both sums, each times its own factor.",
            "An invocation that saw no value has the pair (−3.4e38, 0): its factor is exp of something very negative, 0.",
        ],
        timed: ROWS,
        flop: |s| 5 * area(s),
        values: |s| 2 * area(s),
    },
    Puzzle {
        id: "vector",
        title: "Four at a time",
        task: "Write out[i] = 2·a[i] + b[i], four values for each invocation. a and b are bound as vectors of four, so that one load \
               brings all four. n is any number: the last vector may not be whole.",
        hints: &[
            "Invocation id.x has the values 4·id.x to 4·id.x + 3. Beyond the end the loads bring something, which nobody may store.",
            "A vector’s components are value[0] to value[3]. Each store has a guard of its own.",
        ],
        timed: LONG,
        flop: |s| 2 * first(s),
        values: |s| 3 * first(s),
    },
    Puzzle {
        id: "grouped",
        title: "Tiles in bands",
        task: "Put the elements of a into the order in which a tuned product takes its tiles: down the first column of a band of \
               sizes.high rows, then down the second column, and after the last column on to the next band. The last band may have \
               fewer rows.",
        hints: &[
            "A whole band has sizes.high · sizes.cols elements: the quotient is the band, the rest is the place in it.",
            "Within a band of r rows, the rest modulo r is the row, and divided by r it is the column.",
            "In the last band r is what is left: min(sizes.high, sizes.rows − band · sizes.high).",
        ],
        timed: &[("rows", 1000), ("cols", 1024), ("high", 8)],
        flop: |_| 0,
        values: |s| 2 * area(s),
    },
    Puzzle {
        id: "split-k",
        title: "Split along k",
        task: "A matrix times a vector, with few rows and a long k: cut k into chunks of 256 and give each chunk of each row a \
               workgroup. Write its sum to out[row, chunk]; another kernel would add these up.",
        hints: &[
            "A chunk ends after 256 values or at sizes.k, whichever comes first.",
            "Each invocation adds up every 64th product of the chunk. The 64 sums are added up in workgroup memory, as before.",
            "Row group.y of a begins at group.y * sizes.k; b is the same for all rows.",
        ],
        timed: &[("rows", 16), ("k", 1 << 16)],
        flop: |s| 2 * area(s),
        values: |s| match s {
            [rows, k] => rows * k + k + rows * k.div_ceil(CHUNK),
            _ => 0,
        },
    },
    Puzzle {
        id: "double-buffer",
        title: "Double buffering",
        task: "The tiled product again, with room for two stages. Ask memory for the next stage before you multiply this one, and \
               put it into the other buffer afterwards: then a stage needs one barrier, and memory answers while you compute.",
        hints: &[
            "Stage s is in buffer s % 2. The next stage’s values wait in value_a and value_b until the products are done.",
            "Beyond the last stage the guards give zeros: nothing is asked for, and nobody reads what is stored.",
            "Who writes to the other buffer after the products cannot meet a reader of it: all have passed the barrier of the \
             stage before.",
        ],
        timed: CUBE,
        flop: product_flop,
        values: product_values,
    },
    Puzzle {
        id: "merge",
        title: "Merge partial softmaxes",
        task: "Decoding along a split cache leaves for each chunk the largest score, the sum of exp(score − largest), and the values \
               weighted likewise. Write the softmax-weighted values over all chunks of a row.",
        hints: &[
            "What was scaled to m becomes what is scaled to M by the factor exp(m − M). Sums and weighted values take the same one.",
            "Take for M the largest of all chunks, or the largest so far: every exponent is then at most 0.",
            "Divide once, at the end: the merged values by the merged sum.",
        ],
        timed: &[("rows", 256), ("chunks", 32), ("d", 128)],
        flop: |s| 6 * s.iter().product::<u64>(),
        values: |s| match s {
            [rows, chunks, d] => rows * (2 * chunks + chunks * d + d),
            _ => 0,
        },
    },
    Puzzle {
        id: "subgroup-sum",
        title: "Subgroup sum",
        task: "The block sum again, with one barrier instead of seven: a subgroup adds up its values in registers with subgroupAdd, and \
               workgroup memory holds one value for each subgroup. A GPU’s subgroups have 4 to 128 invocations, so let size tell you.",
        hints: &[
            "subgroupAdd(value) gives all invocations of the subgroup the sum of their values. All of them have to reach it: the guard \
             is for the load alone, and who is beyond the end adds 0.",
            "One invocation per subgroup, the one whose lane is 0, puts the sum into part[local.x / size].",
            "After the barrier, invocation 0 adds up what the subgroups left. There are as many as it takes for s * size to reach 64.",
        ],
        timed: BLOCKED,
        flop: first,
        values: |s| first(s) + first(s).div_ceil(BLOCK),
    },
    Puzzle {
        id: "subgroup-scan",
        title: "Subgroup prefix sum",
        task: "The prefix sum again: subgroupInclusiveAdd scans a subgroup in one call, and each subgroup still has to add what the ones \
               before it come to. The subgroup may have any size, even more than 64.",
        hints: &[
            "subgroupInclusiveAdd(value) is the sum over the lanes up to this one. In the last lane, size − 1, it is the whole subgroup’s.",
            "Subgroup local.x / size needs the sums of all subgroups before it. Wait before you read them.",
            "If one subgroup has all 64 invocations, nothing stands before it, and a last lane may not even exist.",
        ],
        timed: BLOCKED,
        flop: first,
        values: |s| 2 * first(s),
    },
    Puzzle {
        id: "subgroup-softmax",
        title: "Subgroup softmax",
        task: "The row softmax again, with subgroupMax and subgroupAdd in place of both trees: three barriers instead of fifteen.",
        hints: &[
            "The loops along the row stay. Behind each, one subgroup operation and one value per subgroup replace the tree.",
            "Every invocation can read all of part itself: it holds 64 / size values, or one.",
            "part is used twice. Wait between reading the maximum from it and writing sums to it.",
        ],
        timed: ROWS,
        flop: |s| 5 * area(s),
        values: |s| 2 * area(s),
    },
    Puzzle {
        id: "compact",
        title: "Compaction by ballot",
        task: "Move the values above 0 to the front of each block of 64, in their order, and put 0 in the places left over. \
               subgroupBallot(condition) gives each invocation one bit for every lane, in four words of 32. Samplers and token \
               dispatchers keep what passes a test in this way.",
        hints: &[
            "The place of a value is how many values are kept before it: countOneBits of the ballot’s bits below this lane.",
            "Lane 40 needs all bits of word 0 and the lowest 8 of word 1. extractBits(word, 0u, count) cuts off what lies above, and takes \
             a count of 0 or 32 too.",
            "Earlier subgroups keep values as well. Each leaves its count in kept; after a barrier, add the counts before yours.",
        ],
        timed: BLOCKED,
        flop: |_| 0,
        values: |s| 2 * first(s),
    },
];

/// No puzzle, but any text that a learner has: it is stepped, and nothing is checked or timed.
pub const OWN: &Puzzle = &Puzzle {
    id: "own",
    title: "Your own kernel",
    task: "Paste any WGSL compute shader over the text below and step it. Its buffers, their lengths and how they are filled are listed \
           under it. It runs in an interpreter on the CPU, so no GPU is needed.",
    hints: &[],
    timed: &[],
    flop: |_| 0,
    values: |_| 0,
};

/// What the puzzles are called in a query, or by people; the learner's own text comes last.
const fn names(titles: bool) -> [&'static str; PUZZLES.len() + 1] {
    let last = if titles { OWN.title } else { OWN.id };
    let mut all = [last; PUZZLES.len() + 1];
    let mut i = 0;
    while i < PUZZLES.len() {
        all[i] = if titles { PUZZLES[i].title } else { PUZZLES[i].id };
        i += 1;
    }
    all
}

/// The puzzle with this id, or the learner's own text.
pub fn find(id: &str) -> Option<&'static Puzzle> {
    PUZZLES.iter().chain([OWN]).find(|p| p.id == id)
}

crate::declare::chosen_by_id!(Puzzle, &PUZZLES[0], find;);

impl PartialEq for Puzzle {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Puzzle {
    fn sizes(&self) -> Vec<u64> {
        self.timed.iter().map(|(_, size)| *size).collect()
    }

    /// Whether it is the learner's own text, of which nothing is known before it runs.
    pub fn is_own(&self) -> bool {
        self == OWN
    }

    /// Floating-point operations of the timed run, an exponential counted as one.
    pub fn flop(&self) -> u64 {
        (self.flop)(&self.sizes())
    }

    /// Bytes that the timed run has to read and write at least.
    pub fn compulsory(&self) -> u64 {
        WORD * (self.values)(&self.sizes())
    }

    /// The sizes of the timed run: `m = 256, n = 256, k = 256`.
    pub fn timed_at(&self) -> String {
        let size = |(name, size): &(&str, u64)| format!("{name} = {}", crate::quantity::grouped(*size));
        self.timed.iter().map(size).collect::<Vec<_>>().join(", ")
    }
}

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The puzzle.
    pub puzzle: &'static Puzzle,
}

/// Only a puzzle has a timed run.
const IS_PUZZLE: fn(&Params, &()) -> bool = |p, ()| !p.puzzle.is_own();

/// Whether a text is right, and how fast, is found out on the learner's machine and is no quantity of it.
impl Model for Params {
    type Result = ();
    const ID: &'static str = "kernel-workbench";
    const TITLE: &'static str = "Kernel workbench";
    const SUMMARY: &'static str = "Twenty-two kernels to write in WGSL, from one line to double buffering, merged softmaxes and subgroup operations: compiled, \
         checked and timed on your own GPU. Or paste any kernel of your own and step it line by line.";
    const PARAMS: &'static [Param<Self>] =
        &[choice("puzzle", "the kernel to write", List { ids: &names(false), labels: &names(true) }, "map")
            .label("Puzzle")
            .main()
            .at(|p| p.puzzle.slot())];
    const ORIGIN: Origin =
        Origin::Own("counted for the puzzle’s timed run; every input read once, every output written once");
    const ORIGINS: &'static [Origins] = &[origin(Origin::Rows, &["intensity"])];
    const QUANTITIES: &'static [Measure<Self, ()>] = &[
        when(IS_PUZZLE, measure("flop", "FLOPs of the timed run", Unit::Flop, |p, ()| p.puzzle.flop() as f64)),
        headline(
            "Every input read once and every output written once.",
            when(
                IS_PUZZLE,
                measure("compulsory", "Minimum bytes moved", Unit::Bytes, |p, ()| p.puzzle.compulsory() as f64),
            ),
        ),
        headline(
            "FLOPs over the minimum bytes: no kernel reaches more.",
            when(
                IS_PUZZLE,
                measure("intensity", "Arithmetic intensity, FLOP/byte", Unit::Ratio, |p, ()| {
                    intensity(p.puzzle.flop(), p.puzzle.compulsory())
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_puzzle_has_a_task_and_hints() {
        assert!(PUZZLES.iter().all(|p| p.hints.len() >= 2 && p.task.ends_with('.')));
    }

    #[test]
    fn the_timed_runs_are_counted() {
        let matmul = find("matmul").expect("a puzzle");
        assert_eq!((matmul.flop(), matmul.compulsory()), (1 << 25, 3 << 18));
        assert_eq!(matmul.timed_at(), "m = 256, n = 256, k = 256");
        assert_eq!(find("sum").map(Puzzle::compulsory), Some(4 * ((1 << 18) + (1 << 12))));
        assert_eq!(find("broadcast").map(Puzzle::compulsory), Some(4 * (2048 + (1 << 20))));
    }
}
