//! Schedules and scores of nodes against other people's: PYSS, AccaSim, kube-scheduler.

use proptest::prelude::*;
use ringside_core::scheduler::jobs::{Job, JobList};
use ringside_core::scheduler::kube::{Resource, Strategy as Prefers, score};
use ringside_core::scheduler::place::{Cluster, Rules};
use ringside_core::scheduler::{Order, Placement, Policy, Setup, simulate};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "cluster-scheduler";

/// What the file calls a policy, and ours.
const POLICIES: [(&str, Policy); 8] = [
    ("fcfs", Policy::Fcfs),
    ("easy_backfill", Policy::Easy),
    ("conservative_backfill", Policy::Conservative),
    ("easy_shortest_requested_first", Policy::EasyShortest),
    ("easy_latest_submitted_first", Policy::EasyLatest),
    ("easy_lookahead_knapsack", Policy::EasyLookahead),
    ("accasim_sjf", Policy::Sjf),
    ("accasim_ljf", Policy::Ljf),
];

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![backfill(), most_allocated()]
}

fn setup(nodes: usize, gpus: u32, policy: Policy) -> Setup {
    Setup {
        cluster: Cluster { nodes, gpus, block: 4 },
        rules: Rules { placement: Placement::Pack, within: false },
        policy,
        order: Order::Submitted,
        gang: true,
        preempt: false,
        checkpoint: 0,
    }
}

fn jobs(inputs: &Value, gpus: u32) -> Vec<Job> {
    let list = inputs["jobs"].as_array().expect("jobs");
    let job = |j: &Value| Job {
        name: int(j, "id").to_string(),
        user: "somebody".into(),
        submit: int(j, "submit"),
        nodes: int(j, "nodes") as u32,
        gpus,
        requested: int(j, "requested"),
        real: int(j, "real"),
        class: 0,
    };
    list.iter().map(job).collect()
}

/// The start of every job, the makespan and the mean wait, of each list under each policy; whole nodes of one GPU and of eight.
fn backfill() -> Check {
    let file = "oracles/backfill_schedules.json";
    let mut check = Check::new(MODEL, file, "start of every job under eight policies, makespan, mean wait", 1e-12);
    for case in cases(&json(file)) {
        let inputs = &case["inputs"];
        for (name, policy) in POLICIES {
            for gpus in [1, 8] {
                let jobs = jobs(inputs, gpus);
                let theirs = &case["outputs"][name];
                let schedule = simulate(setup(int(inputs, "total_nodes") as usize, gpus, policy), &jobs);
                let at = format!("{}: {name}, {gpus} GPUs", inputs["name"]);
                let starts: Vec<u64> = schedule.outcomes.iter().filter_map(|o| o.start).collect();
                let expected: Vec<u64> =
                    theirs["start"].as_array().expect("starts").iter().filter_map(Value::as_u64).collect();
                assert_eq!(starts, expected, "{at}");
                // Theirs is counted from 0, whenever the first job comes.
                check.close(&at, schedule.end() as f64, real(theirs, "makespan"));
                check.close(&at, schedule.mean_wait(&jobs), real(theirs, "mean_wait"));
            }
            check.case();
        }
    }
    check
}

/// The upstream table of MostAllocated.
fn most_allocated() -> Check {
    let file = "oracles/kube_scheduler_most_allocated.json";
    let mut check = Check::new(MODEL, file, "MostAllocated: the score of each node", 0.0);
    let oracle = json(file);
    for row in oracle["rows"].as_array().expect("rows") {
        let inputs = &row["inputs"];
        let amount = |value: &Value, name: &str| value[name].as_u64().unwrap_or(0);
        for (node, expected) in row["outputs"]["scores"].as_object().expect("scores") {
            let resource = |(name, weight): (&String, &Value)| Resource {
                allocatable: amount(&inputs["nodes"][node], name),
                used: amount(&inputs["existing"][node], name),
                request: amount(&inputs["pod_request"], name),
                weight: weight.as_u64().unwrap_or(0),
                extended: name != "cpu" && name != "memory",
            };
            let resources: Vec<Resource> =
                inputs["weights"].as_object().expect("weights").iter().map(resource).collect();
            let at = format!("{}: {node}", inputs["name"]);
            check.close(&at, score(Prefers::MostAllocated, &resources) as f64, expected.as_f64().expect("a score"));
        }
        check.case();
    }
    check
}

