//! Several inputs as one run.

use super::card::{Card, Kind, Stop};
use super::file::Run;
use super::measure::Metric;
use crate::allocator::versus as snapshots;
use crate::quantity::{counted, grouped};
use crate::trace::versus::{Profile, Versus};

/// The run that cards make together, in their order, and a sentence or a part of one about each thing of which two of them disagree. The later
/// one counts, but for lists of a node's GPUs: what a launch or a run file says counts before them, and what lists fewer may have been kept from
/// seeing the others.
pub fn gather<'a>(cards: impl IntoIterator<Item = &'a Card>) -> (Run, Vec<String>) {
    let cards: Vec<&Card> = cards.into_iter().collect();
    let is_test = |card: &Card| lists(card) || card.kind == Kind::NcclTests;
    let launched =
        cards.iter().rev().filter(|card| !is_test(card)).find_map(|card| Some((card.run.cluster.node?, card.title())));
    let (mut run, mut said) = (Run::default(), Vec::new());
    let mut most: Option<(u64, String)> = None;
    // What a test ran on: the job may have more, so it counts where nothing else says it.
    let mut tested = [None, None];
    let mut has_server = false;
    for card in &cards {
        let mut piece = card.run.clone();
        let listed = piece.cluster.node.filter(|_| lists(card));
        if let (Some(listed), Some((node, by))) = (listed, &launched) {
            piece.cluster.node = None;
            if listed != *node {
                said.push(format!(
                    "{NODE}: {} by {by}, though {} lists {}. What {by} says counts",
                    grouped(*node),
                    card.title(),
                    counted(listed, "GPU", "GPUs"),
                ));
            }
        }
        match (listed.filter(|_| launched.is_none()), &most) {
            (Some(fewer), Some((more, by))) if fewer < *more => {
                piece.cluster.node = None;
                said.push(format!(
                    "{NODE}: {} by {by}, though {} lists {}. The longer list counts",
                    grouped(*more),
                    card.title(),
                    counted(fewer, "GPU", "GPUs"),
                ));
            }
            (Some(node), _) => most = Some((node, card.title())),
            (None, _) => {}
        }
        // Another command starts another server: nothing of the one before is its.
        if card.kind == Kind::Serve && std::mem::replace(&mut has_server, true) && run.serving != piece.serving {
            run.serving = Default::default();
            run.layout.dtype = None;
            said.push(format!("Several commands start a server: that of {} counts", card.title()));
        }
        // So does the configuration of another program: keys of the same name are not the same settings.
        if let (Some(before), Some(now)) = (run.layout.framework.as_deref(), piece.layout.framework.as_deref())
            && !is_one_program(before, now)
        {
            run.layout = Default::default();
            run.unknown.retain(|key| !key.starts_with("layout."));
            said.push(format!("Several programs train: the settings of {} count", card.title()));
        }
        if card.kind == Kind::NcclTests {
            tested = [piece.cluster.node.take(), piece.cluster.nodes.take()];
        }
        let sentence = card.stop.as_ref().map(|stop| stop.sentence.clone());
        match end(card) {
            Some(End::Launch) => run.fails.launch = sentence,
            Some(End::Output) => run.fails.output = sentence,
            None => {}
        }
        said.extend(run.take(&piece));
    }
    if let Some(output) = stepped(&cards)
        && let Some(launch) = run.fails.launch.take()
    {
        let launch = launch.trim_end_matches('.');
        said.push(format!("{launch}, but {output} shows steps: what the launch lacks is probably set elsewhere"));
    }
    let [node, nodes] = tested;
    let c = &mut run.cluster;
    if c.gpus.is_none() {
        c.nodes = c.nodes.or(nodes);
    }
    c.node = c.node.or(node);
    // What one input leaves to another and the other says.
    let layout = run.layout.clone();
    run.unread.retain(|setting| {
        let leaves = |what: &str| setting.contains(what);
        let is_auto = leaves(": auto");
        !(is_auto && leaves("train_micro_batch_size_per_gpu") && layout.mbs.is_some()
            || is_auto && leaves("gradient_accumulation_steps") && layout.microbatches.is_some()
            || is_auto
                && leaves("train_batch_size")
                && (layout.batch.is_some() || layout.mbs.and(layout.microbatches).is_some())
            || is_auto && leaves(".enabled") && layout.dtype.is_some()
            || leaves("--deepspeed") && layout.zero.is_some())
    });
    let c = &run.cluster;
    if let (Some(node), Some(nodes), Some(gpus)) = (c.node, c.nodes, c.gpus)
        && node.saturating_mul(nodes) != gpus
    {
        said.push(format!(
            "GPUs: {}, though {} of {} are counted",
            grouped(gpus),
            counted(nodes, "node", "nodes"),
            counted(node, "GPU", "GPUs"),
        ));
    }
    (run, said)
}

