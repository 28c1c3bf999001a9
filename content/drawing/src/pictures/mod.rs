//! The pictures of the course: what a figure shows in a state before its code is there, in a page, on paper, in the gallery and in
//! a file. Charts are of [`charts`]; other drawings have a file here, named like their figure.

use ringside_core::declare::Model;
use ringside_core::quantity::Unit;
use ringside_core::query::Query;
use ringside_core::{
    allocator, amdahl, attention, collective, evaluation, failure, float, kernels, loss_detective, loss_scaling, model,
    network, occupancy, optimizer_step, overlap, pass_at_k, pipeline, planner, post_training, program, reduction_order,
    roofline, seed_streams, serving, training_run,
};
use ringside_core::{context_parallel as core_context_parallel, memory as core_memory};

use crate::chart::Ink;
use crate::charts;
use crate::figure::Figure as _;
use crate::picture::Picture;
use crate::scale::Linear;

mod attention_growth;
mod attention_schedule;
mod caching_allocator;
mod cluster_scheduler;
mod coalescing;
mod context_parallel;
mod continuous_batching;
mod ddp_overlap;
mod expert_grid;
mod failure_campaign;
mod fill_in_the_middle;
mod flash_attention_tiling;
mod fleet;
mod float_bits;
mod kv_cache;
mod kv_compression;
mod ladder;
mod launch_doctor;
pub(crate) mod memory;
mod model_anatomy;
mod moe_routing;
mod parallel_machines;
mod pipeline_timeline;
mod policy_update;
mod quantization;
mod ring_all_reduce;
mod rl_pipeline;
mod schedule_editor;
mod sft_packing;
mod sharding_price;
mod stragglers;
mod tensor_parallel;
mod tile_order;
mod trace_detective;
mod warps;
mod zero_stepper;

/// The figures that one picture shows ([`Figure`](crate::figure::Figure)): the module that an app downloads it in, its id, a name for
/// its code, and its parameters. `$each` is a macro that is given the list.
#[macro_export]
macro_rules! figures {
    ($each:ident) => {
        $each! {
            chapter_01 {
                "scaling-laws" scaling_laws ringside_core::scaling_laws::Params;
            }
            chapter_04 {
                "first-steps" first_steps ringside_core::memory::first_steps::Params;
            }
            chapter_05 {
                "quantization" quantization ringside_core::quantization::Params;
            }
            chapter_07 {
                "scaling-curve" scaling_curve ringside_core::scaling::Params;
            }
            chapter_09 {
                "sharding-price" sharding_price ringside_core::zero::price::Params;
            }
            chapter_12 {
                "expert-grid" expert_grid ringside_core::expert_grid::Params;
            }
            chapter_13 {
                "kv-compression" kv_compression ringside_core::kv_cache::figure::Params;
                "multi-token-prediction" multi_token_prediction ringside_core::speculative::figure::Params;
            }
            chapter_14 {
                "memory-hierarchy" memory_hierarchy ringside_core::hardware::levels::Params;
            }
            chapter_16 {
                "tile-order" tile_order ringside_core::tile_order::Params;
            }
            chapter_18 {
                "attention-growth" attention_growth ringside_core::attention::growth::Params;
                "attention-schedule" attention_schedule ringside_core::attention::schedule::Params;
            }
            chapter_21 {
                "checkpoint-resume" checkpoint_resume ringside_core::resume::Params;
                "stragglers" stragglers ringside_core::stragglers::Params;
            }
            chapter_23 {
                "lora-adapters" lora_adapters ringside_core::post_training::adapters::figure::Params;
                "rl-pipeline" rl_pipeline ringside_core::post_training::rollout::Params;
            }
            chapter_24 {
                "decode-speed" decode_speed ringside_core::speculative::serving::Params;
                "fleet" fleet ringside_core::serving::fleet::Params;
                "kv-tiers" kv_tiers ringside_core::serving::tiers::Params;
            }
            chapter_25 {
                "editor-latency" editor_latency ringside_core::editor_latency::Params;
            }
        }
    };
}

/// The same of those that have something to type or to press besides, and so a file in an app: their parameters.
macro_rules! figures_with_more {
    ($each:ident) => {
        $each! {
            core_memory::activations::Params;
            network::sizes::Params;
            loss_detective::Params;
            loss_scaling::Params;
            optimizer_step::Params;
            overlap::Params;
            pass_at_k::figure::Params;
            seed_streams::Params;
            serving::sizing::Params;
            post_training::packing::Params;
            training_run::Params;
        }
    };
}

