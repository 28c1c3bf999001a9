//! Time and bandwidth of a collective against the size of its buffer: what latency costs, what bandwidth, and where one
//! ends and the other begins.

use super::measured::{Fit, fit};
use super::wires::Wires;
use super::{Cost, cost, ring};
use crate::collective::{Algo, Op};
use crate::declare::{
    Declaration, Field, List, Measure, Model, Origin, Origins, Param, Scale, Slot, Takes, Text, choice, doc, headline,
    join, measure, origin, real, text, when, whole, within,
};
use crate::hardware::links::{Link, Wiring};
use crate::network::Wired;
use crate::quantity::{Unit, grouped, unbroken};
use crate::query::{parse_number, plain, shorten};

/// One size that was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The buffer, in bytes.
    pub bytes: f64,
    /// Seconds, with the result in another buffer.
    pub time: f64,
    /// Seconds, with the result in the same buffer, if that was measured.
    pub in_place: Option<f64>,
}

/// What was measured: `bytes:µs`, or `bytes:µs:µs` with the time in place, with commas between.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points(pub Vec<Point>);

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The operation.
    pub op: Op,
    /// The algorithm whose numbers are asked for: [`Algo::Ring`] or [`Algo::DoubleBinaryTree`].
    pub algo: Algo,
    /// Ranks.
    pub ranks: usize,
    /// S: the buffer, in bytes.
    pub bytes: f64,
    /// The machine.
    pub wires: Wires,
    /// Of the link within a node and the one between nodes, what differs from those of `wires`.
    pub own: [Own; 2],
    /// What was measured, if anything.
    pub measured: Points,
}

/// A link with numbers of one's own.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Own {
    /// α, in seconds; 0 for the listed link's.
    pub latency: f64,
    /// 1/β, in bytes per second; 0 for the listed link's.
    pub bandwidth: f64,
}

impl Own {
    /// The link, where `listed` is the one by name.
    fn over(self, listed: &Link) -> Link {
        let mut link = *listed;
        if self.latency > 0.0 {
            (link.latency, link.name) = (self.latency, OWN_LINK);
        }
        if self.bandwidth > 0.0 {
            (link.bandwidth, link.wiring, link.name) = (self.bandwidth, Wiring::Port, OWN_LINK);
        }
        link
    }
}

/// What a link with numbers of one's own is called.
const OWN_LINK: &str = "a link with your own numbers";

/// Most ranks.
pub const MAX_RANKS: u64 = 65_536;
/// Smallest and largest buffer of the curves, in bytes: what nccl-tests can measure.
pub const RANGE: (f64, f64) = (8.0, 64e9);

/// The algorithms whose costs are told apart here.
const ALGORITHMS: List =
    List { ids: &[Algo::Ring.id(), Algo::DoubleBinaryTree.id()], labels: &["ring", "double binary tree"] };

const OWN: [Param<Params>; 4] = [
    choice("op", "operation", Op::LIST, "all-reduce")
        .takes(Takes::TimesOp)
        .label("Operation")
        .main()
        .at(|p: &mut Params| p.op.slot()),
    choice("algo", "algorithm whose numbers are asked for", ALGORITHMS, "ring")
        .label("Numbers from")
        .at(|p: &mut Params| p.algo.slot()),
    whole("ranks", "GPUs", [2, MAX_RANKS], "64")
        .takes(Takes::TimesRanks)
        .label("GPUs")
        .slider(Scale::Doubling(14))
        .main()
        .at(|p: &mut Params| p.ranks.slot()),
    real("bytes", "size of the whole buffer, bytes", [1.0, 1e12], "100e6")
        .label("Buffer")
        .unit(Unit::Bytes)
        .slider(Scale::Decades(1, 10))
        .main()
        .at(|p: &mut Params| p.bytes.slot()),
];

const MEASURED: Param<Params> =
    text("measured", "measurements, as bytes:µs or bytes:µs:µs with the time in place, with commas between", "")
        .takes(Takes::Times)
        .at(|p: &mut Params| p.measured.slot());

/// Where the controls of one's own numbers stand.
const NUMBERS: &str = "Your own latency and bandwidth";
/// What a number says that is the listed link's.
const LISTED: &str = "as listed";

/// A number that stands in for the listed link's unless it is 0.
const fn own(name: &'static str, doc: &'static str, most: f64, unit: Unit) -> Declaration {
    let format: fn(f64) -> String = match unit {
        Unit::Seconds => |v| if v > 0.0 { Unit::Seconds.format(v) } else { LISTED.to_owned() },
        _ => |v| if v > 0.0 { Unit::BytesPerSecond.format(v) } else { LISTED.to_owned() },
    };
    real(name, doc, [0.0, most], "0").unit(unit).format(format).more(NUMBERS).quiet()
}

