//! The schedule that a learner lays out, beside those that are known.

use super::board::{Board, MAX_SLOTS, Trouble};
use super::params::Params as Run;
use super::schedule::{Kind, Schedule};
use super::timeline::Timeline;
use crate::declare::{
    Declaration, Field, Measure, Model, Origin, Origins, Param, Slot, Whole, headline, measure, origin, text, whole,
    yes_no,
};
use crate::quantity::{Unit, number};
use crate::query::{Query, Reader};

/// Most stages of a board.
pub const MAX_BOARD_STAGES: u32 = 6;
/// Most micro-batches of a board.
pub const MAX_BOARD_MICROBATCHES: u32 = 10;

/// The state of the editor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditorParams {
    /// What is laid out; it says how many stages and micro-batches there are.
    pub board: Board,
    /// The most micro-batches that a stage may keep.
    pub cap: u32,
}

/// How a board stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// From the first start to the last end, in milliseconds.
    pub makespan: f64,
    /// The share of that in which the stages are idle.
    pub bubble: f64,
    /// The most micro-batches that a stage keeps.
    pub peak: f64,
    /// Blocks against a rule.
    pub troubles: usize,
    /// Blocks that are not placed yet.
    pub missing: usize,
}

impl Standing {
    /// Whether everything is placed, and nothing against a rule.
    pub fn is_complete(&self) -> bool {
        self.troubles == 0 && self.missing == 0
    }
}

/// The stages of a board: with another number of them it is empty.
impl Whole for Vec<Vec<Option<Kind>>> {
    fn get(&self) -> u64 {
        self.len() as u64
    }

    fn set(&mut self, stages: u64) {
        *self = vec![Vec::new(); stages.min(u64::from(MAX_BOARD_STAGES)) as usize];
    }
}

/// A number from 1, set by a slider that stops at each.
const fn some(name: &'static str, doc: &'static str, max: u32, default: &'static str) -> Declaration {
    whole(name, doc, [1, max as u64], default).steps(1.0).main()
}

impl Model for EditorParams {
    type Result = Standing;
    const ID: &'static str = "schedule-editor";
    const TITLE: &'static str = "Lay out a schedule";
    const SUMMARY: &'static str = "Put forward passes, backward passes and weight gradients where you want them, and see what the schedule costs.";
    const PARAMS: &'static [Param<Self>] = &[
        some("stages", "pipeline stages", MAX_BOARD_STAGES, "4").label("Stages").at(|p| Slot::Whole(&mut p.board.rows)),
        some("microbatches", "micro-batches of the step", MAX_BOARD_MICROBATCHES, "6")
            .label("Micro-batches")
            .at(|p| p.board.microbatches.slot()),
        some("cap", "micro-batches that fit into the memory of a stage", MAX_BOARD_MICROBATCHES, "4")
            .label("Micro-batches that fit in a stage")
            .at(|p| p.cap.slot()),
        text("board", "the blocks: F, B, W or a dot for each slot of one block’s length, a slash between stages", "")
            .apart(),
    ];
    const ORIGIN: Origin =
        Origin::Own("your placement of blocks, checked rule by rule and timed as the published schedules are");
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("Narayanan et al. 2021, arXiv:2104.04473, §2.2.1"), &["bubble-fraction", "makespan-1f1b"]),
        origin(Origin::Definition, &["missing", "complete", "makespan-ideal"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Standing>] = &[
        headline(
            "From the first block to the last.",
            measure("makespan", "Makespan", Unit::Seconds, |_, s| s.makespan / 1e3),
        ),
        headline(
            "The share of the stages’ time without work.",
            measure("bubble-fraction", "Bubble fraction", Unit::Fraction, |_, s| s.bubble),
        ),
        headline(
            "Micro-batches whose activations the fullest stage holds.",
            measure("peak-in-flight", "Peak micro-batches in flight", Unit::Count, |_, s| s.peak),
        ),
        headline(
            "Places where the schedule breaks a rule.",
            measure("violations", "Rule violations", Unit::Count, |_, s| s.troubles as f64),
        ),
        measure("missing", "Blocks not placed", Unit::Count, |_, s| s.missing as f64),
        yes_no(headline(
            "Whether every block is placed and no rule is broken.",
            measure("complete", "Valid schedule", Unit::Count, |_, s| f64::from(u8::from(s.is_complete()))),
        )),
        measure("makespan-1f1b", "Makespan of 1F1B", Unit::Seconds, |p, _| {
            p.run(Schedule::OneForwardOneBackward).map_or(0.0, |t| t.makespan() / 1e3)
        }),
        measure("makespan-ideal", "Lower bound", Unit::Seconds, |p, _| p.ideal() / 1e3),
    ];

    fn evaluate(&self) -> Result<Standing, String> {
        Ok(self.standing())
    }

    // The blocks are read once it is known of how many stages.
    fn settle(&mut self, reader: &mut Reader<'_>) {
        let Board { rows, microbatches } = &self.board;
        let (stages, microbatches) = (rows.len() as u32, *microbatches);
        let given = reader.text("board").unwrap_or_default();
        match Board::read(given, stages, microbatches) {
            Ok(board) => self.board = board,
            Err(why) => reader.problem("board", format!("{why} It is left empty.")),
        }
    }

    fn unplaced(&self) -> Query {
        Query::new([("board", self.board.to_string())])
    }
}

