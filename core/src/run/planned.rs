//! A layout that a figure plans as a run file, so that a run can be put next to it.

use std::fmt::Write as _;

use super::file::{Model, Size};
use crate::memory::{Convention, Params};

/// GPUs of a node, where a layout has as many.
const NODE: u64 = 8;

/// The run file of a planned layout, on nodes of `node` GPUs if that is known.
pub fn planned(p: &Params, node: Option<u64>) -> String {
    let quoted = |word: &str| format!("\"{word}\"");
    let known = Model::of(&p.model);
    let size = |(name, size): (&String, &Size)| {
        let value = if let Size::Word(word) = size { quoted(word) } else { size.text() };
        (name.clone(), value)
    };
    let mut model = Vec::new();
    if !known.name.is_empty() {
        model.push(("name".to_owned(), quoted(&known.name)));
    }
    model.extend(known.parameters.map(|n| ("parameters".to_owned(), format!("{n:e}"))));
    let l = &p.layout;
    let gpus = [p.dp, l.tp, l.cp, l.pipeline.stages].into_iter().fold(1, u64::saturating_mul).max(1);
    let node = node.unwrap_or(NODE).clamp(1, gpus);
    let framework = match p.convention {
        Convention::Megatron => "megatron",
        Convention::DeepSpeed => "deepspeed",
        Convention::Zero => "fsdp",
    };
    let cluster = [("gpu", quoted(p.gpu.id)), ("node", node.to_string()), ("nodes", gpus.div_ceil(node).to_string())];
    let mut layout = vec![
        ("framework", quoted(framework)),
        ("tp", l.tp.to_string()),
        ("sp", l.sp.to_string()),
        ("cp", l.cp.to_string()),
        ("ep", l.ep.to_string()),
        ("dp", p.dp.to_string()),
        ("pp", l.pipeline.stages.to_string()),
        ("vpp", l.pipeline.virtual_stages.to_string()),
        ("zero", p.zero.to_string()),
        ("mbs", p.mbs.to_string()),
        ("microbatches", l.pipeline.microbatches.to_string()),
        ("recompute", quoted(p.recompute.id())),
        ("flash", p.flash.to_string()),
        ("dtype", quoted(p.dtype.id())),
        ("optimizer", quoted(p.optimizer.id())),
    ];
    layout.extend(p.seq.map(|seq| ("seq", seq.to_string())));
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    let tables = [
        ("model", model),
        ("model.sizes", known.sizes.iter().map(size).collect()),
        ("cluster", cluster.into_iter().map(owned).collect()),
        ("layout", layout.into_iter().map(owned).collect()),
    ];
    let mut text = String::from("name = \"A planned layout\"\n");
    for (table, values) in tables.iter().filter(|(_, values)| !values.is_empty()) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "\n[{table}]");
        values.iter().for_each(|(name, value)| _ = writeln!(text, "{name} = {value}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::activations::Recompute;
    use crate::model::{ModelRef, presets};
    use crate::planner;
    use crate::query::Query;
    use crate::run::Run;

    #[test]
    fn a_planned_layout_is_the_same_run_next_to_a_measurement() {
        for query in [
            "model=llama-3-8b&gpu=h100-80&nodes=2&node=8&seq=8192&batch=128",
            "model=qwen2.5-14b&gpu=a100-80&nodes=4&node=8&seq=4096&batch=256",
        ] {
            let params = <planner::Params as crate::declare::Model>::read(&Query::parse(query)).0;
            let search = params.search().expect("a search").run();
            let found = planner::Found::of(&search, false);
            let best = found.best.as_ref().expect("a layout");
            let memory = search.job().memory_params(&best.choice);
            let run = Run::parse(&planned(&memory, Some(8))).expect("a run file");
            let plan = run.plan().expect("all is said");
            assert_eq!((plan.choice, &plan.memory), (best.choice, &memory), "{query}");
            assert_eq!((plan.job.cluster, plan.assumed), (search.job().cluster, Vec::new()), "{query}");
        }
    }

    #[test]
    fn sizes_of_ones_own_are_kept() {
        let mut shape = presets::ALL[0].shape;
        shape.num_hidden_layers += 1;
        let memory = Params { model: ModelRef::own(shape), recompute: Recompute::Full, ..Params::default() };
        let run = Run::parse(&planned(&memory, None)).expect("a run file");
        assert_eq!(
            run.setup().0.model.and_then(|model| model.shape().map(|s| s.num_hidden_layers)),
            Some(shape.num_hidden_layers)
        );
        assert_eq!(run.layout.recompute, Some(Recompute::Full));
    }
}
