//! Time and bandwidth of a collective against the size of its buffer: what latency costs, what bandwidth, and where one
//! ends and the other begins.

use super::measured::{Fit, fit};
use super::wires::Wires;
use super::{Cost, cost, ring};
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::collective::{Algo, Op};
use crate::quantity::{Quantity, Unit, grouped, unbroken};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, join, parse_number, plain, shorten};

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

/// The state of the widget.
#[derive(Debug, Clone, PartialEq)]
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
    /// What was measured, if anything.
    pub measured: Vec<Point>,
}

/// Most ranks.
pub const MAX_RANKS: u64 = 65_536;
/// Smallest and largest buffer of the curves, in bytes: what nccl-tests can measure.
pub const RANGE: (f64, f64) = (8.0, 64e9);

const OWN: [ParamSpec; 4] = [
    ParamSpec {
        name: "op",
        doc: "operation",
        kind: Kind::Choice(&["broadcast", "reduce", "all-reduce", "reduce-scatter", "all-gather", "all-to-all"]),
        default: "all-reduce",
    },
    ParamSpec {
        name: "algo",
        doc: "algorithm whose numbers are asked for",
        kind: Kind::Choice(&["ring", "double-binary-tree"]),
        default: "ring",
    },
    ParamSpec { name: "ranks", doc: "GPUs", kind: Kind::Integer { min: 2, max: MAX_RANKS }, default: "64" },
    ParamSpec {
        name: "bytes",
        doc: "size of the whole buffer, bytes",
        kind: Kind::Real { min: 1.0, max: 1e12 },
        default: "100e6",
    },
];
const MEASURED: ParamSpec = ParamSpec {
    name: "measured",
    doc: "measurements, as bytes:µs or bytes:µs:µs with the time in place, with commas between",
    kind: Kind::Choice(&[]),
    default: "",
};
const PARAMS: &[ParamSpec] = &join::<12>(&[&OWN, &Wires::SPECS, &[MEASURED]]);

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "communication-cost",
    title: "What communication costs",
    summary: "Time and bus bandwidth of a collective against the size of its buffer, by ring and by tree, and your own nccl-tests over them.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("time", "Time", Unit::Seconds),
        ("latency", "of which latency", Unit::Seconds),
        ("latency-share", "Latency’s share", Unit::Fraction),
        ("algbw", "Algorithm bandwidth", Unit::BytesPerSecond),
        ("busbw", "Bus bandwidth", Unit::BytesPerSecond),
        ("peak-busbw", "Bus bandwidth of huge buffers", Unit::BytesPerSecond),
        ("half-size", "Half of it from", Unit::Bytes),
        ("crossover", "Ring beats tree from", Unit::Bytes),
        ("time-ring", "Time by ring", Unit::Seconds),
        ("time-tree", "Time by tree; 0 where there is none", Unit::Seconds),
        ("fit-latency", "Fitted latency; 0 without measurements", Unit::Seconds),
        ("fit-busbw", "Fitted bus bandwidth; 0 without measurements", Unit::BytesPerSecond),
        ("fit-off", "Largest difference to the fit", Unit::Fraction),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Sizes::new(&params).map(|sizes| sizes.quantities()))
    },
};

/// A machine or a question by name, as changes of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topology {
    /// What a person reads.
    pub name: &'static str,
    /// What it sets.
    pub query: &'static str,
}