const LINKS: [Param<Params>; 4] = [
    own("alpha", "latency of a hop within a node, in seconds; 0 for the listed link’s", 10.0, Unit::Seconds)
        .label("Latency within a node")
        .at(|p: &mut Params| p.own[0].latency.slot()),
    own("rate", "bandwidth within a node, in bytes per second; 0 for the listed link’s", 1e15, Unit::BytesPerSecond)
        .label("Bandwidth within a node")
        .at(|p: &mut Params| p.own[0].bandwidth.slot()),
    own("net-alpha", "latency of a hop between nodes, in seconds; 0 for the listed link’s", 10.0, Unit::Seconds)
        .label("Latency between nodes")
        .at(|p: &mut Params| p.own[1].latency.slot()),
    own(
        "net-rate",
        "bandwidth of a port between nodes, in bytes per second; 0 for the listed link’s",
        1e15,
        Unit::BytesPerSecond,
    )
    .label("Bandwidth per port")
    .at(|p: &mut Params| p.own[1].bandwidth.slot()),
];

impl Wired for Params {
    fn wires(&mut self) -> &mut Wires {
        &mut self.wires
    }
}

impl Model for Params {
    type Result = Sizes;
    const ID: &'static str = "communication-cost";
    const TITLE: &'static str = "What communication costs";
    const SUMMARY: &'static str = "Time and bus bandwidth of a collective against the size of its buffer, by ring and by tree, and your own nccl-tests over them.";
    const PARAMS: &'static [Param<Self>] = &join::<_, 16>(&[&OWN, &Wires::params(), &LINKS, &[MEASURED]]);
    const ORIGIN: Origin = super::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("NVIDIA/nccl-tests, doc/PERFORMANCE.md"), &["algbw", "busbw", "peak-busbw"]),
        origin(Origin::Of("Hockney 1994, Parallel Computing 20(3): n½ = α·B"), &["half-size"]),
        origin(Origin::Rows, &["latency-share"]),
        origin(
            Origin::Own("least squares of relative residuals over your nccl-tests rows"),
            &["fit-latency", "fit-busbw", "fit-off"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Sizes>] = &[
        headline(
            "Latency plus bytes over bandwidth, for the algorithm chosen.",
            measure("time", "Time", Unit::Seconds, |p, s| s.chosen.time(p.bytes)),
        ),
        measure("latency", "Latency", Unit::Seconds, |_, s| s.chosen.latency),
        headline(
            "Above 50%, latency costs more than moving the bytes.",
            measure("latency-share", "Latency share of the time", Unit::Fraction, |p, s| s.latency_share(p.bytes)),
        ),
        measure("algbw", "Algorithm bandwidth", Unit::BytesPerSecond, |p, s| s.chosen.algbw(p.bytes)),
        within(
            |_, s| s.peak_busbw(),
            headline(
                "What the links carry, as nccl-tests prints it.",
                measure("busbw", "Bus bandwidth", Unit::BytesPerSecond, |p, s| s.busbw(s.chosen, p.bytes)),
            ),
        ),
        measure("peak-busbw", "Peak bus bandwidth", Unit::BytesPerSecond, |_, s| s.peak_busbw()),
        doc(
            "The message size that reaches half of the peak bandwidth.",
            measure("half-size", "Half-bandwidth size", Unit::Bytes, |_, s| s.chosen.half_size()),
        ),
        when(
            |_, s| s.crossover.is_some(),
            doc(
                "Below this size a tree is faster than a ring.",
                measure("crossover", "Ring–tree crossover", Unit::Bytes, |_, s| s.crossover.unwrap_or(0.0)),
            ),
        ),
        measure("time-ring", "Ring time", Unit::Seconds, |p, s| s.ring.time(p.bytes)),
        when(
            |_, s| s.tree.is_some(),
            measure("time-tree", "Tree time", Unit::Seconds, |p, s| s.tree.map_or(0.0, |tree| tree.time(p.bytes))),
        ),
        when(
            |_, s| s.fit.is_some(),
            headline(
                "The latency that fits your measurements best.",
                measure("fit-latency", "Fitted latency", Unit::Seconds, |_, s| {
                    s.fit.map_or(0.0, |fit| fit.cost.latency)
                }),
            ),
        ),
        when(
            |_, s| s.fit.is_some(),
            headline(
                "The bus bandwidth that fits your measurements best.",
                measure("fit-busbw", "Fitted bus bandwidth", Unit::BytesPerSecond, |_, s| s.fitted_busbw()),
            ),
        ),
        when(
            |_, s| s.fit.is_some(),
            measure("fit-off", "Largest residual of the fit", Unit::Fraction, |_, s| s.fit.map_or(0.0, |fit| fit.off)),
        ),
    ];

    fn evaluate(&self) -> Result<Sizes, String> {
        Sizes::new(self)
    }

    /// An operation that NCCL has no tree for goes by the ring, and another listed link brings its own numbers.
    fn follow(&mut self, before: &Self) {
        let [inside, across] = &mut self.own;
        if self.wires.link != before.wires.link {
            *inside = Own::default();
        }
        if self.wires.net != before.wires.net {
            *across = Own::default();
        }
        if !self.algo.does(self.op) {
            self.algo = Algo::Ring;
        }
    }
}