#[test]
fn schedules_agree_with_two_simulators() {
    assert_eq!(backfill().cases % 8, 0);
}

#[test]
fn scores_agree_with_kubernetes() {
    assert_eq!(most_allocated().cases, 8);
}

fn any_jobs() -> impl Strategy<Value = Vec<Job>> {
    let job = (0_u64..60, 1_u32..=6, 1_u32..=4, 0_u64..40, 0_u64..40, 0_u64..3, 0_usize..3);
    let job = job.prop_map(|(submit, nodes, gpus, more, real, class, user)| Job {
        name: "j".into(),
        user: ["ann", "bob", "cat"][user].into(),
        submit,
        nodes,
        gpus,
        requested: real + more,
        real,
        class,
    });
    proptest::collection::vec(job, 0..14)
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let policy = proptest::sample::select(Policy::ALL.to_vec());
    let placement = proptest::sample::select(Placement::ALL.to_vec());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (policy, placement, flags, 0_u64..20).prop_map(|(policy, placement, (within, fair, gang, preempt), checkpoint)| {
        Setup {
            rules: Rules { placement, within },
            order: if fair { Order::FairShare } else { Order::Submitted },
            gang,
            preempt,
            checkpoint,
            ..setup(6, 4, policy)
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Nobody starts before it is there or runs for another time than its own, no node is given twice, and where jobs come as gangs
    /// all of them end.
    #[test]
    fn every_schedule_is_possible(setup in any_setup(), jobs in any_jobs()) {
        let schedule = simulate(setup, &jobs);
        for (job, outcome) in jobs.iter().zip(&schedule.outcomes) {
            if let (Some(start), Some(end)) = (outcome.start, outcome.end) {
                prop_assert!(outcome.first_start >= Some(job.submit));
                prop_assert!(end - start <= job.real);
                prop_assert!(outcome.preempted > 0 || end - start == job.real);
            } else {
                prop_assert!(!setup.gang && setup.policy == Policy::Kubernetes, "{:?} never ended", job);
            }
        }
        for span in &schedule.spans {
            prop_assert_eq!(span.gpus.len(), jobs[span.job].gpus as usize);
            for other in schedule.spans.iter().filter(|o| o.node == span.node && !std::ptr::eq(*o, span)) {
                let overlap = span.from < other.to.unwrap_or(u64::MAX) && other.from < span.to.unwrap_or(u64::MAX);
                prop_assert!(!overlap || span.gpus.iter().all(|gpu| !other.gpus.contains(gpu)), "{:?} {:?}", span, other);
            }
        }
    }

    /// EASY never delays who is first in the queue beyond what FIFO would promise it at that moment.
    #[test]
    fn backfilling_keeps_the_first_promise(jobs in any_jobs()) {
        let jobs: Vec<Job> = jobs.into_iter().map(|job| Job { gpus: 4, class: 0, ..job }).collect();
        for policy in [Policy::Easy, Policy::EasyShortest, Policy::EasyLatest, Policy::EasyLookahead] {
            let schedule = simulate(setup(6, 4, policy), &jobs);
            for step in &schedule.steps {
                for (job, at) in &step.promised {
                    prop_assert!(schedule.outcomes[*job].start.is_some_and(|start| start <= *at));
                }
            }
        }
    }

    /// Any text is read without a panic, and each line that is no job has a message.
    #[test]
    fn any_list_is_read(text in "([a-z0-9#|:= x.\\-]{0,40}\n?){0,6}", head in 0_usize..4) {
        let heads = ["", "#SBATCH --nodes=2\n#SBATCH ", "JobID|User|Submit|Timelimit|Elapsed|NNodes|ReqTRES\n", "a ann 0 1x8 1h\n"];
        let text = format!("{}{text}", heads[head]);
        let listed = JobList(text.clone()).listed();
        for wrong in &listed.wrong {
            prop_assert!(wrong.line >= 1 && wrong.line <= text.lines().count().max(1));
            prop_assert!(wrong.why.ends_with('.'), "{}", wrong.why);
        }
        for (_, job) in &listed.jobs {
            prop_assert!(job.real <= job.requested && job.nodes >= 1);
        }
    }
}
