//! A figure's state with a learner's own numbers in it.

use super::{JOB, Measurable, Setup};
use crate::catalogue::Entry;
use crate::declare::{Declared, Take, Takes, Text as _};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, Shape};
use crate::quantity::{count, grouped};
use crate::query::{Kind, Problem, Query, plain};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filled {
    /// The state.
    pub query: Query,
    /// What the figure took, with its value: "GPU: H100 SXM 80 GB".
    pub took: Vec<String>,
    /// What it left, and why.
    pub left: Vec<String>,
}

/// A value for a parameter.
enum Own {
    Id(&'static str, &'static str),
    Number(f64),
    /// A stage of ZeRO, which some choose and others count.
    Stage(u64),
    Model(Box<ModelRef>),
    Text(String, String),
}

/// Whether any of these parameters can be filled from a setup.
pub fn is_offered(params: impl IntoIterator<Item = Declared>) -> bool {
    params.into_iter().any(|param| param.takes.is_some())
}

/// The state `now` of a figure with what its parameters take of `setup`. Each value is one that its parameter takes; what is not is left.
pub fn fill(params: impl IntoIterator<Item = Declared>, setup: &Setup, now: &Query) -> Filled {
    filled(params, setup, now, &[])
}

/// [`fill()`] for a figure's state as the figure reads it: values that only together make no state are left, with what is wrong about them.
pub fn fill_state(entry: Entry, setup: &Setup, now: &Query) -> Filled {
    let mut refused: Vec<Problem> = Vec::new();
    loop {
        let mut filled = filled(entry.params(), setup, now, &refused);
        let (state, problems) = (entry.read)(&filled.query);
        let is_new = |p: &Problem| {
            filled.query.get(&p.name) != now.get(&p.name) && refused.iter().all(|known| known.name != p.name)
        };
        let new: Vec<Problem> = problems.into_iter().filter(is_new).collect();
        if new.is_empty() {
            filled.query = state;
            return filled;
        }
        refused.extend(new);
    }
}

fn filled(params: impl IntoIterator<Item = Declared>, setup: &Setup, now: &Query, refused: &[Problem]) -> Filled {
    let params: Vec<Declared> = params.into_iter().collect();
    let declares = |name: &str| params.iter().any(|param| param.spec.name == name);
    // One of both names the model of such a figure.
    let by_name_or_count = declares("model") && declares("params");
    let mut filled = Filled::default();
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut taken: Vec<Takes> = Vec::new();
    let mut freed = Vec::new();
    for param in &params {
        let Some(take) = param.takes else { continue };
        if take.what == Takes::View {
            let is_shown = setup.model.is_some() || setup.gpu.is_some();
            let view = take.free.filter(|_| is_shown);
            pairs.extend(view.map(|view| (param.spec.name.to_owned(), view.to_owned())));
            continue;
        }
        if by_name_or_count && take.what == Takes::Parameters && taken.contains(&Takes::Model) {
            continue;
        }
        if let Some(problem) = refused.iter().find(|p| p.name == param.spec.name) {
            filled.left.push(format!("{}: {}", label(param), problem.message.trim_end_matches('.')));
            taken.push(take.what);
            continue;
        }
        let Some(own) = setup.own(take.what) else {
            if let Some(free) = take.free.filter(|_| setup.model.is_some() && now.get(param.spec.name).is_none()) {
                freed.push(label(param));
                pairs.push((param.spec.name.to_owned(), free.to_owned()));
            }
            continue;
        };
        match put(param, take, &own, &declares) {
            Ok((mut own, said)) => {
                pairs.append(&mut own);
                filled.took.push(format!("{}: {said}", label(param)));
                taken.push(take.what);
            }
            // A number of parameters stands in for it, in a parameter of its own.
            Err(_) if by_name_or_count && take.what == Takes::Model => {}
            Err(why) => {
                filled.left.push(format!("{}: {why}", label(param)));
                taken.push(take.what);
            }
        }
    }
    if !freed.is_empty() {
        filled.took.push(format!("free, since the setup has nothing for it: {}", freed.join(", ")));
    }
    let unused = setup.contents().into_iter().filter(|(_, takes)| !takes.iter().any(|t| taken.contains(t)));
    let unused: Vec<&str> = unused.map(|(name, _)| name).collect();
    if !unused.is_empty() {
        filled.left.push(format!("{}: this figure has no parameter for it", unused.join(", ")));
    }
    let is_model = |name: &str| matches!(name, "model" | "params" | "guess") || SHAPE.iter().any(|s| s.name == name);
    let renews = declares("guess") && pairs.iter().any(|(name, _)| is_model(name));
    let kept = now.iter().filter(|(name, _)| !(renews && is_model(name)));
    filled.query = Query::new(kept).with(&Query::new(pairs));
    filled
}