impl Params {
    /// The link within a node and the one between nodes.
    pub fn links(&self) -> [Link; 2] {
        let [inside, across] = self.own;
        [inside.over(self.wires.link), across.over(self.wires.net)]
    }
}

impl std::ops::Deref for Points {
    type Target = [Point];

    fn deref(&self) -> &[Point] {
        &self.0
    }
}

impl Field for Points {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

impl Text for Points {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let parts = || text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let most = super::measured::MAX_ROWS;
        self.0 = parts().filter_map(Point::read).take(most).collect();
        let mut wrong = parts().filter(|part| Point::read(part).is_none());
        let rest = wrong.clone().count().saturating_sub(1);
        match wrong.next().map(shorten) {
            Some(first) if rest > 0 => {
                Err(format!("measured has “{first}” and {rest} more that are no bytes:µs. They were left out."))
            }
            Some(first) => Err(format!("measured has “{first}”, which is no bytes:µs. It was left out.")),
            None if parts().count() > most => Err(format!("measured has more than {most} sizes.")),
            None => Ok(()),
        }
    }

    fn write(&self) -> String {
        self.0.iter().map(Point::text).collect::<Vec<_>>().join(",")
    }
}

impl Point {
    fn text(&self) -> String {
        let micro = |seconds: f64| plain(micros(seconds));
        let in_place = self.in_place.map(|time| format!(":{}", micro(time))).unwrap_or_default();
        format!("{}:{}{in_place}", plain(self.bytes), micro(self.time))
    }

    fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split(':').map(|n| parse_number(n).filter(|v| (1e-6..1e15).contains(v)));
        let (bytes, time) = (numbers.next()??, numbers.next()??);
        let in_place = numbers.next().map_or(Some(None), |n| n.map(Some))?;
        let seconds = |us: f64| us / 1e6;
        numbers.next().is_none().then(|| Self { bytes, time: seconds(time), in_place: in_place.map(seconds) })
    }
}

/// Microseconds, to a millionth of one: as many digits as a state keeps.
fn micros(seconds: f64) -> f64 {
    (seconds * 1e12).round() / 1e6
}

/// The curves, and where on them the state is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// What it was made from.
    pub params: Params,
    /// By ring.
    pub ring: Cost,
    /// By tree, where NCCL has one: for an all-reduce.
    pub tree: Option<Cost>,
    /// By the algorithm that is asked for.
    pub chosen: Cost,
    /// The bytes from which on the ring is faster; none where it always is.
    pub crossover: Option<f64>,
    /// The line that fits what was measured.
    pub fit: Option<Fit>,
}

impl Sizes {
    /// Works it out.
    ///
    /// # Errors
    /// A sentence, if the algorithm does not do the operation.
    pub fn new(params: &Params) -> Result<Self, String> {
        let [link, net] = params.links();
        let fabric = params.wires.fabric_over(&link, &net);
        let ring = ring(params.op, params.ranks, &fabric);
        // NCCL has trees for all-reduces only: `ncclTopoTuneModel` in `src/graph/tuning.cc` passes over every algorithm but
        // the ring for a broadcast or a reduce, and over the tree for an all-gather or a reduce-scatter.
        let tree =
            cost(params.op, Algo::DoubleBinaryTree, params.ranks, &fabric).filter(|_| params.op == Op::AllReduce);
        let chosen = if params.algo == Algo::Ring {
            ring
        } else {
            let none = || {
                format!("NCCL has no tree for {}: choose the ring, or an all-reduce.", params.op.label().to_lowercase())
            };
            tree.ok_or_else(none)?
        };
        let crossover = tree.and_then(|tree| tree.crossover(ring));
        let points: Vec<(f64, f64)> = params.measured.iter().map(|p| (p.bytes, p.time)).collect();
        Ok(Self { params: params.clone(), ring, tree, chosen, crossover, fit: fit(&points) })
    }

