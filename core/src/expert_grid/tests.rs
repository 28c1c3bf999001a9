use proptest::prelude::*;

use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    params
}

fn layout(query: &str) -> (Params, Layout) {
    let params = params(query);
    (params, params.evaluate().unwrap_or_else(|why| panic!("{query}: {why}")))
}

/// The example of `initialize_model_parallel`'s documentation: 16 GPUs, tp 2, pp 4.
#[test]
fn groups_are_those_of_megatron_s_documentation() {
    let (_, sixteen) = layout("gpus=16&tp=2&pp=4&ep=1");
    let grid = sixteen.attention;
    assert_eq!(grid.groups(Group::Data.along())[..4], [[0, 2], [1, 3], [4, 6], [5, 7]]);
    assert_eq!(grid.groups(Group::Tensor.along())[6..], [[12, 13], [14, 15]]);
    assert_eq!(grid.groups([false, false, false, true])[1], [1, 5, 9, 13]);
    // Its example of context parallelism: 8 GPUs, tp 4, cp 2.
    let (_, eight) = layout("gpus=8&tp=4&cp=2&ep=1&rank=5");
    assert_eq!(eight.attention.groups(Group::Context.along()), [[0, 4], [1, 5], [2, 6], [3, 7]]);
}

/// The chapter's table: 128 GPUs, pp 2, tp 4, ep 8.
#[test]
fn whole_experts_have_as_many_times_the_replicas_as_tensor_parallel_ranks() {
    let of = |query: &str, id: &str| {
        let (p, l) = layout(&format!("gpus=128&pp=2&tp=4&ep=8&{query}"));
        p.quantities(&l).into_iter().find(|q| q.id == id).map(|q| q.value)
    };
    assert_eq!((of("etp=4", "edp"), of("etp=1", "edp")), (Some(2.0), Some(8.0)));
    assert_eq!((of("etp=4", "attention-replicas"), of("etp=1", "attention-replicas")), (Some(16.0), Some(16.0)));
    assert_eq!((of("etp=4", "tp-expert-sets"), of("etp=1", "tp-expert-sets")), (Some(1.0), Some(4.0)));
    assert_eq!((of("etp=4&group=ep", "group-nodes"), of("etp=1&group=ep", "group-nodes")), (Some(4.0), Some(1.0)));
}

#[test]
fn what_cannot_be_divided_is_named() {
    let why = |query: &str| params(query).evaluate().expect_err("it does not divide");
    assert_eq!(why("gpus=32&tp=4&cp=3"), "32 GPUs cannot be divided by tp 4 × cp 3 × pp 1, which is 12.");
    assert_eq!(why("gpus=32&ep=32&etp=2"), "32 GPUs cannot be divided by etp 2 × ep 32 × pp 1, which is 64.");
    assert_eq!(why("experts=12"), "12 experts cannot be divided among ep 8.");
    let (clamped, problems) = Params::read(&Query::parse("gpus=8&tp=1&rank=9"));
    assert_eq!((clamped.rank, problems.len()), (7, 1));
}

#[test]
fn sentences_say_who_and_where() {
    let says = |query: &str| {
        let (p, l) = layout(query);
        p.finding(&l)
    };
    assert!(says("").starts_with("Ranks 0 to 7 have all 64 experts between them, 8 each, and send each other tokens, inside one node. Rank 5 is tp 1, cp 0, dp 1 for attention and etp 0, ep 5, edp 0 for experts, with experts 40 to 47."), "{}", says(""));
    assert!(
        says("")
            .ends_with("4 different sets of experts, so each must come with tokens of its own: sequence parallelism.")
    );
    assert!(says("group=edp").starts_with(
        "Ranks 5, 13, 21 and 29 hold the same part of experts 40 to 47 and sum its gradients, over 4 nodes."
    ));
    assert!(says("group=dp").starts_with("Ranks 1, 5, 9 … 29 hold"));
    assert!(says("group=cp").starts_with("Rank 5 has whole sequences. "));
    assert!(
        says("group=dp").contains("hold the same part of attention, and each sees sequences of its own, over 4 nodes.")
    );
    assert!(!says("etp=4").contains("sequence parallelism"));
    assert!(says("etp=4").starts_with(
        "Ranks 1, 5, 9 … 29 have a quarter of each of the 64 experts between them, 8 experts to a rank, and"
    ));
    assert!(
        says("etp=4").contains("etp 1, ep 1, edp 0 for experts, with a quarter of experts 8 to 15."),
        "{}",
        says("etp=4")
    );
    assert!(says("etp=4&ep=1").starts_with("Rank 5 has a quarter of each of the 64 experts. "));
    assert!(says("ep=1").starts_with("Rank 5 has all 64 experts. "));
    for (tp, part) in [(2, "half"), (3, "1/3"), (4, "a quarter"), (8, "1/8")] {
        let query = format!("gpus=24&tp={tp}&ep=1&rank=0&group=tp");
        assert!(says(&query).contains(&format!("share each matrix of attention, {part} each, ")), "{}", says(&query));
    }
}

proptest! {
    #[test]
    fn groups_cut_the_ranks_up(tp in 0..4_u32, cp in 0..3_u32, dp in 0..4_u32, pp in 0..3_u32, etp in 0..4_u32, ep in 0..5_u32, which in 0..7_usize, at in 0.0..1.0_f64) {
        let gpus = 1_u64 << (tp + cp + dp + pp).min(8);
        let rank = ((gpus as f64 * at) as u64).min(gpus - 1);
        let p = Params {
            group: Group::ALL[which], gpus, tp: 1 << tp, cp: 1 << cp, pp: 1 << pp, ep: 1 << ep, etp: 1 << etp, rank, ..Params::standard()
        };
        prop_assert_eq!(Params::read(&p.query()), (p, vec![]));
        let Ok(l) = p.evaluate() else { return Ok(()) };
        prop_assert_eq!((l.attention.ranks(), l.experts.ranks()), (gpus, gpus));
        let groups = l.grid(p.group).groups(p.group.along());
        let mut all: Vec<u64> = groups.concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..gpus).collect::<Vec<_>>());
        let own = l.group(rank, p.group);
        prop_assert!(own.contains(&rank) && groups.contains(&own));
        // A rank is where its place says, and both grids have the same stages.
        for grid in [l.attention, l.experts] {
            prop_assert!((0..gpus).all(|rank| grid.rank(grid.place(rank)) == rank));
            prop_assert_eq!(grid.group(rank, [true, true, true, false]), l.stage(rank));
        }
        prop_assert!(p.quantities(&l).iter().all(|q| q.value.is_finite() && q.value >= 1.0));
        prop_assert!(!p.finding(&l).is_empty());
    }
}