fn label(param: &Declared) -> &'static str {
    match param.takes.map(|take| take.what) {
        Some(Takes::Model) if param.look.label == param.spec.name => "Model",
        _ => param.look.label,
    }
}

/// The pairs that set `param` to it, and what a person reads.
///
/// # Errors
/// Why it does not take it.
fn put(
    param: &Declared,
    take: Take,
    own: &Own,
    declares: &dyn Fn(&str) -> bool,
) -> Result<(Vec<(String, String)>, String), String> {
    let spec = param.spec;
    let one = |value: String| vec![(spec.name.to_owned(), value)];
    match (own, spec.kind) {
        (Own::Id(id, name), Kind::Choice(ids)) => match option(ids, id) {
            Some(option) => Ok((one(option.to_owned()), (*name).to_owned())),
            None => Err(format!("{name} is not among its choices")),
        },
        (Own::Model(model), Kind::Choice(ids)) => match **model {
            ModelRef::Preset(preset) => match option(ids, preset.id) {
                Some(option) => Ok((one(option.to_owned()), preset.name.to_owned())),
                None => Err(format!("{} is not among its choices", preset.name)),
            },
            ModelRef::Custom { .. } if ids.contains(&"custom") => {
                let pairs: Vec<_> = model.query().iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
                match pairs.iter().find(|(name, _)| !declares(name)) {
                    Some((name, _)) => Err(format!("it has no {name}")),
                    None => Ok((pairs, model.name())),
                }
            }
            ModelRef::Custom { .. } => Err("it takes models by name only".into()),
            ModelRef::Count(_) => Err("it needs more than a number of parameters".into()),
        },
        (Own::Stage(stage), Kind::Choice(ids)) => match option(ids, &stage.to_string()) {
            Some(option) => Ok((one(option.to_owned()), option.to_owned())),
            None => Err(format!("{stage} is not among its choices")),
        },
        (Own::Stage(stage), _) => put(param, take, &Own::Number(*stage as f64), declares),
        (Own::Number(number), Kind::Integer { .. } | Kind::Real { .. }) => {
            let value = number * take.times;
            let said = (param.look.format)(value);
            match (spec.kind, spec.refuses(value)) {
                (_, None) => Ok((one(plain(value)), said)),
                (Kind::Integer { min, max }, Some(_)) => {
                    Err(format!("{said} is not within {} to {}", grouped(min), grouped(max)))
                }
                (Kind::Real { min, max }, Some(_)) => {
                    let [min, max] = [min, max].map(param.look.format);
                    Err(format!("{said} is not within {min} to {max}"))
                }
                (Kind::Choice(_), Some(why)) => Err(why),
            }
        }
        (Own::Text(text, said), Kind::Choice([])) => Ok((one(text.clone()), said.clone())),
        _ => Err("it is of another kind".into()),
    }
}

