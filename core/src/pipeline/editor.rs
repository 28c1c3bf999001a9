//! The schedule that a learner lays out, beside those that are known.

use super::board::{Board, MAX_SLOTS, Trouble};
use super::params::Params as Run;
use super::schedule::Schedule;
use super::timeline::Timeline;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::quantity::{Quantity, Unit, number};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader};

/// Most stages of a board.
pub const MAX_BOARD_STAGES: u32 = 6;
/// Most micro-batches of a board.
pub const MAX_BOARD_MICROBATCHES: u32 = 10;

/// The state of the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorParams {
    /// What is laid out; it says how many stages and micro-batches there are.
    pub board: Board,
    /// The most micro-batches that a stage may keep.
    pub cap: u32,
}

const fn whole(name: &'static str, doc: &'static str, max: u32, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max: max as u64 }, default }
}

const PARAMS: &[ParamSpec] = &[
    whole("stages", "pipeline stages", MAX_BOARD_STAGES, "4"),
    whole("microbatches", "micro-batches of the step", MAX_BOARD_MICROBATCHES, "6"),
    whole("cap", "micro-batches that fit into the memory of a stage", MAX_BOARD_MICROBATCHES, "4"),
    ParamSpec {
        name: "board",
        doc: "the blocks: F, B, W or a dot for each slot of one block’s length, a slash between stages",
        kind: Kind::Choice(&[]),
        default: "",
    },
];

/// This model in the catalogue.
pub const EDITOR: Entry = Entry {
    id: "schedule-editor",
    title: "Lay out a schedule",
    summary: "Put forward passes, backward passes and weight gradients where you want them, and see what it comes to.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("makespan", "Step, first start to last end", Unit::Seconds),
        ("bubble-fraction", "Bubble: share of that time idle", Unit::Fraction),
        ("peak-in-flight", "Micro-batches kept, worst stage", Unit::Count),
        ("violations", "Blocks against a rule", Unit::Count),
        ("missing", "Blocks not placed yet", Unit::Count),
        ("complete", "Complete and valid (1) or not (0)", Unit::Count),
        ("makespan-1f1b", "1F1B takes", Unit::Seconds),
        ("makespan-ideal", "No schedule takes less than", Unit::Seconds),
    ]),
    evaluate: |query| {
        let (params, problems) = EditorParams::read(query);
        Evaluation::new(params.query(), problems, Ok(params.quantities()))
    },
};

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
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let mut whole = |name| reader.integer(name).clamp(1, u64::from(u32::MAX)) as u32;
        let (stages, microbatches, cap) = (whole("stages"), whole("microbatches"), whole("cap"));
        let text = query.get("board").unwrap_or_default().trim();
        let board = Board::read(text, stages, microbatches).unwrap_or_else(|why| {
            reader.problem("board", format!("{why} It is left empty."));
            Board::new(stages, microbatches)
        });
        (Self { board, cap }, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        Query::new([
            ("stages", self.board.rows.len().to_string()),
            ("microbatches", self.board.microbatches.to_string()),
            ("cap", self.cap.to_string()),
            ("board", self.board.to_string()),
        ])
    }

    /// An empty board of other measures.
    #[must_use]
    pub fn emptied(&self, stages: u32, microbatches: u32) -> Self {
        Self { board: Board::new(stages, microbatches), cap: self.cap }
    }

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
        let (run, _) = Run::read(&Query::new([
            ("stages", self.board.rows.len().to_string()),
            ("microbatches", self.board.microbatches.to_string()),
        ]));
        run.timeline(schedule).ok()
    }

    /// Milliseconds that no schedule can do without: the last stage waits for the forward passes of all others and then has all
    /// of its work to do; and a micro-batch has to come forth and back.
    fn ideal(&self) -> f64 {
        let (p, m) = (self.board.rows.len() as f64, f64::from(self.board.microbatches));
        (3.0 * m + p - 1.0).max(2.0 * p + 1.0)
    }

    /// The numbers of [`EDITOR`].
    pub fn quantities(&self) -> Vec<Quantity> {
        let timeline = self.board.timeline();
        let (makespan, troubles, missing) = (self.board.slots() as f64, self.troubles().len(), self.board.missing());
        EDITOR.measured(|id| match id {
            "makespan" => makespan / 1e3,
            "bubble-fraction" => timeline.idle_share(makespan),
            "peak-in-flight" => timeline.worst_peak(),
            "violations" => troubles as f64,
            "missing" => missing as f64,
            "complete" => f64::from(u8::from(troubles == 0 && missing == 0)),
            "makespan-1f1b" => self.run(Schedule::OneForwardOneBackward).map_or(0.0, |t| t.makespan() / 1e3),
            _ => self.ideal() / 1e3,
        })
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
            "Complete and valid: {slots} slots, {bubble} of them idle, {peak} micro-batches kept at most.{verdict} 1F1B takes {} and \
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
