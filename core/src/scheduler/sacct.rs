//! Jobs from what `sacct` prints: a line that names the columns, then a line for each job. Columns end at a `|` (`--parsable2`), or are as
//! wide as the dashes of the second line.

use std::ops::Range;

use super::jobs::{Job, Listed};
use crate::query::shorten;
use crate::slurm::time;

/// The columns that are needed, and by what other names they come.
const NEEDED: [(&str, &[&str]); 4] =
    [("Submit", &[]), ("Timelimit", &[]), ("Elapsed", &[]), ("NNodes", &["AllocNodes", "ReqNodes"])];

/// Whether a text is a table whose second line is dashes, as wide as its columns.
pub(super) fn is_table(text: &str) -> bool {
    !widths(text).is_empty()
}

/// Where the columns of such a table begin and end, in bytes of its lines; none of any other.
fn widths(text: &str) -> Vec<Range<usize>> {
    let second = text.lines().filter(|line| !line.trim().is_empty()).nth(1).unwrap_or_default();
    if !second.contains("---") || !second.bytes().all(|b| matches!(b, b'-' | b' ')) {
        return Vec::new();
    }
    let mut from = 0;
    let columns = second.split(' ').map(|dashes| {
        let range = from..from + dashes.len();
        from = range.end + 1;
        range
    });
    columns.filter(|range| !range.is_empty()).collect()
}

/// Reads the lines.
pub(super) fn read(text: &str) -> Listed {
    let mut listed = Listed::default();
    let widths = widths(text);
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim().is_empty());
    let Some((first, head)) = lines.next() else { return listed };
    let columns: Vec<&str> =
        if widths.is_empty() { head.split('|').map(str::trim).collect() } else { head.split_whitespace().collect() };
    let place = |name: &str, others: &[&str]| {
        columns.iter().position(|c| c.eq_ignore_ascii_case(name) || others.iter().any(|o| c.eq_ignore_ascii_case(o)))
    };
    let missing: Vec<&str> =
        NEEDED.iter().filter(|(name, others)| place(name, others).is_none()).map(|(n, _)| *n).collect();
    if !missing.is_empty() {
        listed.wrong(
            first,
            format!(
                "The first line must name the columns, with {} among them: sacct -P -X -o \
                 JobID,User,Submit,Timelimit,Elapsed,NNodes,ReqTRES,Priority.",
                missing.join(", ")
            ),
        );
        return listed;
    }
    let mut jobs: Vec<(usize, Job)> = Vec::new();
    for (line, row) in lines.skip(usize::from(!widths.is_empty())) {
        let cells: Vec<&str> = if widths.is_empty() {
            row.split('|').map(str::trim).collect()
        } else {
            let cell = |range: &Range<usize>| row.get(range.start..range.end.min(row.len()));
            widths.iter().map(|range| cell(range).unwrap_or_default().trim()).collect()
        };
        let row = Row { columns: &columns, cells: &cells };
        // Steps of a job, as 123.batch and 123.0, are within it.
        if row.cell(&["JobID", "JobIDRaw"]).contains('.') {
            continue;
        }
        match row.job(line) {
            Ok(job) => jobs.push((line, job)),
            Err(why) => listed.wrong(line, why),
        }
    }
    let origin = jobs.iter().map(|(_, job)| job.submit).min().unwrap_or(0);
    for (line, job) in jobs {
        listed.job(line, Job { submit: job.submit.saturating_sub(origin), ..job });
    }
    listed
}

/// A line, and what its columns are called.
struct Row<'a> {
    columns: &'a [&'a str],
    cells: &'a [&'a str],
}

impl<'a> Row<'a> {
    /// What stands under the first of these names that is a column; empty if none is.
    fn cell(&self, names: &[&str]) -> &'a str {
        let place = |name: &&str| self.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        names.iter().find_map(place).and_then(|i| self.cells.get(i)).copied().unwrap_or_default()
    }

    fn job(&self, line: usize) -> Result<Job, String> {
        let text = |names: &[&str], other: String| {
            Some(self.cell(names)).filter(|t| !t.is_empty()).map_or(other, str::to_owned)
        };
        let submit = self.cell(&["Submit"]);
        let submit = time::moment(submit).ok_or_else(|| {
            format!("Submit must be a moment such as 2026-11-22T10:00:00, not “{}”.", shorten(submit))
        })?;
        let limit = self.cell(&["Timelimit"]);
        let requested = time::limit(limit).filter(|seconds| *seconds > 0).ok_or_else(|| {
            format!("Timelimit must be a time such as 1-00:00:00, not “{}”: a scheduler plans with it.", shorten(limit))
        })?;
        let elapsed = self.cell(&["Elapsed"]);
        let real = time::elapsed(elapsed)
            .ok_or_else(|| format!("Elapsed must be a time such as 03:25:10, not “{}”.", shorten(elapsed)))?;
        let nodes = self.cell(&["NNodes", "AllocNodes", "ReqNodes"]);
        let nodes =
            nodes.parse::<u32>().ok().filter(|n| (1..=100_000).contains(n)).ok_or_else(|| {
                format!("The number of nodes must be a whole number from 1, not “{}”.", shorten(nodes))
            })?;
        let gpus = gpus(self.cell(&["AllocTRES", "ReqTRES", "AllocGRES", "ReqGRES"]))?;
        Ok(Job {
            name: text(&["JobName", "JobID", "JobIDRaw"], format!("line {line}")),
            user: text(&["User", "Account"], "somebody".to_owned()),
            submit,
            nodes,
            gpus: gpus.map_or(0, |all| all.div_ceil(nodes)),
            requested,
            // What ran over its limit, as OverTimeLimit allows, is planned with the limit alone.
            real: real.min(requested),
            class: 0,
        })
    }
}

