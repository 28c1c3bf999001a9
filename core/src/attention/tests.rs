use crate::declare::Model as _;
use proptest::prelude::*;

use super::algorithm::{Algo, Direction, Extent, Matrix};
use super::execute::Machine;
use super::online::Row;
use super::plan::{Plan, Sizes};
use super::*;
use crate::query::Query;

fn sizes() -> impl Strategy<Value = Sizes> {
    (1..40_u64, 1..6_u64, 1..14_u64, 1..14_u64, prop::sample::select(vec![2, 4]), any::<bool>()).prop_map(
        |(seq, head_dim, rows, columns, element, causal)| Sizes {
            seq,
            head_dim,
            rows: rows.min(seq),
            columns: columns.min(seq),
            element,
            causal,
        },
    )
}

fn kinds() -> impl Strategy<Value = (Algo, Direction)> {
    let directions = prop::sample::select(vec![Direction::Forward, Direction::Backward]);
    (prop::sample::select(Algo::ALL.to_vec()), directions)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn what_is_worked_out_is_what_is_executed_after_every_step(sizes in sizes(), (algo, direction) in kinds()) {
        let plan = Plan::new(sizes, algo.passes(direction));
        let mut moved = Traffic::default();
        let machine = Machine::run(sizes, algo, direction, &mut |machine| {
            let step = plan.at(machine.steps - 1).expect("a step");
            for m in plan.moves(&step) {
                *(if m.store { &mut moved.written } else { &mut moved.read }) += m.bytes;
            }
            assert_eq!((moved.read, moved.written), (machine.done.read, machine.done.written));
            assert_eq!(plan.until(machine.steps), machine.done);
        });
        prop_assert_eq!(machine.steps, plan.steps());
        prop_assert_eq!(plan.all(), machine.done);
        prop_assert_eq!(plan.at(machine.steps), None);
    }

    #[test]
    fn what_is_covered_and_written_is_what_the_steps_went_over(sizes in sizes(), (algo, direction) in kinds()) {
        let plan = Plan::new(sizes, algo.passes(direction));
        let cell = |[rows, columns]: [(u64, u64); 2]| -> Vec<(u64, u64)> {
            (rows.0..rows.1).flat_map(|r| (columns.0..columns.1).map(move |c| (r, c))).collect()
        };
        let (mut pass, mut over) = (usize::MAX, Vec::new());
        let mut stored = [0; Matrix::ALL.len()];
        for index in 0..plan.steps() {
            let step = plan.at(index).expect("a step");
            if step.pass != pass {
                (pass, over) = (step.pass, Vec::new());
            }
            over.extend(cell(plan.tile(&step)));
            let mut covered: Vec<_> = plan.covered(index + 1, u64::MAX).into_iter().flat_map(cell).collect();
            covered.sort_unstable();
            over.sort_unstable();
            prop_assert_eq!(&covered, &over, "after {}", index + 1);
            for m in plan.moves(&step).iter().filter(|m| m.store) {
                let range = if m.matrix.extent() == Extent::Columns { sizes.column_range(m.block) } else { sizes.row_range(m.block) };
                stored[m.matrix as usize] = range.1.max(stored[m.matrix as usize]);
            }
            for matrix in Matrix::ALL.into_iter().filter(|m| m.extent() != Extent::Scores) {
                prop_assert_eq!(plan.written(matrix, index + 1), stored[matrix as usize], "{:?} after {}", matrix, index + 1);
            }
        }
    }

    #[test]
    fn every_algorithm_gives_plain_softmax_within_the_bound(sizes in sizes(), algo in prop::sample::select(Algo::ALL.to_vec())) {
        let machine = Machine::run(sizes, algo, Direction::Forward, &mut |_| {});
        let bound = numbers::bound(sizes.seq, sizes.head_dim, sizes.column_blocks());
        prop_assert!(machine.difference() <= bound, "{} > {}", machine.difference(), bound);
    }

    #[test]
    fn gradients_are_those_of_standard_attention(sizes in sizes()) {
        let [standard, one, two] = Algo::ALL.map(|a| Machine::run(sizes, a, Direction::Backward, &mut |_| {}));
        for matrix in [Matrix::DQ, Matrix::DK, Matrix::DV] {
            for other in [&one, &two] {
                for (a, b) in standard.matrix(matrix).iter().zip(other.matrix(matrix)) {
                    prop_assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "{matrix:?}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_row_is_taken_in_as_the_steps_say(sizes in sizes(), algo in prop::sample::select(Algo::ALL.to_vec()), row in 0..40_u64) {
        let params = Params {
            seq: sizes.seq,
            head_dim: sizes.head_dim,
            block_q: sizes.rows,
            block_k: sizes.columns,
            causal: sizes.causal,
            algo,
            ..Params::standard()
        };
        let run = Run::new(&params);
        let watched = run.row(row).expect("a short row");
        let block = run.watched(row) / sizes.rows;
        let softmax = algo.passes(Direction::Forward).iter().position(|p| p.whole_rows);
        let mut visits = 0;
        for step in 0..=run.steps() {
            let len = watched.blocks.len();
            prop_assert_eq!(run.taken(row, step).min(len), visits.min(len), "step {}", step);
            if let Some(now) = run.plan.at(step) {
                visits += usize::from(now.row == block && softmax.is_none_or(|pass| now.pass == pass));
            }
        }
        let last = watched.blocks.last().expect("a block");
        let parts: f64 = watched.parts(usize::MAX).iter().sum();
        prop_assert!((parts / f64::from(last.sum[1]) - 1.0).abs() < 1e-4);
        prop_assert!((f64::from(last.sum[1]) / watched.plain.sum - 1.0).abs() < 1e-4);
        prop_assert!((f64::from(last.max[1]) - watched.plain.max).abs() < 1e-4);
        let bound = numbers::bound(sizes.seq, sizes.head_dim, sizes.column_blocks());
        prop_assert!(watched.difference() <= bound);
    }
}

#[test]
fn the_running_sum_is_rescaled_by_the_factor_at_every_block() {
    for algo in [Algo::Flash1, Algo::Flash2] {
        let row = Row::new(100, 1024, 64, 200, false, algo).expect("a short row");
        assert_eq!(row.blocks.len(), 6);
        for block in &row.blocks {
            let [before, after] = block.sum;
            assert!((before * block.factor + block.added - after).abs() <= 1e-4 * after, "{block:?}");
            assert_eq!(block.factor, (block.max[0] - block.max[1]).exp());
            assert_eq!(block.max[1], block.max[0].max(block.block_max));
        }
        assert_eq!(row.blocks[0].factor, 0.0);
        assert!(row.blocks.iter().skip(1).any(|b| b.factor < 1.0), "the watched row's maximum grows on the way");
    }
}

fn run(query: &str) -> Run {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    Run::new(&params)
}

#[test]
fn blocks_follow_the_papers_rule_and_auto_says_so() {
    let params = Params::read(&Query::parse("block_q=auto&block_k=AUTO")).0;
    assert_eq!(params.paper_blocks(), [64, 200]);
    assert_eq!((params.query().get("block_q"), params.block_k), (Some("0"), 0));
    assert_eq!((params.sizes().rows, params.sizes().columns), (64, 200));
    let set = run("block_q=128&block_k=64&seq=100");
    assert_eq!((set.plan.sizes.rows, set.plan.sizes.columns), (100, 64));
}

#[test]
fn a_causal_mask_leaves_out_what_lies_above_the_diagonal() {
    for algo in ["flash1", "flash2"] {
        let whole = run(&format!("seq=1024&block_q=64&block_k=64&algo={algo}"));
        let masked = run(&format!("seq=1024&block_q=64&block_k=64&algo={algo}&causal=true"));
        assert_eq!((whole.tiles(), masked.tiles()), (256, 136));
        assert_eq!(masked.whole.flops * 256, whole.whole.flops * 136);
    }
    let standard = run("algo=standard&causal=true&block_q=64&block_k=64");
    assert_eq!(standard.tiles(), 256, "standard attention computes what it masks");
}

#[test]
fn the_second_version_rescales_less_and_keeps_one_number_a_row() {
    let [one, two] = ["flash1", "flash2"].map(|algo| run(&format!("algo={algo}")));
    assert_eq!(one.whole.flops, two.whole.flops);
    assert_eq!(one.whole.rescales, 3 * 6 * 1024 * 64);
    assert_eq!(two.whole.rescales, 7 * 1024 * 64);
    let kept = |run: &Run| run.params.quantities(run).iter().find(|q| q.id == "kept-flash").map(|q| q.value);
    assert_eq!((kept(&one), kept(&two)), (Some(16.0 * 8192.0), Some(16.0 * 4096.0)));
}

#[test]
fn the_backward_pass_computes_the_scores_again() {
    let forward = run("pass=forward&algo=flash2");
    let backward = run("pass=backward&algo=flash2");
    assert_eq!(backward.whole.flops * 2, forward.whole.flops * 5, "five products instead of two");
    assert_eq!(run("pass=backward&algo=standard").whole.flops, 2 * forward.whole.flops, "four of standard attention");
}

#[test]
fn sentences_say_what_moves() {
    let run = run("seq=1024&head_dim=64");
    assert_eq!(
        run.step_finding(2),
        "Step 2 of 96: Q₂, O₂, m₂ and ℓ₂ (16,896\u{a0}B) come in; the chip scores the tile, takes it into the softmax of its \
         rows and forgets it (64 × 200); O₂, m₂ and ℓ₂ (8,704\u{a0}B) go to HBM."
    );
    assert!(run.step_finding(0).starts_with("Before the first of 96 steps"));
    assert!(run.end_finding(100).contains("Row 100 of O"), "{}", run.end_finding(100));
    assert_eq!(run.fit(), "");
}

#[test]
fn tiles_that_do_not_fit_are_named() {
    assert!(run("block_q=256&block_k=256&head_dim=128").fit().contains("would not start"));
    assert!(run("head_dim=128").fit().contains("registers"));
}
