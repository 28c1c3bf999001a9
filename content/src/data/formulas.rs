//! `formulas.toml`: the formulas of the reference, each of which is held against the model that it describes. A course may be without the
//! file.

use ringside_core::catalogue::{self, Entry};
use ringside_core::exercise::Env;
use ringside_core::expr::name_matches;
use ringside_core::hardware;
use ringside_core::model::presets;
use ringside_core::quantity::{Unit, number};
use ringside_core::query::{Query, parse_number};

use super::{ids, read, section};
use crate::evaluated::evaluated;
use crate::markdown;
use crate::names::Kind;
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// A formula with its symbols, in one state of its model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Formula {
    pub(crate) id: String,
    pub(crate) name: String,
    /// `chapter#section`.
    pub(crate) place: String,
    /// The widget whose model it is of.
    pub(crate) model: String,
    /// The state of the live figure.
    pub(crate) query: String,
    /// A `<math>` element.
    pub(crate) maths: String,
    pub(crate) symbols: Vec<Symbol>,
    /// Why it is an approximation, if it is one.
    pub(crate) why: Option<String>,
    /// Ids of sources.
    pub(crate) sources: Vec<String>,
}

/// A symbol of a formula.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// A `<math>` element.
    pub(crate) maths: String,
    /// What it stands for.
    pub(crate) means: String,
    /// Its value in the state of the live figure, with its unit.
    pub(crate) value: String,
}

/// How far the two sides of a formula may differ, relatively: rounding.
const ROUNDING: f64 = 1e-6;

/// The formulas, in order. One that its model does not bear out is reported.
pub(crate) fn formulas(world: &World<'_>) -> Vec<Formula> {
    if world.tree.file("formulas.toml").is_none() {
        return Vec::new();
    }
    read(world, "formulas.toml", |root| {
        root.tables("formula").into_iter().filter_map(|table| formula(world, table)).collect()
    })
}

fn formula(world: &World<'_>, mut table: Table<'_, '_>) -> Option<Formula> {
    let sink = world.sink;
    let (id, name, place) = (table.text("id"), table.string("name"), table.text("chapter"));
    let (model, latex) = (table.text("model"), table.text("latex"));
    let (gives, is) = (table.text("gives"), table.text("is"));
    let states = table.texts("at");
    let within = table.optional_text("within");
    let why = table.optional_string("why");
    let sources = ids(world, &mut table, "sources", Kind::Source);
    let entry = catalogue::find(&model.text);
    if entry.is_none() {
        world.names.resolve(Kind::Widget, &model.text, model.spot(0), sink);
    }
    let envs: Vec<Env> =
        entry.map(|entry| states.iter().filter_map(|state| env(world, entry, state)).collect()).unwrap_or_default();
    let symbols =
        table.tables("symbols").into_iter().map(|t| symbol(world, t, entry, envs.first())).collect::<Vec<_>>();
    table.finish();
    let place = section(world, &place)?;
    let allowed = within.as_ref().map_or(Some(ROUNDING), |text| parse_number(&text.text));
    if allowed.is_none() || within.is_some() != why.is_some() {
        sink.report(is.spot(0), "`within` is a number, and `why` says why the formula is an approximation.");
    }
    for env in &envs {
        match (env.eval(&gives.text), env.eval(&is.text)) {
            (Ok(there), Ok(here)) if (there - here).abs() <= allowed.unwrap_or(ROUNDING) * there.abs() => {}
            (Ok(there), Ok(here)) => {
                let message =
                    format!("The model’s {} is {}, and the formula gives {}.", gives.text, number(there), number(here));
                sink.report(is.spot(0), message);
            }
            (Err(why), _) => sink.report(gives.spot(0), why),
            (_, Err(why)) => sink.report(is.spot(0), why),
        }
    }
    if envs.is_empty() || sources.is_empty() || symbols.is_empty() {
        sink.report(id.spot(0), "A formula has a state (`at`), symbols and a source.");
    }
    Some(Formula {
        name,
        place,
        model: model.text.clone(),
        query: states.first().map(|s| s.text.clone()).unwrap_or_default(),
        maths: maths(world, &latex, true),
        symbols,
        why,
        sources,
        id: id.text,
    })
}