    /// Bus bandwidth over algorithm bandwidth.
    pub fn factor(&self) -> f64 {
        self.params.op.bus_factor(self.params.ranks)
    }

    /// Bus bandwidth of a line at a size, bytes a second.
    pub fn busbw(&self, cost: Cost, bytes: f64) -> f64 {
        cost.algbw(bytes) * self.factor()
    }

    /// Bus bandwidth of `bytes` bytes that were measured to take `time` seconds, bytes a second.
    pub fn measured_busbw(&self, bytes: f64, time: f64) -> f64 {
        bytes / time * self.factor()
    }

    /// How the two bandwidths of the last size that was measured follow from its time.
    pub fn columns_finding(&self) -> Option<String> {
        let Point { bytes, time, .. } = *self.params.measured.last()?;
        let [algbw, busbw] = [bytes / time, self.measured_busbw(bytes, time)].map(|b| Unit::BytesPerSecond.format(b));
        let (size, time) = (Unit::Bytes.format(bytes), Unit::Seconds.format(time));
        let factor = Unit::Ratio.format(self.factor());
        Some(format!("The last size: {size} in {time} are {algbw} (algbw); {factor} times that are {busbw} (busbw)."))
    }

    /// Sizes of [`RANGE`], evenly on a logarithmic axis: both ends and what is between.
    pub fn sizes() -> impl Iterator<Item = f64> {
        const STEPS: i32 = 80;
        let (from, to) = RANGE;
        (0..=STEPS).map(move |i| from * (to / from).powf(f64::from(i) / f64::from(STEPS)))
    }

    /// Latency's share of the time of a buffer.
    pub fn latency_share(&self, bytes: f64) -> f64 {
        self.chosen.latency / self.chosen.time(bytes)
    }

    /// Bus bandwidth of huge buffers, bytes a second.
    pub fn peak_busbw(&self) -> f64 {
        self.chosen.peak() * self.factor()
    }

    /// Bus bandwidth of huge buffers by the line that fits what was measured, bytes a second; 0 without one.
    pub fn fitted_busbw(&self) -> f64 {
        self.fit.map_or(0.0, |fit| fit.cost.peak()) * self.factor()
    }

    /// What the curves say at this size, in sentences.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let [link, net] = p.links();
        let text = |unit: Unit, value: f64| unbroken(&unit.format(value));
        let size = |bytes: f64| unbroken(&Unit::Bytes.format(bytes));
        let share = self.latency_share(p.bytes);
        let regime = if share > 0.5 {
            format!("{} of it is latency, which a larger buffer would share", text(Unit::Fraction, share))
        } else {
            format!("bandwidth is {} of it", unbroken(&Unit::Fraction.format(1.0 - share)))
        };
        let other = match (self.crossover, p.algo, self.tree) {
            (_, _, None) => String::new(),
            (Some(at), ..) => format!(" A tree is faster up to {}, the ring beyond.", size(at)),
            (None, ..) => " The ring is faster than a tree at every size.".to_owned(),
        };
        let fitted = self.fit.map_or(String::new(), |fit| {
            format!(
                " What was measured fits {} and {} of bus bandwidth, {} of the peak here; at {} it is {} off.",
                unbroken(&Unit::Seconds.format(fit.cost.latency)),
                text(Unit::BytesPerSecond, self.fitted_busbw()),
                unbroken(&Unit::Fraction.format(self.fitted_busbw() / self.peak_busbw())),
                size(fit.off_at),
                unbroken(&Unit::Fraction.format(fit.off))
            )
        });
        format!(
            "{} among {} GPUs by {} take {}; {regime}. Half of the peak bus bandwidth, {}, is reached at {}; the bound is \
             {}.{other}{fitted}",
            size(p.bytes),
            grouped(p.ranks as u64),
            if p.algo == Algo::Ring { "ring" } else { "tree" },
            text(Unit::Seconds, self.chosen.time(p.bytes)),
            text(Unit::BytesPerSecond, self.peak_busbw()),
            text(Unit::Bytes, self.chosen.half_size()),
            p.wires.narrowest(p.ranks, &link, &net),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::examples;
    use crate::quantity::number;
    use crate::query::Query;

    fn sizes(query: &str) -> Sizes {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, [], "{query}");
        Sizes::new(&params).unwrap_or_else(|e| panic!("{query}: {e}"))
    }