/// A known schedule on the same stages with blocks of the same length.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Which.
    pub schedule: Schedule,
    /// What it takes, in milliseconds.
    pub makespan: f64,
    /// The share of that in which the stages are idle.
    pub bubble: f64,
    /// The most micro-batches that a stage keeps.
    pub peak: f64,
}

impl EditorParams {
    /// Everything that is wrong so far.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.board.troubles(self.cap)
    }

    /// The known schedules on the same stages, with forward, input gradient and weight gradient of one millisecond each.
    pub fn known(&self) -> Vec<Known> {
        let schedules =
            [Schedule::GPipe, Schedule::OneForwardOneBackward, Schedule::ZeroBubbleH1, Schedule::ZeroBubbleH2];
        let of = |schedule| {
            let timeline = self.run(schedule)?;
            let makespan = timeline.makespan();
            Some(Known { schedule, makespan, bubble: timeline.idle_share(makespan), peak: timeline.worst_peak() })
        };
        schedules.into_iter().filter_map(of).collect()
    }

    fn run(&self, schedule: Schedule) -> Option<Timeline> {
        let (stages, microbatches) = (self.board.rows.len() as u32, self.board.microbatches);
        Run { stages, microbatches, ..Run::standard() }.timeline(schedule).ok()
    }

    /// Milliseconds that no schedule can do without: the last stage waits for the forward passes of all others and then has all
    /// of its work to do; and a micro-batch has to come forth and back.
    fn ideal(&self) -> f64 {
        let (p, m) = (self.board.rows.len() as f64, f64::from(self.board.microbatches));
        (3.0 * m + p - 1.0).max(2.0 * p + 1.0)
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        let (timeline, makespan) = (self.board.timeline(), self.board.slots() as f64);
        Standing {
            makespan,
            bubble: timeline.idle_share(makespan),
            peak: timeline.worst_peak(),
            troubles: self.troubles().len(),
            missing: self.board.missing(),
        }
    }

    /// How it stands, in sentences.
    pub fn finding(&self) -> String {
        let (troubles, missing) = (self.troubles(), self.board.missing());
        let slots = self.board.slots();
        if slots == 0 {
            return format!(
                "The board is empty: {} blocks are to be placed. Choose a cell and press F, B or W.",
                missing
            );
        }
        let peak = number(self.board.timeline().worst_peak());
        if let Some(first) = troubles.first() {
            let more = troubles.len() - 1;
            let more = if more == 0 { String::new() } else { format!(" {more} more blocks are against a rule.") };
            return format!("{}{more} {missing} blocks are not placed yet.", first.why);
        }
        if missing > 0 {
            return format!(
                "Everything placed so far is allowed; {missing} blocks are not placed yet. {slots} slots are used, and at most {peak} \
                 micro-batches kept."
            );
        }
        let bubble = Unit::Fraction.format(self.board.timeline().idle_share(slots as f64));
        let one = self.run(Schedule::OneForwardOneBackward).map_or(0.0, |t| t.makespan());
        let verdict = if slots as f64 <= self.ideal() {
            " No schedule takes less."
        } else if (slots as f64) < one {
            " That is less than 1F1B."
        } else {
            ""
        };
        format!(
            "Valid: {slots} slots, {bubble} of them idle, {peak} micro-batches kept at most.{verdict} 1F1B takes {} and \
             keeps {}.",
            number(one),
            self.board.rows.len().min(self.board.microbatches as usize)
        )
    }
}

/// The slots that are shown: those in use and some more.
pub fn slots_shown(params: &EditorParams) -> usize {
    let one = params.known().iter().map(|k| k.makespan as usize).max().unwrap_or_default();
    (params.board.slots().max(one) + 1).min(MAX_SLOTS)
}
