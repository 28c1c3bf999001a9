use super::jobs::JobList;
use super::place::Placement;
use super::result::Event;
use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn of(query: &str) -> (Params, Campaign) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    let campaign = params.campaign();
    (params, campaign)
}

fn value(query: &str, id: &str) -> f64 {
    let result = (Params::ENTRY.evaluate)(&Query::parse(query));
    result.get(id).unwrap_or_else(|| panic!("{id} of {query}"))
}

#[test]
fn nothing_is_ever_given_twice_and_every_job_has_what_it_asked_for() {
    for policy in Policy::ALL {
        for trace in Trace::ALL {
            for placement in Placement::ALL {
                let query = format!(
                    "policy={}&trace={}&placement={}&preempt=true&checkpoint=30",
                    policy.id(),
                    trace.id(),
                    placement.id()
                );
                let (params, c) = of(&query);
                assert_eq!((c.wrong.len(), c.schedule.stuck()), (0, 0), "{query}");
                for step in &c.schedule.steps {
                    for (j, job) in c.jobs.iter().enumerate() {
                        let has = step.cells.iter().flatten().filter(|cell| **cell == Some(j)).count() as u64;
                        assert!(has == 0 || has == job.all_gpus(), "{query}: {} has {has} GPUs", job.name);
                        assert!(has == 0 || !step.waiting.contains(&j), "{query}: {} waits and runs", job.name);
                    }
                }
                for (job, outcome) in c.jobs.iter().zip(&c.schedule.outcomes) {
                    assert!(outcome.first_start >= Some(job.submit), "{query}: {}", job.name);
                }
                let used = c.schedule.utilisation(&c.jobs, params.cluster());
                assert!((0.0..=1.0).contains(&used), "{query}: {used}");
            }
        }
    }
}

#[test]
fn spreading_leaves_no_node_whole_and_packing_does() {
    let spread = "trace=notebooks&policy=kubernetes&placement=spread&step=9";
    let packed = "trace=notebooks&policy=kubernetes&placement=pack&step=9";
    assert_eq!((value(spread, "free-gpus"), value(spread, "free-nodes"), value(spread, "waiting")), (48.0, 0.0, 1.0));
    assert_eq!((value(packed, "free-nodes"), value(packed, "waiting")), (4.0, 0.0));
    assert!(value(spread, "fragmented") > 0.2 && value(packed, "fragmented") == 0.0);
}

#[test]
fn without_gangs_two_jobs_wait_for_each_other_for_ever() {
    assert_eq!(value("trace=gangs&policy=kubernetes&gang=false", "stuck"), 2.0);
    assert_eq!(value("trace=gangs&policy=kubernetes&gang=true", "stuck"), 0.0);
    let (params, c) = of("trace=gangs&policy=kubernetes&gang=false");
    assert!(params.finding(&c).starts_with("2 of 3 jobs never start"), "{}", params.finding(&c));
}

#[test]
fn an_urgent_job_takes_what_it_needs_and_checkpoints_save_the_rest() {
    let wait = |preempt: &str| value(&format!("trace=urgent&job=4&preempt={preempt}"), "job-wait");
    assert!(wait("false") > 3600.0 && wait("true") == 0.0);
    let lost = |checkpoint: &str| value(&format!("trace=urgent&preempt=true&checkpoint={checkpoint}"), "lost");
    assert!(lost("0") > lost("60") && lost("60") > lost("1"), "{} {} {}", lost("0"), lost("60"), lost("1"));
}

#[test]
fn fair_share_lets_others_go_before_who_had_much() {
    let wait = |order: &str| value(&format!("trace=greedy&order={order}&job=7"), "job-wait");
    assert!(wait("fair-share") < wait("submitted"));
}

#[test]
fn easy_protects_the_first_and_conservative_all() {
    let wait = |policy: &str, job: u32| value(&format!("trace=third&policy={policy}&job={job}"), "job-wait");
    assert_eq!((wait("easy", 4), wait("conservative", 4)), (0.0, 8.5 * 3600.0));
    assert!(wait("easy", 3) > wait("conservative", 3) && wait("easy", 2) == wait("conservative", 2));
}

#[test]
fn a_job_that_must_lie_in_a_block_waits_for_one() {
    let query = |within: &str| format!("trace=blocks&placement=first&within={within}&job=9");
    assert_eq!(value(&query("false"), "job-wait"), 0.0);
    assert!(value(&query("true"), "job-wait") > 0.0);
}

#[test]
fn what_cannot_run_here_is_refused_and_the_rest_runs() {
    let (_, c) = of("nodes=4");
    assert!(c.wrong.iter().all(|w| w.why.contains("Requested node configuration is not available")));
    assert_eq!((c.jobs.len(), c.wrong.len()), (4, 2));
    let own = JobList("a ann 0 1x8 1h\nb ann 0 1x9 1h\nc ann soon 1x8 1h".into());
    let c = Params { jobs: own, ..Params::standard() }.campaign();
    assert_eq!(c.wrong.iter().map(|w| w.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(c.jobs.len(), 1);
}

#[test]
fn each_step_says_what_happened() {
    let (params, c) = of("policy=easy&step=3");
    assert_eq!(c.schedule.steps[2].events, [Event::Submitted(2), Event::Started(2, true)]);
    let caption = params.caption(&c);
    assert!(
        caption.starts_with("20:00: eval (2×8 GPUs, 1:30:00) is submitted; eval starts, ahead of its turn."),
        "{caption}"
    );
    assert!(
        caption.contains(
            "First in the queue is ablation: 0 GPUs are free, it needs 64. It starts at 4:00:00 at the latest."
        ),
        "{caption}"
    );
}
