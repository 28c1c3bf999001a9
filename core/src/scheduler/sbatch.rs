//! Jobs from the headers of `sbatch` scripts, one after another. A script does not say how long it runs: its limit stands for that.

use super::jobs::{Job, Listed};
use crate::slurm::{Options, Program, split_option};

/// Seconds between one script and the next.
const APART: u64 = 60;

/// A script that is being read.
struct Script {
    line: usize,
    options: Options,
    wrong: bool,
}

/// Reads the headers. A script begins with `#!`, or with another job name.
pub(super) fn read(text: &str) -> Listed {
    let mut listed = Listed::default();
    let mut script: Option<Script> = None;
    let mut scripts = 0;
    for (line, content) in text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())) {
        if content.starts_with("#!") {
            finish(script.take(), &mut scripts, &mut listed);
            continue;
        }
        let Some(rest) = content.strip_prefix("#SBATCH") else { continue };
        // What stands behind a # is a remark.
        let words: Vec<&str> = rest.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        let mut rest = words.as_slice();
        while let Some(word) = rest.first() {
            let given = match split_option(Program::Sbatch, rest) {
                Some(Ok(given)) => given,
                Some(Err(not)) => {
                    note(&mut script, line, &mut listed, not.why);
                    break;
                }
                None => {
                    note(&mut script, line, &mut listed, format!("“{}” is no option.", crate::query::shorten(word)));
                    break;
                }
            };
            let another = given.name == "job-name" && script.as_ref().is_some_and(|s| s.options.name.is_some());
            if another {
                finish(script.take(), &mut scripts, &mut listed);
            }
            let current = script.get_or_insert_with(|| Script { line, options: Options::default(), wrong: false });
            if let Err(why) = current.options.take(&given) {
                current.wrong = true;
                listed.wrong(line, why);
            }
            rest = rest.get(given.words..).unwrap_or_default();
        }
    }
    finish(script, &mut scripts, &mut listed);
    listed
}

fn note(script: &mut Option<Script>, line: usize, listed: &mut Listed, why: String) {
    script.get_or_insert_with(|| Script { line, options: Options::default(), wrong: false }).wrong = true;
    listed.wrong(line, why);
}

fn finish(script: Option<Script>, scripts: &mut u64, listed: &mut Listed) {
    let Some(Script { line, options, wrong }) = script else { return };
    let submit = *scripts * APART;
    *scripts += 1;
    // What is wrong was said, line by line.
    if wrong {
        return;
    }
    let name = options.name.clone().unwrap_or_else(|| format!("script {scripts}"));
    let Some(requested) = options.time else {
        listed.wrong(line, format!("{name} has no --time: without a limit nothing can be planned behind it."));
        return;
    };
    let gpus = if options.exclusive { 0 } else { options.gpus_of_a_node() };
    if gpus == 0 && !options.exclusive {
        listed.wrong(line, format!("{name} asks for no GPUs: add --gpus-per-node=8 or --gres=gpu:8."));
        return;
    }
    let user = options.account.clone().unwrap_or_else(|| "somebody".to_owned());
    let nodes = u32::try_from(options.node_count()).unwrap_or(u32::MAX);
    let gpus = u32::try_from(gpus).unwrap_or(u32::MAX);
    listed.job(line, Job { name, user, submit, nodes, gpus, requested, real: requested, class: 0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_become_jobs() {
        let text = "#!/bin/bash\n#SBATCH --job-name=pretrain --account=llm\n#SBATCH -N 4 --gpus-per-node=8\n#SBATCH -t 1-00:00:00\nsrun \
                    python train.py\n#!/bin/bash\n#SBATCH -J eval # small\n#SBATCH --gres=gpu:2\n#SBATCH --time=30\n";
        let listed = read(text);
        assert_eq!(listed.wrong, []);
        let [(2, first), (7, second)] = listed.jobs.as_slice() else { panic!("{listed:?}") };
        assert_eq!((first.nodes, first.gpus, first.requested, first.user.as_str()), (4, 8, 86_400, "llm"));
        assert_eq!((second.nodes, second.gpus, second.requested, second.submit), (1, 2, 1800, 60));
    }

    /// Each of these once left the whole job out.
    #[test]
    fn options_that_say_nothing_about_size_leave_a_job_as_it_is() {
        for option in
            ["--signal=B:USR1@120", "--reservation=maintenance", "--segment=4", "--open-mode=append", "-H --comment=x"]
        {
            let listed = read(&format!("#!/bin/bash\n#SBATCH -N2 -G16 -t 30\n#SBATCH {option}\n"));
            assert_eq!((listed.wrong.len(), listed.jobs.len()), (0, 1), "{option}: {listed:?}");
        }
    }

    #[test]
    fn what_is_wrong_stands_beside_its_line() {
        let listed =
            read("#SBATCH --job-name=a\n#SBATCH --nodse=2\n#SBATCH --time=4h\n#SBATCH --job-name=b\n#SBATCH -N1 -G8\n");
        assert_eq!(listed.wrong.iter().map(|w| w.line).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(listed.wrong[0].why.contains("did you mean “nodes”"), "{listed:?}");
        assert!(listed.wrong[2].why.contains("no --time"), "{listed:?}");
    }
}
