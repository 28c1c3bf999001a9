//! The parameters, what they come to, and the model in the catalogue.

use super::grid::Grid;
use crate::declare::{Field as _, Measure, Model, Origin, Param, Takes, choice, headline, measure, whole};
use crate::options;
use crate::quantity::{Unit, grouped};
use crate::query::Reader;

/// Which ranks are lit: those that share a group with the chosen one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Group {
    /// Parts of attention's matrices.
    Tensor,
    /// Pieces of a sequence.
    Context,
    /// Replicas of attention's weights that see other sequences.
    Data,
    /// All replicas of attention's weights.
    DataContext,
    /// Parts of an expert's matrices.
    ExpertTensor,
    /// Ranks that have all experts between them.
    #[default]
    Expert,
    /// Replicas of an expert.
    ExpertData,
}

options!(Group {
    Tensor: "tp", "tp";
    Context: "cp", "cp";
    Data: "dp", "dp";
    DataContext: "dp-cp", "dp × cp";
    ExpertTensor: "etp", "etp";
    Expert: "ep", "ep";
    ExpertData: "edp", "edp";
});

impl Group {
    /// Whether it is a group of the experts' grid.
    pub fn is_of_experts(self) -> bool {
        matches!(self, Self::ExpertTensor | Self::Expert | Self::ExpertData)
    }

    /// The places in which its ranks differ: tp, cp, dp, pp, or etp, ep, edp, pp.
    pub fn along(self) -> [bool; 4] {
        match self {
            Self::Tensor | Self::ExpertTensor => [true, false, false, false],
            Self::Context | Self::Expert => [false, true, false, false],
            Self::Data | Self::ExpertData => [false, false, true, false],
            Self::DataContext => [false, true, true, false],
        }
    }
}

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Params {
    /// The group that is lit.
    pub group: Group,
    /// GPUs, 1 to [`MAX_GPUS`].
    pub gpus: u64,
    /// Tensor parallelism of attention.
    pub tp: u64,
    /// Context parallelism.
    pub cp: u64,
    /// Pipeline stages.
    pub pp: u64,
    /// Expert parallelism.
    pub ep: u64,
    /// Tensor parallelism of an expert.
    pub etp: u64,
    /// Experts of a layer.
    pub experts: u64,
    /// GPUs in a node.
    pub node: u64,
    /// The rank that is looked at.
    pub rank: u64,
}

/// Most GPUs.
pub const MAX_GPUS: u64 = 256;
const MAX_EXPERTS: u64 = 1024;
/// Most parts of anything but the experts.
const MAX_SPLIT: u64 = 64;

const JOB: &str = "The job";

impl Model for Params {
    type Result = Layout;
    const ID: &'static str = "expert-grid";
    const TITLE: &'static str = "Two grids of ranks";
    const SUMMARY: &'static str = "The same GPUs on two grids, tp × cp × dp for attention and etp × ep × edp for experts: who shares which group with whom.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("group", "the group that is lit", Group::LIST, "ep").label("Group").main().at(|p| p.group.slot()),
        whole("tp", "ranks that share each matrix of attention", [1, MAX_SPLIT], "4")
            .takes(Takes::Tensor)
            .label("Tensor parallel, tp")
            .doubling(6)
            .main()
            .at(|p| p.tp.slot()),
        whole("ep", "ranks that have all experts of a layer between them", [1, MAX_GPUS], "8")
            .takes(Takes::Expert)
            .label("Expert parallel, ep")
            .doubling(8)
            .main()
            .at(|p| p.ep.slot()),
        whole("etp", "ranks that share each matrix of an expert", [1, MAX_SPLIT], "1")
            .label("Expert tensor parallel, etp")
            .doubling(6)
            .main()
            .at(|p| p.etp.slot()),
        whole("rank", "the rank that is looked at, from 0", [0, MAX_GPUS - 1], "5")
            .label("Selected rank")
            .steps(1.0)
            .more(JOB)
            .at(|p| p.rank.slot()),
        whole("gpus", "GPUs", [1, MAX_GPUS], "32")
            .takes(Takes::Gpus)
            .label("GPUs")
            .doubling(8)
            .more(JOB)
            .at(|p| p.gpus.slot()),
        whole("cp", "ranks that share a sequence", [1, MAX_SPLIT], "1")
            .takes(Takes::Context)
            .label("Context parallel, cp")
            .doubling(6)
            .more(JOB)
            .at(|p| p.cp.slot()),
        whole("pp", "pipeline stages", [1, MAX_SPLIT], "1")
            .takes(Takes::Pipeline)
            .label("Pipeline stages, pp")
            .doubling(6)
            .more(JOB)
            .at(|p| p.pp.slot()),
        whole("experts", "experts of a layer, without shared ones", [1, MAX_EXPERTS], "64")
            .label("Experts per layer")
            .doubling(10)
            .more(JOB)
            .at(|p| p.experts.slot()),
        whole("node", "GPUs in a node", [1, 72], "8")
            .takes(Takes::Node)
            .label("GPUs per node")
            .doubling(6)
            .more(JOB)
            .at(|p| p.node.slot()),
    ];
    const ORIGIN: Origin = Origin::Of(
        "NVIDIA/Megatron-LM at d98e8a6, megatron/core/parallel_state.py, RankGenerator with order tp-cp-ep-dp-pp",
    );
    const QUANTITIES: &'static [Measure<Self, Layout>] = &[
        headline(
            "How many copies of the attention weights there are.",
            measure("dp", "Data parallelism of attention, dp", Unit::Count, |_, l| l.attention.0[2] as f64),
        ),
        headline(
            "How many copies of each expert there are.",
            measure("edp", "Data parallelism of experts, edp", Unit::Count, |_, l| l.experts.0[2] as f64),
        ),
        measure("attention-replicas", "Ranks that reduce an attention gradient", Unit::Count, |p, l| {
            l.group(p.rank, Group::DataContext).len() as f64
        }),
        headline(
            "Experts of one layer whose weights a rank holds.",
            measure("experts-held", "Experts per rank and layer", Unit::Count, |p, _| p.held() as f64),
        ),
        headline(
            "Ranks that communicate with the selected one in this group.",
            measure("group-ranks", "Ranks in the selected group", Unit::Count, |p, l| {
                l.group(p.rank, p.group).len() as f64
            }),
        ),
        headline(
            "One means the group communicates over NVLink only.",
            measure("group-nodes", "Nodes the selected group spans", Unit::Count, |p, l| {
                p.nodes(&l.group(p.rank, p.group)).len() as f64
            }),
        ),
        measure("tp-expert-sets", "Expert sets per tensor-parallel group", Unit::Count, |p, l| {
            l.expert_sets(p.rank) as f64
        }),
        measure("stage", "Ranks per pipeline stage", Unit::Count, |p, l| l.stage(p.rank).len() as f64),
    ];

    fn evaluate(&self) -> Result<Layout, String> {
        Layout::new(self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        if self.rank >= self.gpus {
            let last = self.gpus.saturating_sub(1);
            reader.problem(
                "rank",
                format!("rank {}: with {} GPUs the last is {last}, which is taken.", self.rank, self.gpus),
            );
            self.rank = last;
        }
    }

    fn follow(&mut self, _before: &Self) {
        self.rank = self.rank.min(self.gpus.saturating_sub(1));
    }
}