/// The picture of a figure in one state, before anything is measured; of a figure that is played, with all of it played, where the
/// state doesn't say how far. `None` for a state that its model refuses.
pub fn of(figure: &str, query: &Query) -> Option<Picture> {
    match figure {
        "amdahl" => drawn(query, |p: &amdahl::Params, _| charts::amdahl::chart(p)),
        "attention-kernels" => drawn(query, |p: &kernels::attention::Params, _| ladder::picture(p)),
        "caching-allocator" => drawn(query, |_: &allocator::Params, r| caching_allocator::picture(r)),
        "cluster-scheduler" => drawn(query, cluster_scheduler::picture),
        "coalescing" => drawn(query, coalescing::picture),
        "context-parallel" => drawn(query, |_: &core_context_parallel::Params, r| context_parallel::picture(r)),
        "continuous-batching" => drawn(query, |p: &serving::figure::Params, r| match p.view {
            serving::figure::View::Schedule => Picture::from(continuous_batching::schedule(p, r)),
            _ => charts::continuous_batching::chart(p, r).into(),
        }),
        "ddp-overlap" => drawn(query, ddp_overlap::picture),
        "decode-kernels" => drawn(query, |p: &kernels::decode::Params, _| ladder::picture(p)),
        "failure-campaign" => drawn(query, |p: &failure::Failures, r| match p.view {
            failure::View::Campaign => Picture::from(failure_campaign::strips(p, r)),
            _ => charts::failure_campaign::chart(p, r).into(),
        }),
        "fill-in-the-middle" => drawn(query, fill_in_the_middle::picture),
        "flash-attention-tiling" => drawn(query, flash_attention_tiling::picture),
        "float-bits" => drawn(query, |p: &float::bits::Params, r| match p.view {
            float::bits::View::Bits => float_bits::bits(r),
            float::bits::View::Spacing => charts::float_bits::spacing(p).into(),
            float::bits::View::Sum => charts::float_bits::sum(p, r).into(),
            float::bits::View::Gradients => charts::float_bits::gradients(p, r).into(),
        }),
        "kernel-fusion" => drawn(query, |p: &kernels::fusion::Params, _| charts::kernel_fusion::chart(p, &[])),
        "kernel-workbench" => drawn(query, |p: &kernels::workbench::Params, ()| ladder::puzzles(p)),
        "kv-cache" => drawn(query, kv_cache::picture),
        "launch-doctor" => drawn(query, launch_doctor::picture),
        "live-evaluation" => drawn(query, |p: &evaluation::figure::Params, r| charts::live_evaluation::chart(p, r)),
        "matmul-kernels" => drawn(query, |p: &kernels::matmul::Params, _| ladder::picture(p)),
        "matmul-tuner" => drawn(query, |p: &kernels::tuner::Params, _| charts::matmul_tuner::chart(p, &[])),
        "memory-breakdown" => drawn(query, memory::stages),
        "model-anatomy" => drawn(query, |_: &model::anatomy::Params, r| model_anatomy::picture(r)),
        "moe-routing" => drawn(query, moe_routing::picture),
        "occupancy" => drawn(query, |p: &occupancy::Params, r| {
            let over = |over| (1.0, charts::occupancy::over(p, r, over).into());
            let row = [occupancy::Over::Block, occupancy::Over::Registers].map(over);
            let other = [over(occupancy::Over::Shared), (1.0, charts::occupancy::reach(p, r).into())];
            let rows = [row, other].map(|row| (1.0, Picture::Beside(row.into())));
            Picture::Over(rows.into())
        }),
        "parallel-machines" => drawn(query, parallel_machines::picture),
        "parallel-planner" => {
            let search = planner::Params::read(query).0.search().ok()?.run();
            let found = planner::Found::of(&search, false);
            Some(charts::parallel_planner::chart(&found, found.best.as_ref()).into())
        }
        "pipeline-timeline" => drawn(query, pipeline_timeline::picture),
        "policy-update" => drawn(query, |p: &post_training::policy::Params, r| match p.view {
            post_training::policy::View::Policy => Picture::Over(vec![
                (1.0, policy_update::answers(p, r).into()),
                (1.1, charts::policy_update::chart(p, r).into()),
            ]),
            post_training::policy::View::Course => charts::policy_update::chart(p, r).into(),
            post_training::policy::View::Objective => charts::policy_update::objective(p, r).into(),
            post_training::policy::View::Group => charts::policy_update::group(p, r).into(),
        }),
        "position-encoding" => drawn(query, |p: &attention::position::Params, _| charts::position_encoding::chart(p)),
        "reduction-order" => drawn(query, |p: &reduction_order::Params, r| charts::reduction_order::chart(p, r)),
        // What a program does is known once it has run; of a puzzle that writes a collective, this is the collective.
        "rank-program" => maybe(query, |p: &program::figure::Params, ()| {
            let (op, algo) = match p.puzzle.id {
                "broadcast" => ("broadcast", "ring"),
                "tree-broadcast" => ("broadcast", "binomial-tree"),
                "ring-reduce-scatter" => ("reduce-scatter", "ring"),
                "ring-all-gather" => ("all-gather", "ring"),
                "ring-all-reduce" => ("all-reduce", "ring"),
                _ => return None,
            };
            of("ring-all-reduce", &Query::new([("op", op), ("algo", algo), ("ranks", &p.ranks.to_string())]))
        }),
        "ring-all-reduce" => drawn(query, |_: &collective::Params, r| ring_all_reduce::picture(r)),
        "rlhf-memory" => drawn(query, memory::phases),
        "roofline" => {
            drawn(query, |_: &roofline::Params, r| charts::roofline::chart(r, &charts::roofline::Measured::default()))
        }
        "schedule-editor" => drawn(query, |p: &pipeline::editor::EditorParams, _| schedule_editor::picture(p)),
        "tensor-parallel" => drawn(query, tensor_parallel::picture),
        "trace-detective" => maybe(query, trace_detective::picture),
        "warp-divergence" => drawn(query, warps::divergence),
        "warp-scheduler" => drawn(query, warps::scheduler),
        "zero-stepper" => drawn(query, zero_stepper::picture),
        _ => of_one(figure, query),
    }
}