    fn quantity(sizes: &Sizes, id: &str) -> f64 {
        let all = sizes.params.quantities(sizes);
        all.iter().find(|q| q.id == id).map_or(f64::NAN, |q| q.value)
    }

    #[test]
    fn half_of_the_bandwidth_is_there_where_latency_is_half_of_the_time() {
        let default = sizes("");
        let at = quantity(&default, "half-size");
        let half = sizes(&format!("bytes={at}"));
        assert!((quantity(&half, "latency-share") - 0.5).abs() < 1e-9);
        assert!((quantity(&half, "busbw") / quantity(&half, "peak-busbw") - 0.5).abs() < 1e-9);
        // 64 GPUs, the slowest chunk: 110 hops within the nodes, 16 between them; eight ports of 50 GB/s.
        assert!((quantity(&default, "latency") - (110.0 * 3.4e-6 + 16.0 * 14e-6)).abs() < 1e-12);
        assert!((quantity(&default, "peak-busbw") - 400e9).abs() < 1.0);
    }

    #[test]
    fn ring_and_tree_take_the_same_where_they_cross() {
        let default = sizes("");
        let at = default.crossover.expect("a ring over eight nodes has more latency than a tree");
        let there = sizes(&format!("bytes={at}"));
        assert!((quantity(&there, "time-ring") / quantity(&there, "time-tree") - 1.0).abs() < 1e-9);
        assert!(sizes("ranks=8").crossover.is_none(), "in one node both go through all ranks");
        let finding = sizes("ranks=8").finding();
        assert!(finding.contains("The ring is faster than a tree at every size."), "{finding}");
        for op in ["all-gather", "broadcast"] {
            let (params, _) = Params::read(&Query::parse(&format!("op={op}&algo=double-binary-tree")));
            let refused = format!("NCCL has no tree for {op}: choose the ring, or an all-reduce.");
            assert_eq!(Sizes::new(&params), Err(refused));
        }
    }

    #[test]
    fn topologies_say_what_is_narrowest() {
        let bounds: Vec<String> = examples(Params::ID)
            .iter()
            .map(|query| {
                let sizes = sizes(query);
                format!(
                    "{} {}",
                    number(quantity(&sizes, "peak-busbw") / 1e9),
                    sizes.params.wires.narrowest(sizes.params.ranks, sizes.params.wires.link, sizes.params.wires.net)
                )
            })
            .collect();
        assert_eq!(
            bounds,
            [
                "450 NVLink 4 (H100)",
                "300 NVLink 3 (A100)",
                "200 NVLink 4 (H800)",
                "22 UPI, Xeon Sapphire Rapids between sockets",
                "400 8 ports per node of InfiniBand NDR 400 Gb/s",
                "50 one port per node of InfiniBand NDR 400 Gb/s",
                "57.1 a spine that carries 1/7 of the nodes’ 8 ports of InfiniBand NDR 400 Gb/s",
                "12.5 one port per node of Ethernet 100 Gb/s",
            ]
        );
    }

    #[test]
    fn a_link_can_have_numbers_of_ones_own() {
        let own = sizes("ranks=4&node=4&alpha=1e-6&rate=1e9&bytes=512");
        // Six hops of 1 µs, and 1.5 × 512 B at 1 GB/s.
        assert!((quantity(&own, "time") - 6.768e-6).abs() < 1e-12);
        assert!(own.finding().contains("the bound is a link with your own numbers"), "{}", own.finding());
        assert_eq!(own.params.query().get("alpha"), Some("1e-6"));
        let between = sizes("ranks=4&node=1&nics=1&net-alpha=5e-6&net-rate=0.25e9&bytes=512");
        assert!((quantity(&between, "time") - (30e-6 + 768.0 / 0.25e9)).abs() < 1e-12);
        assert_eq!((sizes("").params.links(), sizes("").params.query().get("alpha")), {
            let wires = sizes("").params.wires;
            ([*wires.link, *wires.net], None)
        });
    }

    #[test]
    fn measurements_are_part_of_the_state() {
        let with = sizes("measured=8:34.2:33.89,1e6:59.3,1e9:4300.5:4299");
        assert_eq!(with.params.query().get("measured"), Some("8:34.2:33.89,1e6:59.3,1e9:4300.5:4299"));
        assert!(with.finding().contains("What was measured fits"), "{}", with.finding());
        let (params, problems) = Params::read(&Query::parse("measured=8:34.2,nonsense,9,1:2:3:4,5:-1"));
        assert_eq!((params.measured.len(), problems.len()), (1, 1), "{problems:?}");
    }
}
