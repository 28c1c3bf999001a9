//! The queue at a step, every job with what became of it, and jobs of one's own.

use leptos::prelude::*;
use ringside_core::scheduler::{Campaign, JobList, Params};
use ringside_core::slurm::time::clock;

use super::picture::{COLOURS, users};
use crate::ui::lined::Lined;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

type Shown = Memo<Campaign>;

/// The queue at the step that is shown.
pub(super) fn queue(params: Memo<Params>, campaign: Shown) -> AnyView {
    let chips = move || {
        params.with(|p| {
            campaign.with(|c| {
                let Some(step) = p.shown(c).checked_sub(1).and_then(|i| c.schedule.steps.get(i)) else {
                    return Vec::new();
                };
                let users = users(c);
                let chip = |&j: &usize| {
                    let job = c.jobs.get(j)?;
                    let colour = users.iter().position(|u| *u == job.user).unwrap_or(0) % COLOURS;
                    let promised = step
                        .promised
                        .iter()
                        .find(|(other, _)| *other == j)
                        .map(|(_, at)| format!(", at {}", clock(*at)));
                    let text = format!("{} {}×{}{}", job.name, job.nodes, job.gpus, promised.unwrap_or_default());
                    Some(view! { <li class=format!("u{colour}")>{text}</li> })
                };
                step.waiting.iter().filter_map(chip).collect()
            })
        })
    };
    let nobody = move || chips().is_empty();
    view! {
        <div class="cluster-queue">
            <span>"Waiting"</span>
            <ol>{chips}</ol>
            <span class="soft" hidden=move || !nobody()>"nobody"</span>
        </div>
    }
    .into_any()
}

/// Who has which colour.
pub(super) fn legend(campaign: Shown) -> AnyView {
    let entries = move || {
        campaign.with(|c| {
            users(c)
                .into_iter()
                .enumerate()
                .map(|(i, user)| {
                    let class = format!("swatch u{}", i % COLOURS);
                    view! { <li><i class=class aria-hidden="true"></i>{user.to_owned()}</li> }
                })
                .collect_view()
        })
    };
    view! {
        <ul class="legend cluster-legend">
            {entries}
            <li><i class="swatch limit" aria-hidden="true"></i>"until its limit"</li>
            <li><i class="swatch holds" aria-hidden="true"></i>"held, not running"</li>
        </ul>
    }
    .into_any()
}

/// Every job and what became of it. A name looks at the job.
pub(super) fn table(state: State<Params>, campaign: Shown) -> AnyView {
    let rows = move || {
        let looked = state.params().with(|p| p.job as usize);
        campaign.with(|c| {
            let row = |(j, (job, outcome)): (usize, (&_, &_))| row(state, looked == j + 1, j, job, outcome);
            c.jobs.iter().zip(&c.schedule.outcomes).enumerate().map(row).collect_view()
        })
    };
    view! {
        <Table
            scroll="Every job"
            class="cluster-jobs"
            caption="Every job; press a name to follow it"
            columns=[
                words("Job"),
                words("user"),
                numbers("nodes × GPUs"),
                numbers("submitted"),
                numbers("limit"),
                numbers("takes"),
                numbers("starts"),
                numbers("waits"),
                words("note"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}

fn row(
    state: State<Params>,
    looked: bool,
    j: usize,
    job: &ringside_core::scheduler::jobs::Job,
    outcome: &ringside_core::scheduler::result::Outcome,
) -> AnyView {
    let look = move |_| {
        state.update(|p| {
            let number = j as u64 + 1;
            p.job = if p.job == number { 0 } else { number };
        });
    };
    let never = || "never".to_owned();
    let mut remarks = Vec::new();
    if outcome.backfilled {
        remarks.push("overtakes".to_owned());
    }
    if outcome.preempted > 0 {
        remarks.push(format!("stopped {}×", outcome.preempted));
    }
    if job.class > 0 {
        remarks.push(format!("class {}", job.class));
    }
    view! {
        <tr class:here=looked>
            <th scope="row">
                <button type="button" class="quiet" aria-pressed=looked.to_string() on:click=look>{job.name.clone()}</button>
            </th>
            <td>{job.user.clone()}</td>
            <td class="number">{format!("{} × {}", job.nodes, job.gpus)}</td>
            <td class="number">{clock(job.submit)}</td>
            <td class="number">{clock(job.requested)}</td>
            <td class="number">{clock(job.real)}</td>
            <td class="number">{outcome.start.map_or_else(never, clock)}</td>
            <td class="number">{outcome.first_start.map_or_else(never, |start| clock(start.saturating_sub(job.submit)))}</td>
            <td>{remarks.join(", ")}</td>
        </tr>
    }
    .into_any()
}

/// Jobs of one's own, typed or pasted.
pub(super) fn own(state: State<Params>, campaign: Shown) -> AnyView {
    let text = Signal::derive(move || state.params().with(|p| p.jobs.0.clone()));
    let set = move |text: String| {
        state.update(|p| {
            p.jobs = JobList(text.trim().to_owned());
            p.job = 0;
            p.step = ringside_core::scheduler::ALL_STEPS;
        });
    };
    let remarks = Memo::new(move |_| {
        let own = state.params().with(|p| !p.jobs.0.is_empty());
        campaign.with(|c| if own { c.wrong.iter().map(|w| (w.line, w.why.clone())).collect() } else { Vec::new() })
    });
    let show = move |list: &'static str| set(list.to_owned());
    view! {
        <details class="fold cluster-own" open=move || state.params().with(|p| !p.jobs.0.is_empty())>
            <summary>"Your own jobs"</summary>
            <Lined
                label="Headers of sbatch scripts, lines of sacct -P, or a line for each job: name user submitted nodes×GPUs limit takes class"
                text
                set
                remarks
            />
            <div class="cluster-examples">
                <button type="button" class="quiet" on:click=move |_| show(SHORT)>"A short list"</button>
                <button type="button" class="quiet" on:click=move |_| show(SBATCH)>"sbatch headers"</button>
                <button type="button" class="quiet" on:click=move |_| show(SACCT)>"sacct lines"</button>
                <button type="button" class="quiet" on:click=move |_| show("")>"Clear"</button>
            </div>
        </details>
    }
    .into_any()
}

const SHORT: &str = "big ann 0 6x8 4h 3h\nwide bob 10m 8x8 2h\nsmall cat 20m 1x4 1h 20m";
const SBATCH: &str = "#!/bin/bash\n#SBATCH --job-name=pretrain --account=ann\n#SBATCH --nodes=6 --gpus-per-node=8\n#SBATCH \
                      --time=4:00:00\n\n#!/bin/bash\n#SBATCH -J wide -A bob\n#SBATCH -N 8 --exclusive -t 2:00:00\n\n#!/bin/bash\n#SBATCH -J \
                      eval -A cat --gres=gpu:h100:4\n#SBATCH --time=45";
const SACCT: &str = "JobID|JobName|User|Submit|Timelimit|Elapsed|NNodes|ReqTRES\n4711|pretrain|ann|2026-11-22T08:00:00|04:00:00|03:12:44|6|billing=48,gres/gpu=48,node=6\n4712|wide|bob|2026-11-22T08:10:00|02:00:00|01:40:02|8|billing=64,gres/gpu=64,node=8\n4713|eval|cat|2026-11-22T08:20:00|00:45:00|00:09:30|1|billing=4,gres/gpu=4,node=1";