/// Whether settings of these two may be of one run. DeepSpeed and FSDP come with others.
fn is_one_program(one: &str, other: &str) -> bool {
    let among = |name: &str| matches!(name, "accelerate" | "deepspeed" | "fsdp");
    let joins = |name: &str, with: &str| match name {
        "deepspeed" => with == "megatron",
        "fsdp" => with == "torchtitan",
        _ => false,
    };
    one == other || among(one) && among(other) || joins(one, other) || joins(other, one)
}

/// The output that shows steps of training, if one does: whatever a launch lacks in the lines that were pasted, a run has begun.
fn stepped<'a>(cards: &[&'a Card]) -> Option<&'a str> {
    let is_output = |card: &&&Card| matches!(card.kind, Kind::Log | Kind::Errors);
    let steps =
        |card: &&Card| [Metric::StepTime, Metric::TokensPerSecond].iter().any(|m| card.run.measured.contains_key(m));
    cards.iter().filter(is_output).find(|card| steps(card)).map(|card| card.name.as_str())
}

/// Whether a card's GPUs of a node are a list of those that a tool saw, which may be fewer than there are. Output has such lists too.
fn lists(card: &Card) -> bool {
    LISTS.contains(&card.kind) || card.kind == Kind::Log
}

/// What a card says the end of.
enum End {
    Launch,
    Output,
}

/// What a card replaces: a script the launch, if its own was followed, and output the end of earlier output only if it names one, as a job's
/// other file may have the error.
fn end(card: &Card) -> Option<End> {
    match card.kind {
        Kind::Script | Kind::Megatron => (card.launches || card.stop.is_some()).then_some(End::Launch),
        Kind::Log | Kind::Errors | Kind::Serve => card.stop.is_some().then_some(End::Output),
        _ => None,
    }
}

/// What makes the run fail that cards make together, each with the card's name: of scripts the last launch that was followed, of outputs the
/// last end that one names, where it is known why. A launch that output shows to train is no longer one of them.
pub fn stops<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Vec<(&'a str, &'a Stop)> {
    let [mut launch, mut output] = [None, None];
    let cards: Vec<&Card> = cards.into_iter().collect();
    for card in &cards {
        match end(card) {
            Some(End::Launch) => launch = Some(*card),
            Some(End::Output) => output = Some(*card),
            None => {}
        }
    }
    let launch = launch.filter(|_| stepped(&cards).is_none());
    let known = |card: &'a Card| Some((card.name.as_str(), card.stop.as_ref().filter(|stop| !stop.why.is_empty())?));
    [launch, output].into_iter().flatten().filter_map(known).collect()
}

/// The last two traces of some cards, side by side; none of fewer than two.
pub fn versus<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Option<Versus> {
    let (names, profiles): (_, [&Profile; 2]) = last_two(cards, |card| card.profile.as_ref())?;
    Some(Versus::of(names, profiles))
}

/// The last two snapshots of some cards, side by side; none of fewer than two.
pub fn grown<'a>(cards: impl IntoIterator<Item = &'a Card>) -> Option<snapshots::Versus> {
    let (names, both) = last_two(cards, |card| card.holdings.as_ref())?;
    Some(snapshots::Versus::of(names, both))
}

