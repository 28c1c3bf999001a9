use super::{Kind, Lane, Params, Run, Touch, WORD, Work};
use crate::declare::Model;

fn params(machine: Kind, work: Work) -> Params {
    Params { machine, work, units: 4, lanes: 8, ..Params::standard() }
}

fn run(p: &Params) -> Run {
    p.evaluate().expect("every state is possible")
}

/// On every machine every computation does the operations that it needs, no more and no fewer.
#[test]
fn every_machine_does_what_is_needed() {
    for machine in Kind::ALL {
        for work in Work::ALL {
            for n in [1, 7, 8, 32, 33, 100] {
                let p = Params { n, side: n.min(16), ..params(machine, work) };
                let done: usize = run(&p).steps.iter().map(super::Step::working).sum();
                let needed = work.needed(p.elements());
                // An array has cells for weights, and several edges between the same two vertices are one weight. It adds n numbers to
                // zero, where n − 1 additions would do; lanes add their first to zero too.
                let slack = match work {
                    Work::Graph if machine == Kind::Systolic => needed,
                    Work::Stencil if machine == Kind::Systolic => 2.0,
                    Work::Reduce => 1.0 + if machine == Kind::Systolic { 0.0 } else { 32.0 },
                    _ => 0.0,
                };
                assert!((done as f64 - needed).abs() <= slack, "{machine:?} {work:?} {n}: {done} for {needed}");
            }
        }
    }
}

/// 100 elements on 4 units of 8 lanes: 25 each, four rows of which the last has one.
#[test]
fn a_ragged_tail_leaves_lanes_masked() {
    let whole = run(&Params { n: 96, ..params(Kind::Gpu, Work::Update) });
    assert_eq!((whole.steps.len(), whole.utilisation(), whole.masked()), (3, 1.0, 0.0));
    let ragged = run(&Params { n: 100, ..params(Kind::Gpu, Work::Update) });
    assert_eq!((ragged.steps.len(), ragged.masked()), (4, 28.0));
    assert_eq!(ragged.utilisation(), 100.0 / 128.0);
    assert_eq!(ragged.near(), 100.0 * 3.0 * WORD);
}

/// A warp takes as long as its vertex with most neighbours.
#[test]
fn a_graph_walk_diverges() {
    let walk = run(&params(Kind::Gpu, Work::Graph));
    assert!(walk.utilisation() < 0.5 && walk.masked() > 0.0, "{}", walk.utilisation());
    let single = run(&Params { lanes: 1, ..params(Kind::Gpu, Work::Graph) });
    assert!(single.utilisation() > walk.utilisation());
}

/// Cores and warps wait for their own lanes and for nobody else: with one lane each they take as long as the unit with most edges. 128
/// vertices have 330 edges, of which four units get 90, 81, 87 and 72.
#[test]
fn independent_units_do_not_wait_for_each_other() {
    let walk = |lanes| run(&Params { lanes, n: 128, ..params(Kind::Gpu, Work::Graph) });
    let alone = walk(1);
    assert_eq!((alone.needed, alone.time(), alone.masked()), (330.0, 90.0, 0.0));
    assert!((alone.utilisation() - 330.0 / 360.0).abs() < 1e-12 && (alone.speedup() - 330.0 / 90.0).abs() < 1e-12);
    for (lanes, busy) in [(4, 0.389), (8, 0.240), (32, 0.161)] {
        assert!((walk(lanes).utilisation() - busy).abs() < 5e-4, "{lanes}: {}", walk(lanes).utilisation());
    }
    // Nor does a core with near memory wait at each step for one with far memory.
    let far = run(&Params { lanes: 1, n: 128, touch: Touch::One, remote: 1.01, ..params(Kind::Cpu, Work::Graph) });
    assert_eq!(far.time(), 90.0_f64.max(87.0 * 1.01));
}

/// Jouppi et al. 2017: a product of n rows takes n steps and the way through the array, 2 s − 2 more.
#[test]
fn activations_march_through_the_array() {
    let product = run(&Params { side: 8, ..params(Kind::Systolic, Work::Product) });
    assert_eq!(product.steps.len(), 8 + 8 + 8 - 2);
    assert_eq!(product.utilisation(), 512.0 / (22.0 * 64.0));
    let first = product.steps.first().map(super::Step::working);
    assert_eq!(first, Some(1), "one corner first");
    assert!(run(&params(Kind::Systolic, Work::Update)).utilisation() < 0.02);
}

#[test]
fn memory_of_the_other_socket_takes_longer() {
    let near = run(&params(Kind::Cpu, Work::Update));
    let far = run(&Params { touch: Touch::One, remote: 2.0, ..params(Kind::Cpu, Work::Update) });
    assert_eq!(near.far(), 0.0);
    assert_eq!(far.time(), 2.0 * near.time());
    assert_eq!(far.far() + far.near(), near.near());
    assert_eq!(run(&Params { touch: Touch::One, ..params(Kind::Gpu, Work::Update) }).far(), 0.0);
}

/// A sum over p nodes takes ⌈log₂ p⌉ rounds of messages, a stencil two for each edge, an update none.
#[test]
fn messages_fly_where_nothing_is_shared() {
    let on = |work| run(&params(Kind::Nodes, work));
    assert_eq!(on(Work::Update).messages(), 0.0);
    assert_eq!(on(Work::Stencil).messages(), 6.0);
    assert_eq!(on(Work::Reduce).messages(), 3.0);
    assert_eq!(on(Work::Product).messages(), 3.0 * 4.0);
    assert_eq!(on(Work::Product).sent(), 3.0 * 64.0 * WORD);
    assert!(on(Work::Graph).messages() > 0.0);
    let rounds = on(Work::Reduce).steps.iter().filter(|step| !step.messages.is_empty()).count();
    assert_eq!(rounds, 2);
    let slow = run(&Params { latency: 1000.0, ..params(Kind::Nodes, Work::Reduce) });
    assert!(slow.time() > 2000.0 && slow.speedup() < 1.0, "slower than one lane");
}

#[test]
fn a_step_has_a_lane_for_each() {
    for machine in Kind::ALL {
        for work in Work::ALL {
            let run = run(&params(machine, work));
            assert!(run.steps.iter().all(|step| step.lanes.len() == run.units * run.lanes));
            assert!(run.steps.iter().any(|step| step.lanes.iter().any(|lane| matches!(lane, Lane::Works(_)))));
        }
    }
    assert!(params(Kind::Gpu, Work::Graph).finding(&run(&params(Kind::Gpu, Work::Graph))).contains("no part"));
    assert!(params(Kind::Nodes, Work::Reduce).finding(&run(&params(Kind::Nodes, Work::Reduce))).contains("messages"));
}

/// Work over span bounds every speed-up of a machine that does no more than is needed.
#[test]
fn no_machine_is_faster_than_work_over_span() {
    for machine in [Kind::Cpu, Kind::Gpu, Kind::Nodes] {
        for work in Work::ALL {
            let p = Params { units: 16, lanes: 32, ..params(machine, work) };
            let run = run(&p);
            let bound = run.needed / work.span(p.elements());
            assert!(run.speedup() <= bound + 1e-9, "{machine:?} {work:?}: {} of {bound}", run.speedup());
        }
    }
}