/// GPUs in all of `billing=64,gres/gpu=16,gres/gpu:h100=16,node=2`; none where nothing is said, which stands for whole nodes.
fn gpus(tres: &str) -> Result<Option<u32>, String> {
    if tres.is_empty() {
        return Ok(None);
    }
    let parts = || tres.split(',').map(str::trim);
    let total = parts().find_map(|part| part.strip_prefix("gres/gpu="));
    let typed = parts().find(|part| part.starts_with("gres/gpu:")).and_then(|part| part.split('=').nth(1));
    if tres.ends_with('+') {
        return Err(format!("“{}” is cut off at the width of its column: sacct -P prints it whole.", shorten(tres)));
    }
    let Some(text) = total.or(typed) else {
        return Err("No GPUs: gres/gpu is not among its TRES. Jobs without GPUs are left out.".to_owned());
    };
    match text.parse::<u32>() {
        Ok(n) if (1..=1_000_000).contains(&n) => Ok(Some(n)),
        _ => Err(format!("gres/gpu must be a whole number from 1, not “{}”.", shorten(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "JobID|User|Submit|Timelimit|Elapsed|NNodes|ReqTRES";

    #[test]
    fn lines_become_jobs_and_steps_are_passed_over() {
        let text = format!(
            "{HEAD}\n71|ann|2026-11-22T10:00:00|04:00:00|03:10:00|2|billing=64,gres/gpu=16,node=2\n\
             71.batch||2026-11-22T10:00:00||03:10:00|1|\n72|bob|2026-11-22T10:05:30|1-00:00:00|00:00:09|1|gres/gpu:h100=4"
        );
        let listed = read(&text);
        assert_eq!(listed.wrong, []);
        let [(2, first), (4, second)] = listed.jobs.as_slice() else { panic!("{listed:?}") };
        assert_eq!((first.nodes, first.gpus, first.requested, first.real, first.submit), (2, 8, 14_400, 11_400, 0));
        assert_eq!((second.gpus, second.submit, second.user.as_str()), (4, 330, "bob"));
    }

    #[test]
    fn columns_as_wide_as_their_dashes_are_read() {
        let text = "JobID                     Submit  Timelimit    Elapsed   NNodes              ReqTRES \n\
                    ------------ ------------------- ---------- ---------- -------- -------------------- \n\
                    71           2026-11-22T10:00:00   04:00:00   03:10:00        2         gres/gpu=16 \n\
                    71.batch     2026-11-22T10:00:00              03:10:00        1                     \n\
                    72           2026-11-22T10:05:30 1-00:00:00   00:00:09        1 billing=64,gres/gpu+";
        let listed = read(text);
        assert!(is_table(text) && !is_table("a\nb") && !is_table("a | b\n-- |\n"));
        let [(3, job)] = listed.jobs.as_slice() else { panic!("{listed:?}") };
        assert_eq!((job.nodes, job.gpus, job.requested, job.real), (2, 8, 14_400, 11_400));
        assert!(
            matches!(listed.wrong.as_slice(), [wrong] if wrong.line == 5 && wrong.why.contains("cut off")),
            "{listed:?}"
        );
    }

    #[test]
    fn what_is_wrong_stands_beside_its_line() {
        let text = format!(
            "{HEAD}\n71|ann|Unknown|04:00:00|0:1:0|2|gres/gpu=16\n72|ann|2026-11-22T10:00:00|UNLIMITED|0:1:0|2|cpu=4"
        );
        let listed = read(&text);
        assert_eq!(listed.wrong.iter().map(|w| w.line).collect::<Vec<_>>(), [2, 3]);
        assert!(listed.wrong[1].why.starts_with("Timelimit must be"), "{listed:?}");
        let headless = read("71|ann|2026-11-22T10:00:00|04:00:00");
        assert_eq!(headless.wrong[0].line, 1);
        assert!(headless.wrong[0].why.contains("sacct -P"), "{headless:?}");
    }
}