/// The last two of some cards that have something, by their names.
fn last_two<'a, T>(
    cards: impl IntoIterator<Item = &'a Card>,
    has: impl Fn(&'a Card) -> Option<&'a T>,
) -> Option<([String; 2], [&'a T; 2])> {
    let all: Vec<(&str, &T)> = cards.into_iter().filter_map(|card| Some((card.name.as_str(), has(card)?))).collect();
    let [.., (first, a), (second, b)] = all[..] else { return None };
    let names = if first == second {
        [format!("{first}, first"), format!("{second}, second")]
    } else {
        [first, second].map(str::to_owned)
    };
    Some((names, [a, b]))
}

/// What is said of them.
const NODE: &str = "GPUs per node";
/// What lists the GPUs of a node; an error does where a report on the environment stands beside it.
const LISTS: [Kind; 4] = [Kind::NvidiaSmi, Kind::RocmSmi, Kind::Topology, Kind::Errors];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{file, read};

    #[test]
    fn a_second_server_takes_nothing_from_the_first() {
        let first =
            read("a", "vllm serve Qwen/Qwen3-30B-A3B-FP8 --quantization fp8 --kv-cache-dtype fp8 --max-model-len 4096");
        let second = read("b", "vllm serve Qwen/Qwen3-30B-A3B --tensor-parallel-size 2");
        let (run, said) = gather([&first, &second]);
        assert_eq!(
            (run.serving.weight, run.serving.kv, run.serving.context, run.serving.tp),
            (None, None, None, Some(2))
        );
        assert!(
            said.iter().any(|line| line.starts_with("Several commands start a server: that of b counts")),
            "{said:?}"
        );
        assert_eq!(gather([&first, &first]).1, Vec::<String>::new());
    }

    #[test]
    fn two_programs_settings_are_not_mixed() {
        let megatron = read(
            "pretrain.sh",
            "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --tensor-model-parallel-size 4 --seq-length 4096 --micro-batch-size 2 --bf16\n",
        );
        let titan = read(
            "8b.toml",
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\n\n[parallelism]\ndata_parallel_shard_degree = -1\n",
        );
        let (run, said) = gather([&megatron, &titan]);
        assert_eq!((run.layout.seq, run.layout.mbs), (titan.run.layout.seq, Some(1)), "{said:?}");
        assert_ne!(run.layout.tp, Some(4));
        assert!(said.iter().any(|line| line == "Several programs train: the settings of 8b.toml count"), "{said:?}");
        // What belongs together.
        let trainer =
            read("t.sh", "deepspeed --num_gpus 8 train.py --per_device_train_batch_size 2 --deepspeed ds.json\n");
        let ds =
            read("ds.json", "{\"zero_optimization\": {\"stage\": 3}, \"train_micro_batch_size_per_gpu\": \"auto\"}");
        let (run, said) = gather([&trainer, &ds]);
        assert_eq!((run.layout.mbs, run.layout.zero), (Some(2), Some(3)), "{said:?}");
        assert!(said.iter().all(|line| !line.starts_with("Several")), "{said:?}");
    }

    /// torchtitan, `Model llama3 8B size: …` in its log beside the configuration that names the model.
    #[test]
    fn a_count_confirms_a_model_or_is_held_against_it() {
        let named = file("run.toml", "[model]\nname = \"llama-3-8b\"\n");
        let counted = |n: &str| file("log", &format!("[model]\nparameters = {n}\n"));
        for cards in [[named.clone(), counted("8030261248.0")], [counted("8030261248.0"), named.clone()]] {
            let (run, said) = gather(&cards);
            assert_eq!((run.model.name.as_str(), said), ("llama-3-8b", Vec::new()));
        }
        let (run, said) = gather([&named, &counted("70e9")]);
        assert_eq!(run.model.name, "llama-3-8b");
        assert!(said.concat().contains("a count of 70 B parameters"), "{said:?}");
    }

    #[test]
    fn a_shorter_list_does_not_win_and_is_said() {
        let list = |n: usize| {
            let text: String = (0..n).map(|i| format!("GPU {i}: NVIDIA H100 80GB HBM3 (UUID: GPU-{i})\n")).collect();
            read(&format!("{n}.txt"), &text)
        };
        let by = |cards: &[Card]| {
            let (run, said) = gather(cards);
            (run.cluster.node, said.len(), said.concat())
        };
        let (node, n, said) = by(&[list(8), list(4)]);
        assert_eq!((node, n), (Some(8), 1), "{said}");
        assert!(said.contains("8 by 8.txt") && said.contains("4.txt lists 4 GPUs"), "{said}");
        assert_eq!(by(&[list(4), list(8)]).0, Some(8));
        assert_eq!(by(&[list(4), list(8)]).1, 1, "said too");
        assert_eq!(by(&[list(8), list(8)]).1, 0);
        // What somebody writes down counts, and so does a launch.
        let (node, n, _) = by(&[list(8), file("run.toml", "[cluster]\nnode = 4\n")]);
        assert_eq!((node, n), (Some(4), 1));
        let torchrun = read(
            "run.sh",
            "torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=n0:29500 train.py\n",
        );
        for cards in [[list(1), torchrun.clone()], [torchrun.clone(), list(1)]] {
            let (node, n, said) = by(&cards);
            assert_eq!((node, n), (Some(8), 1), "{said}");
            assert!(said.contains("GPUs per node: 8 by run.sh, though 1.txt lists 1 GPU."), "{said}");
        }
        // A report on the environment beside an error is a list, too.
        let error = read(
            "err.txt",
            "GPU 0: NVIDIA H100 80GB HBM3\nTraceback (most recent call last):\n  File \"t.py\", line 3, in main\n    f()\nValueError: it broke\n",
        );
        assert_eq!((error.kind, error.run.cluster.node), (Kind::Errors, Some(1)));
        assert_eq!(by(&[torchrun, error]).0, Some(8));
        let (_, n, said) = by(&[list(8), file("run.toml", "[cluster]\nnodes = 2\ngpus = 8\n")]);
        assert_eq!((n, said.as_str()), (1, "GPUs: 8, though 2 nodes of 8 GPUs are counted"));
    }

    #[test]
    fn another_file_of_a_job_keeps_what_stopped_it() {
        let error = read(
            "slurm.err",
            "Traceback (most recent call last):\n  File \"/w/train.py\", line 3, in main\n    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.94 GiB.\n",
        );
        let output = read(
            "slurm.out",
            " iteration 10/ 1000 | elapsed time per iteration (ms): 811.3 | global batch size: 64 |\n iteration 20/ 1000 | elapsed time per iteration (ms): 811.3 | global batch size: 64 |\n",
        );
        let job = |tasks: u64| {
            read(
                "job.sh",
                &format!(
                    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node={tasks}\n#SBATCH --gpus-per-node=8\n#SBATCH --cpus-per-task=12\nexport MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nsrun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=1 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 train.py\n"
                ),
            )
        };
        let flags = read(
            "args.sh",
            "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 --bf16\n",
        );
        assert_eq!((output.kind, flags.kind), (Kind::Log, Kind::Megatron));
        for cards in [[&error, &output], [&output, &error]] {
            assert!(gather(cards).0.fails.output.is_some_and(|said| said.contains("backward")));
            assert_eq!(stops(cards).len(), 1);
        }
        let broken = job(8);
        for cards in [[&broken, &flags], [&flags, &broken]] {
            assert!(gather(cards).0.fails.launch.is_some_and(|said| said.contains("the launch")));
            assert_eq!(stops(cards).len(), 1);
        }
        // A table of nvidia-smi in the output may show one of the GPUs.
        let mut seen = output.clone();
        seen.run.cluster.node = Some(1);
        let (run, said) = gather([&job(1), &seen]);
        assert_eq!(run.cluster.node, Some(8), "{said:?}");
        assert!(said.iter().any(|said| said.contains("slurm.out lists 1 GPU")), "{said:?}");
        // Steps in the output say that it began.
        let (run, said) = gather([&broken, &output]);
        assert_eq!((run.fails.launch, stops([&broken, &output])), (None, Vec::new()));
        assert!(said.iter().any(|said| said.contains("slurm.out shows steps")), "{said:?}");
        // A launch that was followed and works replaces it.
        let repaired = job(1);
        assert_eq!(gather([&broken, &repaired]).0.fails.launch, None);
        assert!(stops([&broken, &repaired]).is_empty());
    }

    #[test]
    fn the_last_two_traces_stand_side_by_side() {
        let trace = |name: &str, dur: u32| {
            let event = |cat: &str, dur: u32| {
                format!(
                    "{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{cat}\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":{dur},\"args\":{{\"stream\":7}}}}"
                )
            };
            read(
                name,
                &format!("{{\"schemaVersion\":1,\"traceEvents\":[{},{}]}}", event("kernel", dur), event("cpu_op", 1)),
            )
        };
        let cards = [trace("a", 10), list_of_one(), trace("a", 20), trace("a", 40)];
        let two = versus(&cards).expect("two traces");
        assert_eq!((two.names, two.lines[0].seconds), (["a, first", "a, second"].map(str::to_owned), [20e-6, 40e-6]));
        assert_eq!(versus(&cards[..2]), None);
    }

    #[test]
    fn the_last_two_snapshots_stand_side_by_side() {
        let snapshot = |name: &str, size: u32| {
            read(name, &format!(r#"{{"segments":[{{"blocks":[{{"size":{size},"state":"active_allocated"}}]}}]}}"#))
        };
        let cards = [snapshot("a", 1), list_of_one(), snapshot("b", 2), snapshot("c", 4)];
        let two = grown(&cards).expect("two snapshots");
        assert_eq!((two.names, two.lines[1].bytes), (["b", "c"].map(str::to_owned), [2, 4]));
        assert_eq!(grown(&cards[..2]), None);
    }

    fn list_of_one() -> Card {
        read("gpus.txt", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n")
    }
}