/// The same of a figure that says it of itself.
fn of_one(figure: &str, query: &Query) -> Option<Picture> {
    macro_rules! by_id {
        ($($module:ident { $($id:literal $name:ident $params:ty;)+ })+) => {
            match figure {
                $($($id => drawn(query, <$params>::picture),)+)+
                _ => None,
            }
        };
        ($($params:ty;)+) => {
            match figure {
                $(<$params>::ID => drawn(query, <$params>::picture),)+
                _ => figures!(by_id),
            }
        };
    }
    figures_with_more!(by_id)
}

/// Colors of what are several of a kind: requests, users.
const SEVERAL: [Ink; 6] = [Ink::Weights, Ink::Gradients, Ink::Optimizer, Ink::Kv, Ink::Activations, Ink::Communication];

/// How many of `all` steps have been played: all of them where the state doesn't say.
fn played(step: usize, all: usize) -> usize {
    if step == 0 { all } else { step.min(all) }
}

/// The same, but half of them where the state doesn't say: what all of it done would not show.
fn midway(step: usize, all: usize) -> usize {
    if step == 0 { all.div_ceil(2) } else { step.min(all) }
}

/// The places of round numbers from 0 to `end`, with what they say.
fn ticks(end: f64, unit: Unit) -> Vec<(f64, String)> {
    Linear::to(end).ticks_in(unit).map(|tick| (tick, unit.format(tick))).collect()
}

/// What a model draws of a state, if it takes the state.
fn drawn<M: Model, P: Into<Picture>>(query: &Query, draw: impl FnOnce(&M, &M::Result) -> P) -> Option<Picture> {
    maybe(query, |params, result| Some(draw(params, result)))
}

/// The same for what isn't there in every state.
fn maybe<M: Model, P: Into<Picture>>(query: &Query, draw: impl FnOnce(&M, &M::Result) -> Option<P>) -> Option<Picture> {
    let params = M::read(query).0;
    let result = params.evaluate().ok()?;
    draw(&params, &result).map(P::into)
}

#[cfg(test)]
mod tests {
    use ringside_core::catalogue;
    use ringside_core::query::Kind;

    use super::*;
    use crate::chart::Frame;
    use crate::figure::{Figure, Table};
    use crate::form::Press;

    /// Parameters that choose what a figure shows.
    const VIEWS: [&str; 5] = ["view", "show", "memory", "scheme", "machine"];
    const FRAME: Frame = Frame { width: 480.0, height: 270.0, text: 15.0, pixel: 1.0 };

