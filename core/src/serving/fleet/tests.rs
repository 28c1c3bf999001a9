//! What must hold of every run, and what follows from the policies on paper. The router's rules are compared in `core/tests/serving`.

use proptest::prelude::*;

use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

fn outcome(query: &str) -> Outcome {
    params(query).evaluate().unwrap_or_else(|why| panic!("{query}: {why}"))
}

/// Every turn is answered once, in order, with no more found than its prompt has, and all time is that of steps.
fn holds(p: &Params, o: &Outcome) {
    let run = &o.run;
    assert_eq!(run.asked.len() as u64, p.sessions * p.turns);
    assert_eq!(run.answered, p.sessions * p.turns);
    for session in 0..p.sessions as usize {
        let turns: Vec<&Asked> = run.asked.iter().filter(|a| a.session == session).collect();
        assert!(turns.iter().enumerate().all(|(i, a)| a.turn == i));
        for pair in turns.windows(2) {
            assert!(pair[1].request.arrival >= pair[0].end.expect("it has ended"));
        }
    }
    for a in &run.asked {
        let (first, end) = (a.first.expect("it has begun"), a.end.expect("it has ended"));
        assert!(a.request.arrival < first && first <= end && end <= run.end, "{a:?}");
        assert!(a.hit.expect("it was placed") < a.request.prompt, "{a:?}");
        assert!(a.retries <= 1 && (a.retries == 0 || p.dies > 0.0), "{a:?}");
        assert!(p.pool(0).contains(&a.prefilled), "{a:?}");
        assert!(a.request.output == 1 || p.pool(1).contains(&a.decoded), "{a:?}");
    }
    // What wasn't found was computed, and what was lost or preempted more than once.
    let computed = run.prompts() - run.hits();
    assert!(run.prefilled as f64 >= computed, "{} {computed}", run.prefilled);
    if run.retried() == 0.0 && run.preempted == 0 {
        assert_eq!(run.prefilled as f64, computed);
    }
    assert_eq!(run.busy.len() as u64, p.replicas);
    assert!(run.busy.iter().all(|busy| *busy <= run.end * (1.0 + 1e-9)));
    if run.retried() == 0.0 {
        assert!(run.hit_rate() <= o.reusable);
    }
    assert!((1.0 - 1e-9..=p.replicas as f64).contains(&p.imbalance(run)));
    for lane in &run.lanes {
        assert!(lane.windows(2).all(|pair| pair[0].to <= pair[1].from + 1e-6));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_is_answered_once_whatever_dies(
        (policy, load, replicas, prefill) in (0_usize..3, 0_usize..2, 1_u64..6, 0_u64..5),
        (sessions, turns, output, shared) in (1_u64..12, 1_u64..5, 1_u64..40, 0_u64..1500),
        (dies, down, detect) in (0.0..12.0_f64, 0.0..8.0_f64, 0.0..4.0_f64),
        (bound, think, seed) in (0.0..3.0_f64, 0.0..3.0_f64, 0_u64..1000),
    ) {
        let p = Params {
            policy: Policy::ALL[policy], load: Load::ALL[load], replicas, prefill: prefill.min(replicas - 1),
            sessions, turns, output, shared, dies, down, detect, bound, think, seed, ..params("prompt=700&rate=4")
        };
        let o = p.evaluate().expect("it can be simulated");
        holds(&p, &o);
        prop_assert_eq!(&o, &p.evaluate().expect("it can be simulated"));
    }
}

#[test]
fn small_caches_drop_prefixes_and_preempt_but_answer_everything() {
    // bf16 weights leave one GPU little: a few thousand tokens.
    let query = "policy=prefix&model=llama-3-8b&gpu=rtx-4090&activations=2.5&prompt=512&output=64&sessions=20&turns=4&seqs=16&dies=10";
    for rest in ["", "&prefill=2", "&policy=round-robin"] {
        let (p, o) = (params(&format!("{query}{rest}")), outcome(&format!("{query}{rest}")));
        holds(&p, &o);
        let large = outcome(&format!("{query}{rest}&activations=0"));
        assert!(o.fit < large.fit && o.run.hits() <= large.run.hits(), "{rest}");
    }
}

#[test]
fn a_session_that_stays_finds_everything_in_whole_blocks() {
    let query = "policy=prefix&bound=0&replicas=3&lengths=equal&prompt=640&output=64&shared=0&turns=4&sessions=6&dies=0&block=64";
    let o = outcome(query);
    for a in &o.run.asked {
        // The last token of an answer is in no cache: nothing was computed from it.
        let before = a.turn as u64 * 704;
        assert_eq!(a.hit, Some(before.saturating_sub(1) / 64 * 64), "{a:?}");
    }
    // One after another over replicas, a session with as many turns as replicas finds nothing of its own.
    let lone = outcome(&format!("{query}&policy=round-robin&sessions=1&turns=3"));
    assert_eq!(lone.run.hits(), 0.0);
    assert_eq!(lone.run.asked.iter().map(|a| a.prefilled).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn without_a_bound_the_shared_prefix_gathers_all_sessions_at_one_replica() {
    let query = "policy=prefix&bound=0&dies=0&replicas=4";
    let quiet = format!("{query}&sessions=20&turns=2&rate=0.5");
    assert_eq!(params(&quiet).imbalance(&outcome(&quiet).run), 4.0);
    let bounded = format!("{query}&bound=2");
    let [free, bounded] = [query, &bounded].map(|query| params(query).imbalance(&outcome(query).run));
    assert!(free > 1.5 * bounded && bounded < 2.0, "{free} {bounded}");
}

#[test]
fn a_cache_takes_its_bytes_over_the_link_and_one_waits_for_the_other() {
    let query = "prefill=1&replicas=2&lengths=equal&prompt=4096&shared=0&turns=1&dies=0&net=ndr";
    let p = params(&format!("{query}&sessions=1"));
    let engine = p.engine().expect("it fits");
    let alone = engine.transfer(4096, p.net.bandwidth);
    let one = outcome(&format!("{query}&sessions=1"));
    assert_eq!(one.run.transfers.len(), 1);
    assert!((one.run.transfers[0] - alone - p.net.latency).abs() < 1e-9);
    assert!(one.run.asked[0].decoded == 1 && one.run.asked[0].prefilled == 0);
    // Two prompts in one step are sent one after the other.
    let two = outcome(&format!("{query}&sessions=2&rate=1000&prompt=256&tokens=8192&seed=3"));
    assert_eq!(two.run.transfers.len(), 2);
}

#[test]
fn a_death_loses_what_is_under_way_and_costs_time() {
    let query =
        "policy=least-loaded&replicas=2&sessions=8&turns=1&rate=1000&prompt=2048&output=400&lengths=equal&think=0";
    let p = params(&format!("{query}&dies=2&down=5&detect=1"));
    let o = p.evaluate().expect("it can be simulated");
    holds(&p, &o);
    assert!(o.run.retried() > 0.0 && o.run.lost > 0);
    // Nobody is sent again before the router notices, and the wait is part of the time to first token.
    for a in o.run.asked.iter().filter(|a| a.retries > 0) {
        assert!(a.first.expect("it has begun") >= 3.0 && a.prefilled == 0, "{a:?}");
    }
    assert!(o.run.first(0.99) > 3.0 && o.calm.expect("it dies") < 3.0);
    assert!(o.run.lanes[1].iter().any(|piece| piece.what == What::Down));
    // The only replica: all wait until it is back.
    let alone = outcome(&format!("{query}&replicas=1&dies=2&down=5&detect=1"));
    assert!(alone.run.asked.iter().all(|a| a.first.expect("it has begun") >= 7.0));
    // After everything has ended a death changes nothing.
    let (late, never) = (outcome(&format!("{query}&dies=3600")), outcome(&format!("{query}&dies=0")));
    assert_eq!(late.run, never.run);
}

#[test]
fn corners_end_in_an_answer_or_a_sentence() {
    let ends = |name: &str, values: [&str; 2]| values.map(|value| format!("{name}={value}"));
    let corners = [
        ends("sessions", ["1", "200"]),
        ends("turns", ["1", "16"]),
        ends("rate", ["0.01", "1000"]),
        ends("prompt", ["1", "32768"]),
        ends("output", ["1", "2048"]),
        ends("shared", ["0", "16384"]),
        ends("replicas", ["1", "16"]),
        ends("seqs", ["1", "256"]),
        ends("tokens", ["1", "131072"]),
        ends("block", ["16", "256"]),
    ];
    let mut answered = 0;
    for corner in 0_u32..1 << corners.len() {
        // Every seventh corner, with each policy in turn: all of them take minutes without optimization.
        if corner % 7 != 0 {
            continue;
        }
        let pick = |(i, pair): (usize, &[String; 2])| pair[(corner >> i & 1) as usize].clone();
        let query: Vec<String> = corners.iter().enumerate().map(pick).collect();
        let policy = Policy::LIST.ids[corner as usize % 3];
        let query = format!("{}&policy={policy}&prefill={}", query.join("&"), corner >> 6 & 1);
        match params(&query).evaluate() {
            Ok(o) => {
                holds(&params(&query), &o);
                answered += 1;
            }
            Err(why) => assert!(why.ends_with('.'), "{query}: {why}"),
        }
    }
    assert!(answered > 20, "{answered}");
}

#[test]
fn findings_say_what_came_of_it() {
    let finding = |query: &str| {
        let p = params(query);
        p.finding(&p.evaluate().expect("it can be simulated"))
    };
    assert!(finding("policy=round-robin&dies=0").contains("doesn’t know which replica"));
    assert!(finding("policy=prefix&bound=0&dies=0").contains("The busiest replica works"));
    assert!(finding("prefill=2&dies=0").contains("from the prefill pool to the decode pool"));
    assert!(finding("dies=20").contains("without the failure"));
    let none = params("replicas=2&prefill=2").evaluate().expect_err("nobody decodes");
    assert!(none.starts_with("2 of 2 replicas can’t be in the prefill pool"), "{none}");
}
