//! Lists of jobs that show something, in the short form of [`super::jobs`].

use super::jobs::JobList;
use crate::options;

/// A list of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// A hole in front of a job that needs every node.
    #[default]
    Hole,
    /// A job behind the first of the queue, and a long one behind that.
    Third,
    /// A day of four users, with limits far above what jobs take.
    Day,
    /// Notebooks of two GPUs, then a job that needs whole nodes.
    Notebooks,
    /// Two jobs that need more than half of the nodes each, at the same moment.
    Gangs,
    /// Long jobs that may wait, and one that may not.
    Urgent,
    /// One user with many jobs and one with few.
    Greedy,
    /// Jobs that leave free nodes in different blocks.
    Blocks,
}

options!(Trace {
    Hole: "hole", "a hole before a wide job";
    Third: "third", "one behind the first";
    Day: "day", "a day of four users";
    Notebooks: "notebooks", "notebooks, then a wide job";
    Gangs: "gangs", "two wide jobs at once";
    Urgent: "urgent", "an urgent job";
    Greedy: "greedy", "one user with many jobs";
    Blocks: "blocks", "free nodes in two blocks";
});

impl Trace {
    /// The list.
    pub fn list(self) -> JobList {
        JobList(self.text().to_owned())
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Hole => {
                "pretrain ann 0 6x8 4h\nablation bob 10m 8x8 2h\neval cat 20m 2x8 90m\nsweep dan 30m 2x8 2h\ntokenize cat 40m 1x8 \
                 40m\ndebug bob 50m 1x8 30m"
            }
            Self::Third => "first ann 0 5x8 4h\nsecond bob 10m 6x8 4h\nthird cat 20m 8x8 1h\nlong dan 30m 2x8 12h",
            Self::Day => {
                "pretrain ann 0 4x8 6h 5h\nsft bob 5m 2x8 4h 1h30m\neval-1 cat 10m 1x4 2h 20m\neval-2 cat 12m 1x4 2h 25m\nlong ann 20m 8x8 3h \
                 2h\nnotebook-1 dan 30m 1x2 8h 3h\nrlhf bob 45m 3x8 4h 2h\nnotebook-2 dan 50m 1x2 8h 5h\nablation-1 cat 1h 1x8 3h \
                 1h\nablation-2 cat 1h5m 1x8 3h 1h10m\nprofile bob 90m 2x8 1h 15m\nconvert dan 2h 1x1 1h 10m\nsft-2 bob 3h 2x8 4h \
                 1h40m\neval-3 cat 4h 1x8 1h 20m\nwide ann 5h 6x8 2h 90m\ndebug dan 6h 1x4 30m 5m"
            }
            Self::Notebooks => {
                "nb-1 ann 0 1x2 8h 6h\nnb-2 bob 1m 1x2 8h 7h\nnb-3 cat 2m 1x2 8h 5h\nnb-4 dan 3m 1x2 8h 8h\nnb-5 ann 4m 1x2 8h \
                 6h\nnb-6 bob 5m 1x2 8h 7h\nnb-7 cat 6m 1x2 8h 4h\nnb-8 dan 7m 1x2 8h 8h\ntrain ann 30m 2x8 4h 3h"
            }
            Self::Gangs => "small cat 0 2x8 1h\nleft ann 10m 5x8 4h 3h\nright bob 10m 5x8 4h 3h",
            Self::Urgent => {
                "sweep-1 ann 0 4x8 8h 7h\nsweep-2 bob 5m 3x8 8h 6h\nsweep-3 cat 10m 1x8 8h 8h\nhotfix dan 2h 4x8 2h 1h 5\nsweep-4 ann 3h \
                 2x8 4h 3h"
            }
            Self::Greedy => {
                "ann-1 ann 0 4x8 2h\nann-2 ann 1m 4x8 2h\nann-3 ann 2m 4x8 2h\nann-4 ann 3m 4x8 2h\nann-5 ann 4m 4x8 2h\nann-6 ann 5m \
                 4x8 2h\nbob-1 bob 30m 4x8 2h\ncat-1 cat 40m 4x8 2h"
            }
            Self::Blocks => {
                "a ann 0 1x8 6h\nb bob 1m 1x8 2h\nc cat 2m 1x8 2h\nd dan 3m 1x8 2h\ne ann 4m 1x8 6h\nf bob 5m 1x8 2h\ng cat 6m 1x8 \
                 6h\nh dan 7m 1x8 6h\nwide ann 3h 4x8 2h"
            }
        }
    }
}