impl Params {
    /// Experts of a layer on a rank.
    pub fn held(&self) -> u64 {
        self.experts / self.ep.max(1)
    }

    /// The node in which a rank is, from 0.
    pub fn node_of(&self, rank: u64) -> u64 {
        rank / self.node.max(1)
    }

    /// The nodes in which these ranks are, in order.
    pub fn nodes(&self, ranks: &[u64]) -> Vec<u64> {
        let mut nodes: Vec<u64> = ranks.iter().map(|rank| self.node_of(*rank)).collect();
        nodes.dedup();
        nodes
    }
}

/// Both grids of the same ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// tp, cp, dp, pp.
    pub attention: Grid,
    /// etp, ep, edp, pp.
    pub experts: Grid,
}

impl Layout {
    /// The grids of a job.
    ///
    /// # Errors
    /// A sentence, if the GPUs cannot be divided like this, or the experts.
    fn new(p: &Params) -> Result<Self, String> {
        let data = |names: [&str; 3], sizes: [u64; 3]| {
            let product: u64 = sizes.iter().product();
            if product == 0 || !p.gpus.is_multiple_of(product) {
                let [a, b, c] = names;
                let [x, y, z] = sizes;
                return Err(format!(
                    "{} GPUs cannot be divided by {a} {x} × {b} {y} × {c} {z}, which is {}.",
                    grouped(p.gpus),
                    grouped(product)
                ));
            }
            Ok(p.gpus / product)
        };
        let dp = data(["tp", "cp", "pp"], [p.tp, p.cp, p.pp])?;
        let edp = data(["etp", "ep", "pp"], [p.etp, p.ep, p.pp])?;
        if !p.experts.is_multiple_of(p.ep) {
            return Err(format!("{} experts cannot be divided among ep {}.", grouped(p.experts), p.ep));
        }
        Ok(Self { attention: Grid([p.tp, p.cp, dp, p.pp]), experts: Grid([p.etp, p.ep, edp, p.pp]) })
    }

    /// The grid of which `group` is a group.
    pub fn grid(&self, group: Group) -> Grid {
        if group.is_of_experts() { self.experts } else { self.attention }
    }

    /// The ranks that share a group with `rank`, in order.
    pub fn group(&self, rank: u64, group: Group) -> Vec<u64> {
        self.grid(group).group(rank, group.along())
    }

    /// The ranks of the pipeline stage of `rank`, in order.
    pub fn stage(&self, rank: u64) -> Vec<u64> {
        self.attention.group(rank, [true, true, true, false])
    }

    /// How many different sets of experts the ranks of a tensor-parallel group have.
    pub fn expert_sets(&self, rank: u64) -> usize {
        let mut sets: Vec<u64> =
            self.group(rank, Group::Tensor).into_iter().map(|rank| self.experts.place(rank)[1]).collect();
        sets.sort_unstable();
        sets.dedup();
        sets.len()
    }
}