/// The names of a state: of the model, of its GPU and of its language model.
fn env(world: &World<'_>, entry: &'static Entry, state: &Located<'_>) -> Option<Env> {
    let query = Query::parse(&state.text);
    let evaluation = evaluated(entry, &query);
    let trouble = evaluation.problems.first().map(|p| p.message.clone()).or(evaluation.error.clone());
    if let Some(why) = trouble {
        world.sink.report(state.spot(0), why);
        return None;
    }
    let mut env = Env::new(&evaluation);
    let mut add = |name: &str, value: f64, unit: Unit| {
        if env.number(name).is_none() {
            env = std::mem::take(&mut env).with(name, value, unit);
        }
    };
    if let Some(gpu) = evaluation.query.get("gpu").and_then(hardware::find) {
        add("gpu_peak", gpu.peak, Unit::FlopPerSecond);
        add("gpu_bandwidth", gpu.bandwidth, Unit::BytesPerSecond);
        add("gpu_memory", gpu.memory.0, Unit::Bytes);
    }
    if let Some(model) = evaluation.query.get("model").and_then(presets::find) {
        let shape = model.shape;
        add("hidden_size", shape.hidden_size as f64, Unit::Count);
        add("num_hidden_layers", shape.num_hidden_layers as f64, Unit::Count);
        add("num_attention_heads", shape.num_attention_heads as f64, Unit::Count);
        add("vocab_size", shape.vocab_size as f64, Unit::Count);
    }
    Some(env)
}

/// What the names mean that no model declares.
const MORE: [(&str, &str); 7] = [
    ("gpu_peak", "Peak of one GPU"),
    ("gpu_bandwidth", "Memory bandwidth of the GPU"),
    ("gpu_memory", "Memory of the GPU"),
    ("hidden_size", "Width of the model"),
    ("num_hidden_layers", "Layers of the model"),
    ("num_attention_heads", "Attention heads"),
    ("vocab_size", "Tokens of the vocabulary"),
];

fn symbol(world: &World<'_>, mut table: Table<'_, '_>, entry: Option<&Entry>, env: Option<&Env>) -> Symbol {
    let (s, is) = (table.text("s"), table.text("is"));
    let means = table.optional_string("means");
    table.finish();
    let value = match env.map(|env| env.eval(&is.text)) {
        Some(Err(why)) => {
            world.sink.report(is.spot(0), why);
            0.0
        }
        Some(Ok(value)) => value,
        None => 0.0,
    };
    let quantity = entry.and_then(|e| e.quantities().find(|(id, ..)| name_matches(id, &is.text)));
    let parameter = entry.and_then(|e| e.params().find(|p| name_matches(p.spec.name, &is.text)));
    let label = quantity.map(|(_, label, _)| label);
    let said = parameter.map(|p| if p.look.label == p.spec.name { p.spec.doc } else { p.look.label });
    let more = MORE.iter().find(|(name, _)| *name == is.text).map(|(_, means)| *means);
    let means = means.or_else(|| label.or(said).or(more).map(str::to_owned));
    if means.is_none() {
        world.sink.report(is.spot(0), format!("Say what “{}” `means`.", is.text));
    }
    let unit = quantity.map(|(.., unit)| unit).or_else(|| env.and_then(|env| env.unit(&is.text)));
    let value = match (unit, parameter) {
        (Some(unit), _) => unit.format(value),
        (None, Some(parameter)) => (parameter.look.format)(value),
        _ => number(value),
    };
    Symbol { maths: maths(world, &s, false), means: means.unwrap_or_default(), value }
}

fn maths(world: &World<'_>, latex: &Located<'_>, display: bool) -> String {
    markdown::mathml(&latex.text, display).unwrap_or_else(|why| {
        world.sink.report(latex.spot(0), why);
        String::new()
    })
}