/// The option with this id.
fn option(ids: &[&'static str], id: &str) -> Option<&'static str> {
    ids.iter().find(|option| **option == id).copied()
}

impl Setup {
    /// What a parameter that takes this is given; none where the setup has nothing for it.
    fn own(&self, what: Takes) -> Option<Own> {
        let number = |n: u64| Own::Number(n as f64);
        let shape = || self.model.as_ref().and_then(ModelRef::shape);
        let of_shape = |look: fn(&Shape) -> u64| shape().map(|shape| number(look(shape)));
        let measured = |what| self.measured.get(&what).copied();
        match what {
            Takes::Model => self.model.map(|model| Own::Model(Box::new(model))),
            Takes::Parameters => self.parameters().map(|[total, _]| number(total)),
            Takes::Active => self.parameters().map(|[_, active]| number(active)),
            Takes::Layers => of_shape(|shape| shape.num_hidden_layers),
            Takes::Width => of_shape(|shape| shape.num_attention_heads.saturating_mul(shape.head_dim())),
            Takes::Heads => of_shape(|shape| shape.num_attention_heads),
            Takes::KvHeads => of_shape(Shape::kv_heads),
            Takes::HeadDim => of_shape(Shape::head_dim),
            Takes::Gpu => self.gpu.map(|gpu| Own::Id(gpu.id, gpu.name)),
            Takes::Inside => self.inside().map(|link| Own::Id(link.id, link.name)),
            Takes::Between => self.between().map(|link| Own::Id(link.id, link.name)),
            Takes::Node => self.node.map(number),
            Takes::Nodes => self.nodes.map(number),
            Takes::Gpus => self.gpus().map(number),
            Takes::Mfu => Some(Own::Number(measured(Measurable::Flops)? / self.gpu?.peak)),
            Takes::Mbu => Some(Own::Number(measured(Measurable::Memory)? / self.gpu?.bandwidth)),
            Takes::Launch => measured(Measurable::Launch).map(Own::Number),
            Takes::Times => {
                let times = self.times.as_ref()?;
                Some(Own::Text(times.points.write(), format!("{} sizes", times.points.len())))
            }
            Takes::TimesOp => self.times.as_ref().map(|times| Own::Id(times.op.id(), times.op.label())),
            Takes::TimesRanks => self.times.as_ref().map(|times| times.ranks).or_else(|| self.gpus()).map(number),
            Takes::BatchTokens => {
                let of = |what| self.job.get(&what).map(|&n| n as f64);
                Some(Own::Number(of(Takes::Sequence)? * of(Takes::Batch)?))
            }
            Takes::Data => Some(number(self.data()?)),
            Takes::Zero => self.job.get(&what).map(|&n| Own::Stage(n)),
            Takes::Replica => {
                let kept = |what| self.job.get(&what).copied();
                kept(what).or_else(|| kept(Takes::Tensor)).map(number)
            }
            Takes::View => None,
            Takes::Sequence
            | Takes::Batch
            | Takes::MicroBatch
            | Takes::Tensor
            | Takes::Pipeline
            | Takes::Context
            | Takes::Expert
            | Takes::Users => self.job.get(&what).copied().map(number),
        }
    }

    /// Data-parallel ranks: what the other axes leave of the GPUs, which they divide.
    fn data(&self) -> Option<u64> {
        let axes =
            [Takes::Tensor, Takes::Pipeline, Takes::Context].map(|what| self.job.get(&what).copied().unwrap_or(1));
        let model = axes.into_iter().try_fold(1_u64, u64::checked_mul)?;
        let gpus = self.gpus()?;
        (gpus % model == 0).then_some(gpus / model)
    }

    /// Parameters of the model: all, and those that a token computes with.
    fn parameters(&self) -> Option<[u64; 2]> {
        match self.model? {
            ModelRef::Count(n) => Some([n, n]),
            model => model.shape()?.count().ok().map(|count| [count.total, count.active]),
        }
    }

    /// What is kept, by name, and what of it parameters can take.
    fn contents(&self) -> Vec<(&'static str, Vec<Takes>)> {
        use Takes as T;
        let has = |what| self.measured.contains_key(&what);
        let mut all = vec![
            (self.model.is_some(), "the model", vec![T::Model, T::Parameters, T::Active, T::Layers, T::Heads]),
            (self.gpu.is_some(), "the GPU", vec![T::Gpu]),
            (self.gpus().is_some(), "how many GPUs", vec![T::Node, T::Nodes, T::Gpus, T::TimesRanks, T::Data]),
            (self.link.is_some() || self.net.is_some(), "the links", vec![T::Inside, T::Between]),
            (self.times.is_some() || has(Measurable::Latency) || has(Measurable::Bandwidth), "α and β", vec![T::Times]),
            (has(Measurable::Flops), "FLOP/s of a matmul", vec![T::Mfu]),
            (has(Measurable::Memory), "memory bandwidth", vec![T::Mbu]),
            (has(Measurable::Launch), "the cost of a launch", vec![T::Launch]),
        ];
        all.extend(JOB.map(|(what, spec)| {
            let other = match what {
                T::Sequence | T::Batch => Some(T::BatchTokens),
                T::Tensor => Some(T::Replica),
                _ => None,
            };
            (self.job.contains_key(&what), spec.doc, [what].into_iter().chain(other).collect())
        }));
        all.into_iter().filter(|(is_kept, ..)| *is_kept).map(|(_, name, takes)| (name, takes)).collect()
    }

    /// What a person reads of the model and the cluster, line by line.
    pub fn in_words(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        if let Some(model) = &self.model {
            let params = self.parameters().map(|[total, _]| format!(", {} parameters", count(total as f64)));
            let params = params.filter(|_| matches!(model, ModelRef::Preset(_)));
            lines.push(("Model", format!("{}{}", model.name(), params.unwrap_or_default())));
        }
        lines.extend(self.gpu.map(|gpu| ("GPU", gpu.name.to_owned())));
        lines.extend(self.gpus().map(|n| match (self.node, self.nodes) {
            (Some(node), Some(nodes)) => ("GPUs", format!("{nodes} × {node} = {}", grouped(n))),
            _ => ("GPUs", grouped(n)),
        }));
        lines.extend(self.link.map(|link| ("Inside a node", link.name.to_owned())));
        lines.extend(self.net.map(|link| ("Between nodes", link.name.to_owned())));
        lines.extend(JOB.iter().filter_map(|(what, spec)| Some((spec.doc, grouped(*self.job.get(what)?)))));
        lines.extend(self.measured.iter().map(|(what, value)| (what.label(), what.unit().format(*value))));
        if let Some(times) = &self.times {
            let sizes = times.points.len();
            lines.push(("Timed", format!("{} on {} ranks, {sizes} sizes", times.op.label(), times.ranks)));
        }
        lines
    }
}