/// Machines that people meet.
pub const TOPOLOGIES: [Topology; 8] = [
    Topology { name: "8 H100 on NVSwitch", query: "ranks=8&node=8&link=nvlink4&sockets=1&nics=8&net=ndr&spine=1" },
    Topology { name: "8 A100 on NVSwitch", query: "ranks=8&node=8&link=nvlink3&sockets=1&nics=8&net=hdr&spine=1" },
    Topology { name: "8 H800 on NVSwitch", query: "ranks=8&node=8&link=nvlink4-h800&sockets=1&nics=8&net=ndr&spine=1" },
    Topology {
        name: "8 on PCIe, two sockets",
        query: "ranks=8&node=8&link=pcie4&sockets=2&nics=1&net=eth-100&spine=1",
    },
    Topology { name: "16 nodes, eight rails", query: "ranks=128&node=8&link=nvlink4&sockets=1&nics=8&net=ndr&spine=1" },
    Topology {
        name: "16 nodes, one port each",
        query: "ranks=128&node=8&link=nvlink4&sockets=1&nics=1&net=ndr&spine=1",
    },
    Topology { name: "16 nodes, thin spine", query: "ranks=128&node=8&link=nvlink4&sockets=1&nics=8&net=ndr&spine=7" },
    Topology {
        name: "16 nodes on Ethernet",
        query: "ranks=128&node=8&link=nvlink4&sockets=1&nics=1&net=eth-100&spine=1",
    },
];

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let params = Self {
            op: Op::find(reader.choice("op")).unwrap_or(Op::AllReduce),
            algo: Algo::find(reader.choice("algo")).unwrap_or(Algo::Ring),
            ranks: reader.integer("ranks").max(2) as usize,
            bytes: reader.real("bytes").max(1.0),
            wires: Wires::read(&mut reader),
            measured: measured(query.get("measured").unwrap_or_default(), &mut reader),
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let own = [
            ("op", self.op.id().to_owned()),
            ("algo", self.algo.id().to_owned()),
            ("ranks", self.ranks.to_string()),
            ("bytes", plain(self.bytes)),
        ];
        let points: Vec<String> = self.measured.iter().map(Point::text).collect();
        let measured = (!points.is_empty()).then(|| ("measured", points.join(",")));
        Query::new(own.into_iter().chain(self.wires.pairs()).chain(measured))
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

fn measured(text: &str, reader: &mut Reader<'_>) -> Vec<Point> {
    let mut points = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match Point::read(part) {
            Some(point) if points.len() < super::measured::MAX_ROWS => points.push(point),
            Some(_) => {
                reader.problem("measured", format!("measured has more than {} sizes.", super::measured::MAX_ROWS));
                break;
            }
            None => {
                let message = format!("measured has “{}”, which is no bytes:µs. It was left out.", shorten(part));
                reader.problem("measured", message);
            }
        }
    }
    points
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
        let fabric = params.wires.fabric();
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

    /// The numbers of [`ENTRY`].
    pub fn quantities(&self) -> Vec<Quantity> {
        ENTRY.measured(|id| self.quantity(id))
    }

    /// The value of a quantity of [`ENTRY`]; 0 for any other id.
    pub fn quantity(&self, id: &str) -> f64 {
        let bytes = self.params.bytes;
        let fitted = |value: fn(&Fit) -> f64| self.fit.as_ref().map_or(0.0, value);
        match id {
            "time" => self.chosen.time(bytes),
            "latency" => self.chosen.latency,
            "latency-share" => self.chosen.latency / self.chosen.time(bytes),
            "algbw" => self.chosen.algbw(bytes),
            "busbw" => self.busbw(self.chosen, bytes),
            "peak-busbw" => self.chosen.peak() * self.factor(),
            "half-size" => self.chosen.half_size(),
            "crossover" => self.crossover.unwrap_or(0.0),
            "time-ring" => self.ring.time(bytes),
            "time-tree" => self.tree.map_or(0.0, |tree| tree.time(bytes)),
            "fit-latency" => fitted(|fit| fit.cost.latency),
            "fit-busbw" => fitted(|fit| fit.cost.peak()) * self.factor(),
            "fit-off" => fitted(|fit| fit.off),
            _ => 0.0,
        }
    }

    /// What the curves say at this size, in sentences.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let text = |unit: Unit, id: &str| unbroken(&unit.format(self.quantity(id)));
        let size = |bytes: f64| unbroken(&Unit::Bytes.format(bytes));
        let share = self.quantity("latency-share");
        let regime = if share > 0.5 {
            format!("{} of it is latency, which a larger buffer would share", text(Unit::Fraction, "latency-share"))
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
                text(Unit::BytesPerSecond, "fit-busbw"),
                unbroken(&Unit::Fraction.format(self.quantity("fit-busbw") / self.quantity("peak-busbw"))),
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
            text(Unit::Seconds, "time"),
            text(Unit::BytesPerSecond, "peak-busbw"),
            text(Unit::Bytes, "half-size"),
            p.wires.narrowest(p.ranks),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::number;

    fn sizes(query: &str) -> Sizes {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, [], "{query}");
        Sizes::new(&params).unwrap_or_else(|e| panic!("{query}: {e}"))
    }

    #[test]
    fn half_of_the_bandwidth_is_there_where_latency_is_half_of_the_time() {
        let default = sizes("");
        let at = default.quantity("half-size");
        let half = sizes(&format!("bytes={at}"));
        assert!((half.quantity("latency-share") - 0.5).abs() < 1e-9);
        assert!((half.quantity("busbw") / half.quantity("peak-busbw") - 0.5).abs() < 1e-9);
        // 64 GPUs, the slowest chunk: 110 hops within the nodes, 16 between them; eight ports of 50 GB/s.
        assert!((default.quantity("latency") - (110.0 * 3.4e-6 + 16.0 * 14e-6)).abs() < 1e-12);
        assert!((default.quantity("peak-busbw") - 400e9).abs() < 1.0);
    }

    #[test]
    fn ring_and_tree_take_the_same_where_they_cross() {
        let default = sizes("");
        let at = default.crossover.expect("a ring over eight nodes has more latency than a tree");
        let there = sizes(&format!("bytes={at}"));
        assert!((there.quantity("time-ring") / there.quantity("time-tree") - 1.0).abs() < 1e-9);
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
        let bounds: Vec<String> = TOPOLOGIES
            .iter()
            .map(|t| {
                let sizes = sizes(t.query);
                format!(
                    "{} {}",
                    number(sizes.quantity("peak-busbw") / 1e9),
                    sizes.params.wires.narrowest(sizes.params.ranks)
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
                "400 8 ports a node of InfiniBand NDR 400 Gb/s",
                "50 one port a node of InfiniBand NDR 400 Gb/s",
                "57.1 a spine that carries 1/7 of the nodes’ 8 ports of InfiniBand NDR 400 Gb/s",
                "12.5 one port a node of Ethernet 100 Gb/s",
            ]
        );
    }

    #[test]
    fn measurements_are_part_of_the_state() {
        let with = sizes("measured=8:34.2:33.89,1e6:59.3,1e9:4300.5:4299");
        assert_eq!(with.params.query().get("measured"), Some("8:34.2:33.89,1e6:59.3,1e9:4300.5:4299"));
        assert!(with.finding().contains("What was measured fits"), "{}", with.finding());
        let (params, problems) = Params::read(&Query::parse("measured=8:34.2,nonsense,9,1:2:3:4,5:-1"));
        assert_eq!((params.measured.len(), problems.len()), (1, 4), "{problems:?}");
    }
}