    /// The states of a figure that show different things.
    fn states(entry: &ringside_core::declare::Entry) -> Vec<Query> {
        let mut states = vec![Query::default()];
        for param in entry.params().filter(|param| VIEWS.contains(&param.spec.name)) {
            if let Kind::Choice(options) = param.spec.kind {
                states.extend(options.iter().map(|option| Query::new([(param.spec.name, *option)])));
            }
        }
        states
    }

    #[test]
    fn every_figure_has_a_picture_of_every_view() {
        for entry in catalogue::ALL {
            for query in states(entry).iter().filter(|query| (entry.evaluate)(query).error.is_none()) {
                let picture = of(entry.id, query).unwrap_or_else(|| panic!("{} {query}", entry.id));
                let svg = picture.in_page(FRAME);
                assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{} {query}", entry.id);
                assert!(!picture.label().trim().is_empty(), "{} {query}", entry.id);
                assert!(svg.len() < 80_000, "{} {query}: {} bytes", entry.id, svg.len());
            }
        }
    }

    fn presses(picture: &Picture) -> Vec<&Press> {
        match picture {
            Picture::Chart(_) => Vec::new(),
            Picture::Lanes(lanes) => lanes.rows.iter().filter_map(|row| row.press.as_ref()).collect(),
            Picture::Cells(cells) => cells.cells.iter().filter_map(|cell| cell.press.as_ref()).collect(),
            Picture::Beside(all) | Picture::Over(all) => all.iter().flat_map(|(_, one)| presses(one)).collect(),
        }
    }

    #[test]
    fn what_is_pressed_leads_to_a_state_in_which_it_is_chosen() {
        let mut pressed = 0;
        for entry in catalogue::ALL {
            for query in states(entry).iter().filter(|query| (entry.evaluate)(query).error.is_none()) {
                for press in of(entry.id, query).iter().flat_map(presses) {
                    let (then, sets) = (query.with(&press.sets), &press.sets);
                    let outcome = (entry.evaluate)(&then);
                    let problems = (entry.read)(&then).1;
                    assert!(problems.is_empty() && outcome.error.is_none(), "{} {then}", entry.id);
                    let picture = of(entry.id, &then).expect("a picture");
                    let same = presses(&picture).into_iter().filter(|other| other.sets == *sets);
                    assert!(same.map(|press| press.is_on).collect::<Vec<_>>().contains(&true), "{} {then}", entry.id);
                    assert!(!press.name.is_empty(), "{} {then}", entry.id);
                    pressed += 1;
                }
            }
        }
        assert!(pressed > 50, "{pressed} parts to press");
    }

    fn is_sound<F: Figure>() {
        let params = F::standard();
        let result = params.evaluate().expect("its first state is possible");
        let more = params.more_tables(&result);
        assert!(more.iter().all(|table| !table.caption.is_empty()), "{}", F::ID);
        for Table { columns, rows, .. } in more.into_iter().chain([params.table(&result)]) {
            assert!(!rows.is_empty(), "{}", F::ID);
            assert!(rows.iter().all(|row| row.len() == columns.len()), "{}", F::ID);
        }
        assert!(!params.subtitle().is_empty() && !params.finding(&result).is_empty(), "{}", F::ID);
        assert!(F::PLAYS || params.played(&result).is_none(), "{}", F::ID);
        // Each part is a picture of its own on the page.
        fn parts(picture: &Picture) -> Vec<&Picture> {
            match picture {
                Picture::Beside(all) | Picture::Over(all) => all.iter().flat_map(|(_, part)| parts(part)).collect(),
                one => vec![one],
            }
        }
        let picture = params.picture(&result);
        assert!(parts(&picture).iter().all(|part| !part.label().is_empty()), "{}: a part has no label", F::ID);
        let mut other = params.clone();
        if let Some(about) = other.about() {
            let model = about.model();
            about.choose(model);
        }
        assert!(other == params, "{}: its own model changes it", F::ID);
    }

    #[test]
    fn every_figure_has_words_and_a_table() {
        macro_rules! each {
            ($($module:ident { $($id:literal $name:ident $params:ty;)+ })+) => {
                $($(
                    assert_eq!(<$params>::ID, $id);
                    is_sound::<$params>();
                )+)+
            };
            ($($params:ty;)+) => {
                $(is_sound::<$params>();)+
            };
        }
        figures!(each);
        figures_with_more!(each);
    }
}
