use super::*;

fn asked(question: &str) -> Answered {
    answers(question).into_iter().next().unwrap_or_else(|| panic!("{question}"))
}

/// The answer that says how long it takes, after the one that says whether it fits.
fn run_of(question: &str) -> Answered {
    let run = answers(question).into_iter().find(|a| a.figure == "training-run");
    run.unwrap_or_else(|| panic!("{question}"))
}

fn value<'a>(answered: &'a Answered, name: &str) -> Option<&'a str> {
    answered.query.get(name)
}

#[test]
fn an_adapter_on_a_card_opens_the_figure_of_adapters() {
    let a = asked("my 7B LoRA run on one 24 GB card is out of memory");
    assert_eq!(
        (a.figure, value(&a, "model"), value(&a, "gpu")),
        ("lora-adapters", Some("llama-2-7b"), Some("rtx-4090"))
    );
    assert!(
        a.read.iter().any(|r| r == "7B parameters") && a.read.iter().any(|r| r.starts_with("24 GB")),
        "{:?}",
        a.read
    );
    assert!(a.says.contains("LoRA") && a.says.contains("the GPU has 25.4 GB"), "{}", a.says);
    let a = asked("QLoRA 70B on a single 48GB GPU possible?");
    assert_eq!(
        (a.figure, value(&a, "model")),
        ("lora-adapters", Some("llama-3-70b").filter(|_| value(&a, "model").is_some()))
    );
    assert!(a.says.starts_with("QLoRA"), "{}", a.says);
}

#[test]
fn users_open_the_planner_of_serving() {
    let a = asked("how many GPUs to serve Qwen3-32B to 100 users");
    assert_eq!((a.figure, value(&a, "users")), ("serving-planner", Some("100")));
    assert!(a.says.starts_with("100 users"), "{}", a.says);
    let a = asked("tokens per second for llama 70b on a single h100");
    assert_eq!((a.figure, value(&a, "users")), ("serving-planner", Some("1")));
}

#[test]
fn runs_layouts_and_memory_have_their_figures() {
    for (question, figure, sets) in [
        (
            "how long does it take to train a 7B model on 2T tokens with 64 H100",
            "training-run",
            &[("params", "7000000000"), ("gpus", "64")][..],
        ),
        ("what tp pp dp should I use for 70B on 128 H100", "parallel-planner", &[("nodes", "16")]),
        (
            "will llama 3 70b fit on 8x A100 80GB with FSDP full shard",
            "memory-breakdown",
            &[("model", "llama-3-70b"), ("dp", "8"), ("zero", "3"), ("gpu", "a100-80")],
        ),
        (
            "how much VRAM do I need to fully fine-tune a 13B model",
            "memory-breakdown",
            &[("params", "13000000000"), ("dp", "1")],
        ),
        ("PPO with 7B actor critic reward and reference model on 16 gpus", "rlhf-memory", &[("gpus", "16")]),
        ("kv cache of llama 3 8b at 32k context", "kv-cache", &[("model", "llama-3-8b"), ("tokens", "32768")]),
    ] {
        let all = answers(question);
        let a = all.into_iter().find(|a| a.figure == figure).unwrap_or_else(|| panic!("{question}"));
        for (name, expected) in sets {
            let standard = catalogue::find(figure).map(|entry| (entry.read)(&Query::default()).0).unwrap_or_default();
            let got = value(&a, name).or(standard.get(name));
            let same = got == Some(*expected)
                || got.and_then(crate::query::parse_number)
                    == crate::query::parse_number(expected).filter(|_| got.is_some());
            assert!(same, "{question}: {name} is {got:?}, not {expected}");
        }
    }
}

#[test]
fn a_question_about_parallelism_is_answered_with_the_fastest_layout_of_free_axes() {
    use crate::planner;
    for (question, node, nodes) in [
        ("should I use tensor parallel or FSDP on 16 GPUs for a 7B model", 8, 2),
        ("which parallelism for 13B on 8 A100 40GB", 8, 1),
        ("what MFU should I expect for 70B on 512 H100", 8, 64),
        ("what step time should I expect for llama 3 8b on 8 H100", 8, 1),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), (planner::Params::ID, 0), "{question}: {a:?}");
        let (params, problems) = planner::Params::read(&a.query);
        assert!(problems.is_empty() && params == params.freed(), "{question}: {}", a.query);
        assert_eq!([params.cluster.node, params.cluster.nodes], [node, nodes], "{question}");
        let mut search = params.search().expect("a job");
        search.step(layout::MOST);
        let best = search.best().expect("a layout");
        assert!(a.says.contains(&planner::words::layout(&best.choice)), "{question}: {}", a.says);
        assert!(a.says.contains(&Unit::Fraction.format(search.job().mfu(best.step))), "{question}: {}", a.says);
        assert!(a.says.contains("Assumed: ") && a.says.contains("1,536 sequences per step"), "{question}: {}", a.says);
        assert_eq!(a.says.contains("A100 SXM 80 GB GPUs with"), question.contains("16 GPUs"), "{question}: {}", a.says);
    }
    let a = asked("should I use tensor parallel or FSDP on 16 GPUs for a 7B model");
    assert!(a.says.contains("With tensor parallelism the fastest is ") && a.says.contains("% longer"), "{}", a.says);
    // A setting that is named stays fixed.
    let fixed = asked("70B on 64 H100 with tp 8, which layout");
    assert_eq!(value(&fixed, "pp"), None);
    assert!(fixed.says.contains("tp 8"), "{}", fixed.says);
}

#[test]
fn a_batch_that_runs_out_of_memory_is_of_training_and_its_length_is_counted() {
    for question in
        ["batch size 1 OOMs at 32k context on a 7b model", "7B out of memory in backward at 32k context, batch size 1"]
    {
        let a = asked(question);
        let set = ["seq", "mbs", "mode"].map(|name| value(&a, name));
        assert_eq!(
            (a.figure, set[0], set[2], a.unused.len()),
            ("memory-breakdown", Some("32768"), None, 0),
            "{question}: {a:?}"
        );
        assert!(a.says.contains("At 32,768 tokens the activations take "), "{question}: {}", a.says);
    }
    let a = asked("fine-tune a 7B model at 32k context on one H100, out of memory");
    assert!(value(&a, "seq") == Some("32768") && a.unused.is_empty(), "{a:?}");
    let a = asked("vllm OOMs with batch size 64 at 32k context, llama 3 8b");
    assert_ne!(a.figure, "memory-breakdown", "{a:?}");
}

#[test]
fn one_card_is_told_what_it_can_do_before_more_gpus() {
    for question in [
        "13B on one A100 80GB, can I fine-tune it",
        "fine-tune 3B on one 4090",
        "can I train a 7B model on a single 4090",
    ] {
        let a = asked(question);
        let at = |text: &str| a.says.find(text).unwrap_or_else(|| panic!("{question}: no {text} in {}", a.says));
        assert_eq!(a.figure, "memory-breakdown", "{question}");
        assert!(at("On one GPU ") < at(" on each GPU, with ") && a.says.contains("LoRA"), "{question}: {}", a.says);
    }
    // Who has eight asks about eight, and what fits needs nothing.
    for question in ["does 32B fit on 8 A100 80GB with DDP", "can I train a 1B model on one H100"] {
        assert!(!asked(question).says.contains("On one GPU"), "{question}");
    }
}

#[test]
fn a_speedup_sets_the_figure_of_its_law() {
    for (question, n, speedup) in [
        ("why is my 8 GPU training only 3x faster than 1 GPU", 8.0, 3.0),
        ("training is only 2.5x faster on 4 GPUs", 4.0, 2.5),
        ("16 GPUs are only 6 times as fast as one", 16.0, 6.0),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), ("amdahl", 0), "{question}: {a:?}");
        let (params, problems) = crate::amdahl::Params::read(&a.query);
        let serial = (1.0 / speedup - 1.0 / n) / (1.0 - 1.0 / n);
        assert!(problems.is_empty() && (params.serial - serial).abs() < 1e-9, "{question}: {params:?} {problems:?}");
        assert!((params.speedup().amdahl - speedup).abs() < 1e-6, "{question}");
        assert!(a.says.contains(&Unit::Fraction.format(speedup / n)), "{question}: {}", a.says);
    }
    // More than as many times is no serial share, and a number of GPUs is no speedup.
    assert!(!asked("9x faster on 8 GPUs").says.contains("Karp"));
    assert_eq!(answers("training is 3x faster now"), []);
    assert_eq!(value(&asked("llama 3 8b FSDP on 8x H100"), "dp"), Some("8"));
}

#[test]
fn a_price_per_million_tokens_is_what_is_asked_for() {
    for question in [
        "price per 1 million tokens of llama 3 70b on H100 serving",
        "what does serving llama 3 70b cost per 1M tokens",
        "what do 1 million tokens cost with llama 3 70b on H100",
        "1M tokens cost llama 3 70b",
    ] {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), ("serving-planner", 0), "{question}: {a:?}");
        assert!(a.says.starts_with("A million tokens of answers cost"), "{question}: {}", a.says);
    }
}

#[test]
fn what_is_not_read_is_not_claimed() {
    for question in [
        "",
        "why is my loss NaN",
        "24 GB",
        "NCCL timeout on 2 nodes",
        "step 7 of 12",
        "what is LoRA",
        "Tried to allocate 1.94 GiB",
    ] {
        assert_eq!(answers(question), [], "{question}");
    }
    let a = asked("will a 3B model train on a T4");
    assert_eq!(a.read, ["3B parameters", "1 GPU", "T4 16 GB"]);
}

#[test]
fn a_gpu_as_tools_print_it_is_read() {
    for (name, id) in [
        ("NVIDIA A100-SXM4-80GB", "a100-80"),
        ("NVIDIA H100 80GB HBM3", "h100-80"),
        ("A100-PCIE-40GB", "a100-pcie-40"),
        ("Tesla T4", "t4"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("AMD Instinct MI300X", "mi300x"),
        ("H20", "h20-96"),
        ("NVIDIA L40", "l40-48"),
        ("A40", "a40-48"),
        ("H100 NVL", "h100-nvl-94"),
    ] {
        let alone = asked(name);
        let gpu = crate::hardware::find(id).expect(id);
        assert_eq!(alone.figure, "roofline", "{name}");
        assert_eq!(alone.read, [gpu.name], "{name}");
        let shown = catalogue::find("roofline").map(|entry| (entry.read)(&alone.query).0).expect("a figure");
        assert_eq!(shown.get("gpu").unwrap_or("h100-80"), id, "{name}: {shown}");
        assert!(alone.says.starts_with(gpu.name), "{}", alone.says);
        let with_model = asked(&format!("does llama 3 8b fit on 8x {name} with fsdp?"));
        assert_eq!((with_model.figure, value(&with_model, "dp")), ("memory-breakdown", Some("8")), "{name}");
        assert!(with_model.read.contains(&gpu.name.to_owned()), "{name}: {:?}", with_model.read);
    }
    for (question, other) in [
        ("does llama 3 8b fit on a H200 NVL", "H200 NVL"),
        ("does llama 3 8b fit on my RTX 4090 Laptop GPU 16GB", "a laptop’s GPU"),
        ("does llama 3 8b fit on one GH200 480GB", "GH200"),
    ] {
        let a = asked(question);
        assert_eq!(value(&a, "gpu"), None, "{question}");
        assert!(a.unused.iter().any(|text| text.starts_with(other)), "{question}: {:?}", a.unused);
    }
    let a = asked("does llama 3 8b fit on one 4090 during training");
    assert_eq!(value(&a, "gpu"), Some("rtx-4090"));
}

#[test]
fn every_answer_is_a_state_that_its_figure_reads_without_complaint() {
    for question in [
        "7B LoRA on one 24 GB card",
        "serve mixtral-8x7b to 1,000 users on H200",
        "deepseek v3 kv cache 128k context",
        "pretrain 1.5B on 300B tokens",
        "GRPO qwen2.5 7b 8 gpus",
        "70b zero 2 on 4 nodes of 8 gpus",
        "run llama-3-8b on a 4090",
    ] {
        let a = asked(question);
        let entry = catalogue::find(a.figure).expect("a figure");
        let (_, problems) = (entry.read)(&a.query);
        assert!(problems.is_empty(), "{question}: {problems:?}");
        assert!(!a.read.is_empty());
    }
}

#[test]
fn a_measured_speed_opens_the_page_of_runs_and_is_held_against_published_ones() {
    let file = |a: &Answered| {
        let card = crate::run::file("The link’s run", value(a, "r").expect("a run file"));
        assert_eq!(card.outcome, crate::run::Outcome::Read, "{card:?}");
        card.run
    };
    for question in ["MFU 18% on 32 A100s", "we get 18% MFU with 32 A100", "why is my mfu only 0.18 on 32xA100?"] {
        let a = asked(question);
        assert!(a.figure == RUN && a.href().starts_with("run/#r="), "{question}: {}", a.href());
        let run = file(&a);
        assert_eq!(
            (run.cluster.gpu.as_deref(), run.cluster.node, run.cluster.nodes),
            (Some("a100-80"), Some(8), Some(4))
        );
        let mfu = run.measured.get(&crate::run::Metric::Mfu).expect("measured").value;
        assert!((mfu - 0.18).abs() < 1e-12, "{mfu}");
        assert!(a.says.starts_with("18% is low: ") && a.says.contains("on this GPU reached"), "{}", a.says);
    }
    assert!(asked("45% MFU on 64 H100").says.contains("half of what others reach"));
    assert!(asked("mfu of 30% on a 4090").says.contains("on other GPUs"));
    let a = asked("llama 3 8b step time is 5.6 s on 8 H100");
    let run = file(&a);
    let step = run.measured.get(&crate::run::Metric::StepTime).map(|measured| measured.value);
    assert_eq!((a.figure, run.model.name.as_str(), step), (RUN, "llama-3-8b", Some(5.6)));
    // A speed that a plan takes for granted is no measurement, and one without a GPU says nothing.
    let a = run_of("how long to train 7B on 1T tokens on 64 H100 at 45% MFU");
    assert_eq!(value(&a, "mfu"), Some("0.45"));
    assert_eq!(answers("nvidia-smi says 100% utilization but MFU is 15%"), []);
    assert!(asked("nvidia-smi says 100% utilization but MFU is 15% on 8 A100s").says.starts_with("15% "));
    assert!(asked("MFU on 1 H100 is 30%").says.starts_with("30% "));
    assert!(asked("40% MFU on 8 H100 PCIe").says.contains("on another H100"));
}

#[test]
fn gpus_that_there_are_are_enough_or_not() {
    let a = asked("can 8 H100s serve llama 3 70b to 500 users");
    assert_eq!((a.figure, value(&a, "have")), ("serving-planner", Some("8")));
    assert!(a.says.contains("too few"), "{}", a.says);
    assert!(asked("can 64 H100s serve llama 3 70b to 500 users").says.contains("stay free"));
}

#[test]
fn a_job_of_several_gpus_is_answered_with_the_first_layout_that_fits() {
    let question = "we have 16 A100 80GB, want to fine-tune Qwen2.5-32B with full parameters, does it fit and how long";
    let [fits, takes] = &answers(question)[..] else { panic!("{:?}", answers(question)) };
    assert_eq!((fits.figure, value(fits, "zero"), takes.figure), ("memory-breakdown", Some("3"), "training-run"));
    let says = &fits.says;
    assert!(
        says.starts_with(
            "Fits with ZeRO\u{2011}3/FSDP: 32.8 GB of states per GPU, 52.3 GB left for activations. Not with "
        ),
        "{says}"
    );
    assert!(says.contains("ZeRO\u{2011}2 (94.2 GB)") && says.contains("or DDP (524 GB)."), "{says}");
    assert!(takes.says.contains("doesn’t say how many tokens") && !takes.says.contains("loss"), "{}", takes.says);
    // The stage that was asked about is the one that is answered.
    let a = asked("does 32B fit on 16 A100 80GB with DDP");
    assert!(
        a.says.starts_with("Does not fit") && a.says.contains("The cheapest change that fits is ZeRO"),
        "{}",
        a.says
    );
    assert_eq!(value(&asked("does a 1B model fit on 8 H100 for training"), "zero"), None);
}

#[test]
fn how_long_leads_to_the_run_whatever_is_tuned() {
    let a = run_of("how long to fine-tune a 32B model on 100M tokens with 16 A100 80GB");
    assert_eq!(value(&a, "tokens").and_then(crate::query::parse_number), Some(1e8));
    let spaced: String = a.says.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    assert!(spaced.contains("100 M tokens"), "{}", a.says);
    assert!(a.unused.is_empty(), "{:?}", a.unused);
    assert_eq!(asked("how long will fine-tuning take").figure, "training-run");
    run_of("how long does LoRA tuning of llama 3 8b take on a 4090");
    assert_eq!(asked("does llama 3 8b lora fit on a 4090").figure, "lora-adapters");
}

#[test]
fn a_late_first_token_is_held_against_one_without_a_queue() {
    let a = asked("vLLM serves Llama-3.1-70B on 4 H100, time to first token is 6 s at 50 users: what to change");
    assert_eq!((a.figure, value(&a, "tp")), ("continuous-batching", Some("4")));
    assert!(
        a.read.iter().any(|read| read == "6 s to the first token") && a.unused.is_empty(),
        "{:?} {:?}",
        a.read,
        a.unused
    );
    assert!(!a.read_as().contains("no parameter"), "{}", a.read_as());
    assert!(
        a.says.starts_with("With prompts of 1,024 tokens and answers of 256, the first token takes "),
        "{}",
        a.says
    );
    assert!(a.says.contains("6 s is ") && a.says.contains("requests wait"), "{}", a.says);
    let quick = asked("ttft of llama 3 8b on 1 H100 is 60 ms");
    assert!(quick.says.contains("isn’t far from that"), "{}", quick.says);
    assert!(asked("what ttft can I expect for llama 3 8b on 1 H100").says.contains("If you measure"));
}

#[test]
fn nothing_is_said_of_a_model_that_a_figure_cannot_show() {
    let a = asked("how many GPUs to fine-tune a 122B model with lora");
    assert_eq!(a.figure, "lora-adapters");
    assert!(
        a.says.starts_with("This figure can’t show a model of your size") && !a.says.contains("LoRA fits"),
        "{}",
        a.says
    );
}

#[test]
fn a_rate_of_requests_becomes_users_by_what_a_request_takes() {
    for (question, rate, users) in [
        ("50 req/s llama 3 70b how many gpus", "50 requests per second", "640"),
        ("llama 3 70b at 20 qps on h100", "20 requests per second", "256"),
        ("serve llama 3 8b at 120 requests per minute on l4", "2 requests per second", "26"),
        ("qwen3 32b 5 requests per second, how many H100", "5 requests per second", "64"),
        ("host llama 3 70b for 300 rpm", "5 requests per second", "64"),
        ("deploy mixtral 8x7b, 10 queries per second", "10 requests per second", "128"),
        ("llama 3 70b for 18k requests per hour", "5 requests per second", "64"),
        ("llama 3 70b, 300 prompts per minute", "5 requests per second", "64"),
        ("llama 3 70b 10 req/s with 2k input and 500 output tokens", "10 requests per second", "250"),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, value(&a, "users")), ("serving-planner", Some(users)), "{question}: {a:?}");
        assert!(a.read.iter().any(|read| read == rate) && a.unused.is_empty(), "{question}: {a:?}");
        assert!(a.says.contains("at the same time, if a request takes "), "{question}: {}", a.says);
    }
    let a = asked("cost of serving deepseek v3 at 50 req/s");
    assert_eq!((value(&a, "users"), value(&a, "quant")), (Some("640"), Some("fp8")), "{a:?}");
    assert!(
        a.says.contains("A million tokens cost") && a.says.contains("at that price, which is assumed"),
        "{}",
        a.says
    );
    // Users that are given are not counted again.
    let a = asked("llama 3 70b for 100 users at 5 req/s");
    assert_eq!((value(&a, "users"), a.says.contains("if a request takes")), (Some("100"), false), "{a:?}");
    assert_eq!(a.unused, ["5 requests per second"]);
}

#[test]
fn tokens_of_prompts_and_answers_are_told_apart() {
    for question in [
        "serve llama 3 70b to 100 users, 2048 input 512 output",
        "serve llama 3 70b to 100 users, input 2048 output 512",
        "serve llama 3 70b to 100 users with prompts of 2048 tokens and answers of 512 tokens",
        "serve llama 3 70b to 100 users, input length 2048, output length 512",
        "100 users, llama 3 70b, 2048 input tokens and 512 output tokens, how many H100",
        "100 users, llama 3 70b, ISL 2k OSL 512, how many H100",
    ] {
        let a = asked(question);
        let sets = ["users", "prompt", "output"].map(|name| value(&a, name).map(str::to_owned));
        assert_eq!(sets, ["100", "2048", "512"].map(|text| Some(text.to_owned())), "{question}: {a:?}");
    }
}

#[test]
fn weights_are_counted_as_the_checkpoint_stores_them_unless_the_question_says_how() {
    for (question, figure, name, bits) in [
        ("how many H200 to serve deepseek v3 to 200 users", "serving-planner", "quant", Some("fp8")),
        ("does deepseek-v3.2 fit on 8 H200", "kv-cache", "weight-bits", Some("8")),
        ("can I run gpt-oss-20b on a 4090", "kv-cache", "weight-bits", Some("4")),
        ("serve kimi-k2.5 to 100 users on B200", "serving-planner", "quant", Some("int4")),
        ("serve minimax-m2.5 to 50 users", "serving-planner", "quant", Some("fp8")),
        ("kv cache of deepseek v3 at 128k context", "kv-cache", "weight-bits", Some("8")),
        ("serve deepseek v3 in bf16 to 200 users on H200", "serving-planner", "quant", None),
        ("serve llama 3 70b to 200 users", "serving-planner", "quant", None),
        ("serve deepseek v3 with int4 weights to 200 users", "serving-planner", "quant", Some("int4")),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, value(&a, name)), (figure, bits), "{question}: {a:?}");
        let is_said = a.read.iter().any(|read| read.ends_with("as the checkpoint stores them"));
        assert_eq!(is_said, bits.is_some() && !question.contains("int4"), "{question}: {a:?}");
    }
    // Trained in 16 bits.
    let a = asked("how much memory to pretrain deepseek v3 on 2048 H800");
    assert!(!a.read.iter().any(|read| read.contains("checkpoint stores")), "{a:?}");
}

#[test]
fn a_symptom_opens_the_figure_of_its_causes_and_says_what_to_look_at_first() {
    for (question, figure, says) in [
        ("CUDA out of memory at step 2", "first-steps", "Step 2 is the first with Adam’s moments"),
        ("OOM in the second step but first step is fine", "first-steps", "Step 2 is the first with Adam’s moments"),
        ("why OOM on 2nd iteration", "first-steps", "Step 2 is the first with Adam’s moments"),
        ("out of memory on the first forward pass", "first-steps", "In the first step nothing has piled up"),
        ("OOM at step 1 with batch size 1", "first-steps", "In the first step nothing has piled up"),
        (
            "CUDA OOM only at the first optimizer.step, forward and backward are fine",
            "first-steps",
            "Adam’s two moments are created",
        ),
        ("training OOMs after 3000 steps", "first-steps", "From step 2 on every step of the same length"),
        ("runs out of memory randomly after a while", "first-steps", "From step 2 on every step of the same length"),
        ("OOM during evaluation but training is fine", "first-steps", "In evaluation weights, gradients and moments"),
        ("out of memory when saving the FSDP checkpoint", "first-steps", "Saving gathers what was sharded"),
        (
            "7B run out of memory at step 1, how can I save memory?",
            "first-steps",
            "In the first step nothing has piled up",
        ),
        ("loss NaN after 2000 steps bf16", "loss-detective", "bf16 has the range of fp32"),
        ("loss becomes NaN suddenly after half an epoch", "loss-detective", "there are three suspects"),
        ("loss goes to NaN after 2000 steps bf16", "loss-detective", "bf16 has the range of fp32"),
        ("my loss suddenly became nan at step 12000", "loss-detective", "there are three suspects"),
        ("training loss is NaN after a few thousand steps", "loss-detective", "there are three suspects"),
        ("gradients are nan after 5k iterations in bfloat16", "loss-detective", "bf16 has the range of fp32"),
        ("loss becomes nan after a few hundred steps with fp16", "loss-scaling", "In fp16 look first at"),
        ("nan loss fp16 finetuning", "loss-scaling", "In fp16 look first at"),
    ] {
        let a = asked(question);
        assert_eq!(a.figure, figure, "{question}: {a:?}");
        assert!(a.says.contains(says), "{question}: {}", a.says);
        assert!(!a.read.is_empty() && a.unused.is_empty() || question.contains("batch size"), "{question}: {a:?}");
        let (_, problems) = (catalogue::find(figure).expect("a figure").read)(&a.query);
        assert!(problems.is_empty(), "{question}: {problems:?}");
    }
    let both = answers("OOM at step 2 llama 3 8b on 8 H100 with FSDP");
    assert_eq!(both.iter().map(|a| a.figure).collect::<Vec<_>>(), ["first-steps", "memory-breakdown"], "{both:?}");
    assert!(both[0].says.contains("For Llama 3 8B: It "), "{}", both[0].says);
    for question in [
        "OOM killed my dataloader, not enough RAM",
        "vllm out of memory at startup",
        "pod OOMKilled after 3 hours",
        "loss is nan",
        "why is 35B-A3B moe so much faster than dense 27B on the same card",
        "OOM",
        "step 2 is slow",
    ] {
        assert_eq!(answers(question), [], "{question}");
    }
}

#[test]
fn a_low_mfu_is_held_against_published_runs_and_its_causes_are_listed() {
    for question in [
        "why is my MFU 30% on 16 H100",
        "MFU only 22% with 64 A100 80GB",
        "our mfu is 0.25 on 8 h100, how to improve",
        "12% mfu on 4 nodes of H100",
        "mfu 18% llama 3 8b 8 H100",
        "MFU is only 18%, why?",
    ] {
        let a = asked(question);
        assert_eq!(a.figure, RUN, "{question}");
        assert!(
            a.says.contains(" reached ") && a.says.contains("the cheapest check first: "),
            "{question}: {}",
            a.says
        );
        // The page of runs begins with the same.
        let run = crate::run::file("The link’s run", value(&a, "r").expect("a run file")).run;
        let verdict = crate::run::compare(&run).verdict;
        assert!(verdict.contains("the cheapest check first: "), "{question}: {verdict}");
    }
    for question in
        ["low mfu what should I check", "how can I improve MFU of my training", "MFU dropped after adding nodes"]
    {
        let a = asked(question);
        assert!(
            a.figure == RUN && a.says.contains("the cheapest check first: ") && !a.says.contains('%'),
            "{question}: {a:?}"
        );
        assert_eq!(a.href(), "run/", "{question}");
    }
    assert!(!asked("50% MFU on 64 H100").says.contains("cheapest check"));
    assert_eq!(answers("how is MFU calculated"), []);
}

#[test]
fn what_is_not_counted_is_said() {
    let unused = |question: &str| asked(question).unused;
    assert_eq!(unused("does 13B fit on 8 H100 to train in 3 days"), ["3 days"]);
    assert_eq!(
        unused("train 13B with offloading and rank 8 in 16k context on 8 H100"),
        ["rank 8", "offloading to host memory"]
    );
    assert_eq!(unused("how long does llama 3 8b serve 50 users on 1 H100"), ["how long"]);
    assert!(asked("llama 3 8b on a 4090 in 30 minutes").read_as().contains(" Not used: 30 minutes."));
}

#[test]
fn settings_of_a_layout_are_read_or_said_to_be_unused() {
    let of = |question: &str| {
        let a = asked(question);
        (a.figure, a.unused)
    };
    let unused = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(of("70B on 64 H100 with tp 8 pp 4, which layout"), ("parallel-planner", Vec::new()));
    let a = asked("70B on 64 H100 with tp 8 pp 4 ga 2, which layout");
    assert_eq!((value(&a, "pp"), &a.unused), (Some("4"), &unused(&["ga 2"])));
    assert_eq!(
        of("train llama 3 8b on 16 A100, seq len 4096 micro batch 2 grad accum 8 for 3 epochs").1,
        ["accum 8", "3 epochs"]
    );
    assert_eq!(of("tokens per second of llama 3 70b fp8 on 4 H100"), ("serving-planner", Vec::new()));
    let a = asked("serve llama 3 70b to 10k users with tp4 on H100");
    assert_eq!(["users", "tp"].map(|name| value(&a, name)), [Some("10000"), Some("4")], "{a:?}");
    let a = asked("llama 3 70b 128k on 8 H100: KV cache?");
    assert_eq!(["tokens", "tp"].map(|name| value(&a, name)), [Some("131072"), Some("8")], "{a:?}");
    let a = asked("can a 4090 run qwen2.5 32b in 4-bit");
    assert_eq!((a.figure, value(&a, "weight-bits"), a.unused.len()), ("kv-cache", Some("4"), 0), "{a:?}");
    let a = asked("deepspeed stage 2 13B on 8 A100 80GB, does it fit");
    assert_eq!((a.figure, value(&a, "zero")), ("memory-breakdown", Some("2")), "{a:?}");
}

#[test]
fn techniques_may_be_hyphenated_and_are_not_wanted_after_no() {
    let terms = |question: &str| Reading::of(question).terms().map(|term| term.name).collect::<Vec<_>>();
    assert_eq!(terms("fine-tune 13B with 8-bit Adam"), ["8-bit optimizer"]);
    assert_eq!(terms("13B adamw-8bit and adam 8bit"), ["8-bit optimizer"]);
    assert_eq!(terms("llama 3 8b in 4-bit on a T4"), ["4-bit weights"]);
    assert_eq!(terms("13B in 8-bit"), [""; 0], "weights or an optimizer");
    assert_eq!(terms("train 13B with offloading"), ["offloading to host memory"]);
    for question in ["train 13B without offloading", "no activation checkpointing for 13B", "13B, not fp8"] {
        assert_eq!(terms(question), [""; 0], "{question}");
    }
    let a = asked("how much VRAM do I need to fully fine-tune a 13B model with 8-bit Adam without offloading");
    assert_eq!((value(&a, "optimizer"), value(&a, "offload")), (Some("adam8bit"), None), "{a:?}");
}

#[test]
fn a_config_opens_the_breakdown_of_its_memory() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/configs/llama-3-8b.json");
    let a = of_config(&std::fs::read_to_string(path).expect("a fixture")).expect("a model");
    assert_eq!(
        (a.figure, value(&a, "model"), value(&a, "num_hidden_layers")),
        ("memory-breakdown", Some("custom"), Some("32"))
    );
    assert_eq!(of_config("{}"), None);
}

#[test]
fn tokens_of_prompts_are_read_however_they_are_written() {
    for amounts in [
        "with 8k prompts and 500-token answers",
        "with 8k prompts, 500 output",
        "8192 in 500 out",
        "8k in / 500 out",
        "8k tokens in, 500 tokens out",
        "8k input, 500 output",
        "8k-token prompts and 500-token responses",
        "prompts of 8k, answers of 500",
    ] {
        let question = format!("How many GPUs to serve Qwen3-32B to 150 users {amounts} at under 50 ms per token");
        let a = asked(&question);
        let sets = ["users", "prompt", "output"].map(|name| value(&a, name));
        assert_eq!(sets, [Some("150"), Some("8192"), Some("500")], "{question}: {a:?}");
        assert!(a.says.starts_with("150 users at 50 ms per token, with prompts of 8,192 tokens"), "{}", a.says);
        assert!(a.unused.is_empty(), "{question}: {:?}", a.unused);
    }
    // "100 users with 8k prompts" says nothing of answers.
    let a = asked("how many GPUs to serve Qwen3-32B to 100 users with 8k prompts");
    assert_eq!((value(&a, "prompt"), value(&a, "output")), (Some("8192"), None), "{a:?}");
    // So many of them in a time are a rate.
    assert_eq!(value(&asked("serve llama 3 70b, 8k prompts per hour"), "prompt"), None);
}

#[test]
fn promises_of_serving_are_the_planners_targets() {
    let target = |text: &str| {
        let a = asked(&format!("how many H100 to serve llama 3 70b to 100 users {text}"));
        assert_eq!((a.figure, a.unused.len()), ("serving-planner", 0), "{text}: {a:?}");
        let of = |name: &str| value(&a, name).and_then(crate::query::parse_number);
        [of("token"), of("first")]
    };
    for text in [
        "under 30 ms per token",
        "at 30 ms",
        "TPOT 30 ms",
        "with an ITL of 30 ms",
        "at 30 ms/token",
        "time per output token 30ms",
        "below 30 ms between tokens",
    ] {
        assert_eq!(target(text), [Some(0.03), None], "{text}");
    }
    for text in ["TTFT 500 ms", "first token in 500 ms", "with the first token within 0.5 s", "ttft under 500ms"] {
        assert_eq!(target(text), [None, Some(0.5)], "{text}");
    }
    for text in ["TTFT 2 s, TPOT 30 ms", "30 ms per token, first token in 2 s"] {
        assert_eq!(target(text), [Some(0.03), Some(2.0)], "{text}");
    }
    assert_eq!(target("at 40 tokens/s per user"), [Some(0.025), None]);
    // A promise alone is one, too.
    let a = asked("serve llama 3 70b to 100 users with TTFT 500 ms");
    assert_eq!((a.figure, value(&a, "first")), ("serving-planner", Some("0.5")), "{a:?}");
}

#[test]
fn nodes_times_gpus_are_a_cluster() {
    for text in
        ["2x8 H100", "2 × 8 H100", "2×8 H100", "2 x 8 H100", "2x 8 H100", "2 nodes of 8 H100", "2 nodes x 8 H100"]
    {
        let reading = Reading::of(&format!("how long to train llama 3 8b on 2B tokens on {text}"));
        assert_eq!(reading.cluster(), Some([8, 2]), "{text}: {:?}", reading.said);
    }
    for (text, cluster) in [
        ("8x 4090", Some([8, 1])),
        ("8x 24 GB cards", Some([8, 1])),
        ("8xH100", Some([8, 1])),
        ("one 24 GB card", Some([1, 1])),
        ("4 nodes of 2 A100", Some([2, 4])),
        ("2 nodes with 16 GPUs", Some([8, 2])),
        ("16x8 H100", Some([8, 16])),
        ("a 4090", Some([1, 1])),
        ("an H100 node", None),
        ("A100s", None),
    ] {
        assert_eq!(Reading::of(&format!("train llama 3 8b on {text}")).cluster(), cluster, "{text}");
    }
    let run = run_of("how long to train llama 3 8b on 2B tokens on 2x8 H100");
    assert!(value(&run, "gpus") == Some("16") && run.says.contains(" on 16 × H100"), "{run:?}");
    // What the question doesn't say is said.
    let a = asked("how long to train llama 3 8b on 2B tokens");
    assert!(a.says.starts_with("Assumed, because the question doesn’t say how many: 1,024 GPUs. "), "{}", a.says);
}

#[test]
fn a_batch_without_micro_is_that_of_the_step() {
    for (text, batch, mbs) in [
        ("batch 64", Some("64"), Some("0")),
        ("global batch size 64", Some("64"), Some("0")),
        ("a batch size of 64", Some("64"), Some("0")),
        ("64 sequences per step", Some("64"), Some("0")),
        ("micro batch 4", None, Some("4")),
        ("micro-batch size 4, global batch size 64", Some("64"), Some("4")),
        ("per_device_train_batch_size=4", None, Some("4")),
    ] {
        let a = asked(&format!("which layout for llama 3 8b on 16 H100, {text}"));
        assert_eq!(["batch", "mbs"].map(|name| value(&a, name)), [batch, mbs], "{text}: {a:?}");
        assert!(a.unused.is_empty(), "{text}: {a:?}");
    }
    let fit = |text: &str| asked(&format!("does llama 3 8b fit on 8 H100 for training with {text}"));
    let a = fit("batch size 2");
    assert!(
        value(&a, "mbs") == Some("2") && a.read.iter().any(|r| r == "batch size 2, counted as the micro-batch"),
        "{a:?}"
    );
    let a = fit("global batch size 64");
    assert_eq!((value(&a, "mbs"), &a.unused[..]), (None, &["global batch size 64".to_owned()][..]));
    // Tokens of a batch are not those of the run.
    let run = run_of("how long to train llama 3 8b with batches of 4M tokens on 1T tokens, on 1024 H100");
    let of = |name: &str| value(&run, name).and_then(crate::query::parse_number);
    assert_eq!([of("tokens"), of("batch")], [Some(1e12), Some(4e6)], "{run:?}");
}

#[test]
fn what_is_asked_of_a_run_on_named_gpus_comes_first_whether_it_fits_or_how_long_it_takes() {
    let [fits, takes] = &answers("Can I train Llama 3.1 405B on 8 H100 for 2B tokens")[..] else { panic!("two") };
    assert_eq!((fits.figure, takes.figure), ("memory-breakdown", "training-run"));
    assert!(fits.says.starts_with("Does not fit"), "{}", fits.says);
    assert!(takes.says.starts_with("It doesn’t fit on 8 GPUs. With ZeRO\u{2011}3/FSDP it fits on "), "{}", takes.says);
    assert_ne!(value(takes, "gpus"), Some("8"));
    let [takes, fits] = &answers("how long to train llama 3 8b on 2B tokens on 16 H100")[..] else { panic!("two") };
    assert!(fits.says.starts_with("Fits with") && value(takes, "gpus") == Some("16"), "{fits:?} {takes:?}");
    let a = run_of("how long to train llama 3 8b with DDP on 2B tokens on 8 H100");
    assert!(a.says.starts_with("As asked it doesn’t fit on 8 GPUs. With ZeRO\u{2011}3/FSDP it does. "), "{}", a.says);
    // A batch of a step is no micro-batch.
    let [takes, fits] = &answers("how long to train llama 3 8b on 1T tokens on 64 H100 with batch size 512")[..] else {
        panic!("two")
    };
    assert_eq!(value(fits, "mbs"), Some("8"), "{fits:?}");
    assert!(!takes.says.contains("nor on more"), "{}", takes.says);
    // Without GPUs there is only the time.
    assert_eq!(answers("how long to train llama 3 8b on 2B tokens").len(), 1);
}

#[test]
fn a_length_is_read_however_it_is_written() {
    for text in [
        "with sequences of 8192",
        "with sequence length 8192",
        "sequence length of 8192",
        "with a context of 8k",
        "seq 8192",
        "seq_len=8192",
        "with 8k sequences",
        "max_seq_length 8192",
    ] {
        let a = asked(&format!("fine-tune Qwen3-32B on 16 H100 {text}"));
        assert_eq!((value(&a, "seq"), a.unused.len()), (Some("8192"), 0), "{text}: {a:?}");
    }
}

#[test]
fn every_amount_is_used_or_said_to_be_unused() {
    for (question, unused) in [
        ("does llama 3 8b fit on 8 H100 for training with 500 prompts", "500 prompts"),
        ("does llama 3 8b fit on 8 H100 for training with 512 prompts", "512 prompts"),
        ("does llama 3 8b fit on 8 H100 for training with 12 replicas", "12 replicas"),
        ("does llama 3 8b fit on 8 H100 for training at 99% utilization", "99%"),
    ] {
        assert_eq!(asked(question).unused, [unused], "{question}");
    }
}

#[test]
fn parameters_of_a_run_are_all_of_them_and_the_active_ones_are_called_so() {
    let spaced = |question: &str| run_of(question).says.replace(char::is_whitespace, " ");
    let says = spaced("how long to train Qwen3 30B-A3B on 1T tokens on 512 H100");
    assert!(says.contains("30.5 B parameters (3.04 B active per token"), "{says}");
    let says = spaced("how long to train llama 3 8b on 2B tokens on 16 H100");
    assert!(says.contains("8.03 B parameters (7.5 B active per token"), "{says}");
    assert!(spaced("how long to train a 7B model on 1T tokens on 512 H100").contains("Training 7 B parameters on "));
}

#[test]
fn a_log_with_an_mfu_is_answered_as_the_question_is() {
    let typed = asked("step 1.9 s, MFU 14%");
    for log in [
        "epoch 1\n{'loss': 2.31, 'mfu': 0.14, 'step': 10}\nstep time 1.9 s",
        "loading\nstep 10: step time 1.9 s, MFU 14%\ndone",
    ] {
        let a = of_log(log).expect("a speed");
        assert_eq!((a.figure, &a.says, a.unused.len()), (RUN, &typed.says, 0), "{log}");
        assert!(a.says.starts_with("14% is low"), "{}", a.says);
    }
    assert_eq!(of_log("step 1\nloss 2.3"), None);
    // What /run says of it is said here too: of a model of 12 M parameters, of a peak that isn't the GPU's, of a step that generates.
    let titan = |peak: &str, rates: &str| {
        format!(
            "[titan] Peak FLOPS used for computing MFU: {peak}\n{}",
            format!("[titan] step: 20 loss: 7.6 memory: 9.51GiB(65.2%) {rates}\n").repeat(3)
        )
    };
    for (log, says) in [
        (titan("3.120e+14", "tps: 7,313 tflops: 0.52 mfu: 0.17%"), Some("Its MFU of 0.17% isn’t judged: at 71.1 MFLOP per token")),
        (titan("1.979e+15", "tps: 7,313 tflops: 400.00 mfu: 20.2%") + "GPU: NVIDIA H100 80GB HBM3\n", Some("The log divides by 1.98 PFLOP/s, which is twice this GPU’s dense peak")),
        ("INFO rollout\nstep: 1 - train/loss:0.1 - timing_s/gen:9.0 - timing_s/step:20.0 - perf/mfu/actor:0.17\nloss 2.1 step 3 mfu 17%\n".to_owned(), None),
    ] {
        let answered = of_log(&log);
        assert_eq!(answered.is_some(), says.is_some(), "{log}{answered:?}");
        if let Some((answered, says)) = answered.zip(says) {
            assert!(answered.says.starts_with(says), "{}", answered.says);
        }
    }
    // A time at a step isn't a step's time.
    let a = of_log("Saved checkpoint at step 500 in 12.3 s\nmfu 14%").expect("a speed");
    let file = a.query.get("r").unwrap_or_default();
    assert!(file.contains("your log") && !file.contains("step-time"), "{file}");
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,120}", n in 0_u64.., unit in "[a-z]{0,3}") {
        let _ = answers(&format!("{text} 7B lora {n}{unit} gpus {n} users {n}k context {text}"));
    }
}

/// What a question with a command says: how a practitioner would type it, and what is right.
#[test]
fn a_serving_command_in_a_question_is_read_as_a_runs_is() {
    let spaced = |text: &str| text.replace(char::is_whitespace, " ");
    for (question, [model, gpu], [tp, context], says) in [
        (
            "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --max-model-len 131072 on 4 A100 40GB, does it start?",
            ["llama-3-70b", "a100-40"],
            [Some(4), Some(131_072)],
            "vLLM won’t start: one request may have 131,072 tokens",
        ),
        (
            "does `vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-model-len 8192` fit on 4x A100 40GB",
            ["llama-3-70b", "a100-40"],
            [Some(4), Some(8192)],
            // 35.3 GB of weights per GPU: what NCCL takes decides.
            "Whether it starts can’t be told: one request may have 8,192 tokens",
        ),
        (
            "vllm serve Qwen/Qwen3-32B --max-model-len=32K -tp=2 on 2 H100 80GB",
            ["qwen3-32b", "h100-80"],
            [Some(2), Some(32_768)],
            "One request of 32,768 tokens fits",
        ),
        (
            "vllm serve meta-llama/Llama-3.1-70B-Instruct on one H100: will it start?",
            ["llama-3-70b", "h100-80"],
            [None, None],
            "the model doesn’t fit: its weights take 141 GB per GPU",
        ),
        (
            "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --context-length 32768 on 8 H200",
            ["deepseek-v3", "h200-141"],
            [Some(8), Some(32_768)],
            "One request of 32,768 tokens fits",
        ),
        (
            "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 8 on 4 H100",
            ["llama-3-8b", "h100-80"],
            [Some(8), None],
            "The engine won’t start: it asks for 8 GPUs, and there are 4.",
        ),
        (
            "can I run vllm llama 3 8b with --max-model-len 8192 --gpu-memory-utilization 0.95 on a 4090",
            ["llama-3-8b", "rtx-4090"],
            [None, Some(8192)],
            "One request of 8,192 tokens fits",
        ),
        (
            "vllm serve meta-llama/Llama-3.1-70B-Instruct --quantization fp8 -tp 2 on 2 H100",
            ["llama-3-70b", "h100-80"],
            [Some(2), None],
            "KV cache is predicted to have room for",
        ),
        (
            "sglang serve openai/gpt-oss-20b on 1 L4",
            ["gpt-oss-20b", "l4-24"],
            [None, None],
            "KV cache is predicted to have room for",
        ),
        (
            "4x H100: vllm serve mistralai/Mixtral-8x7B-Instruct-v0.1 --tensor-parallel-size 4 --max-model-len 32768 --max-num-seqs 64",
            ["mixtral-8x7b", "h100-80"],
            [Some(4), Some(32_768)],
            "of that length at the same time",
        ),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), (RUN, 0), "{question}: {a:?}");
        let card = crate::run::file("The link’s run", value(&a, "r").expect("a run file"));
        let run = card.run;
        assert_eq!((run.model.name.as_str(), run.cluster.gpu.as_deref()), (model, Some(gpu)), "{question}");
        assert_eq!([run.serving.tp, run.serving.context], [tp, context], "{question}");
        assert!(spaced(&a.says).contains(says), "{question}: {}", a.says);
        // The page of runs says the same of the link.
        let verdict = crate::run::compare(&run).verdict;
        let is_short = verdict.starts_with("The engine won’t start") && a.says.starts_with("The engine won’t start");
        assert!(is_short || a.says.starts_with(&verdict), "{question}: {}", a.says);
    }
    let a = asked("vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-model-len 8192");
    assert!(a.figure == RUN && a.says.contains("Name the GPU"), "{a:?}");
    let a = asked("vllm serve some/Model-57B -tp 4 on 4 H100");
    assert!(a.figure == RUN && a.says.contains("config.json") && !a.says.contains("start"), "{a:?}");
    let a =
        asked("vllm serve Qwen/Qwen3-8B --rope-scaling yarn --max-model-len 131072 on 1 H100 for 50 users at 2 s TTFT");
    assert!(a.unused.iter().any(|text| text == "--rope-scaling yarn"), "{a:?}");
    assert!(
        a.unused.iter().any(|text| text == "50 users") && !a.read.iter().any(|read| read.contains("users")),
        "{a:?}"
    );
}

#[test]
fn steps_that_are_counted_elsewhere_are_no_moment() {
    for question in ["OOM, gradient_accumulation_steps=8", "OOM with 1000 steps", "out of memory, warmup steps 500"] {
        assert_eq!(Reading::of(question).at_step(), None, "{question}");
    }
    for (question, step) in [("OOM at step 2", 2), ("nan after 2,000 steps", 2000), ("crashes at 5k iterations", 5000)]
    {
        assert_eq!(Reading::of(question).at_step(), Some(step), "{question}");
    }
}

/// The box, the run's figure and the planner's link say one time for one job, and say the MFU that it rests on.
#[test]
fn one_job_takes_one_time_wherever_it_is_asked() {
    use crate::planner;
    let spaced = |text: &str| text.replace(char::is_whitespace, " ");
    for (question, is_named) in [
        ("how long to train llama 3 8b on 2B tokens on 16 MI300X", true),
        ("how long to train llama 3 70b on 1T tokens with 512 MI300X and sequences of 8192", true),
        ("train Qwen2.5-32B on 100B tokens with 40 A100 40GB", true),
        ("how long to train a 7B model on 2T tokens with 64 H200", false),
    ] {
        let run = run_of(question);
        let (shown, problems) = training_run::Params::read(&run.query);
        let evaluated = shown.evaluate().expect("a run");
        let (time, mfu) = (Unit::Seconds.format(evaluated.seconds()), Unit::Fraction.format(shown.mfu));
        let says = spaced(&run.says);
        assert!(problems.is_empty() && says.contains(&spaced(&format!(" takes {time} on "))), "{question}: {says}");
        assert!(says.contains(&format!(" at an MFU of {mfu} and")), "{question}: {says}");
        assert!(says.contains("That MFU is the parallel planner’s estimate for "), "{question}: {says}");

        let asks_layout = answers(&format!("{question}, which layout"));
        let [again, layout] = &asks_layout[..] else { panic!("{question}: {asks_layout:?}") };
        assert_eq!((layout.figure, &again.query), (planner::Params::ID, &run.query), "{question}");
        assert!(spaced(&layout.says).contains(&spaced(&format!(" tokens take {time}."))), "{}", layout.says);

        let (params, _) = planner::Params::read(&layout.query);
        let search = params.search().expect("a job").run();
        let best = search.best().expect("a layout");
        let given = Query::new(["given", "tokens"].map(|name| (name, value(&run, name).unwrap_or_default())));
        let (linked, problems) = training_run::Params::read(&params.run(search.job(), best).with(&given));
        assert_eq!(problems, [], "{question}");
        if is_named {
            assert_eq!(linked, shown, "{question}");
        }
        let own = shown.tokens / search.job().tokens() * best.step;
        let linked = linked.evaluate().expect("a run");
        assert!((linked.seconds() / own - 1.0).abs() < 2e-3, "{question}: {} and {own}", linked.seconds());
        assert!((linked.step_seconds() / best.step - 1.0).abs() < 2e-3, "{question}");
    }
}

#[test]
fn an_mfu_that_nobody_says_is_assumed_from_one_source_in_every_direction_of_a_question() {
    use crate::planner::published::Reached;
    let median = |gpu: &str| Reached::on(crate::hardware::find(gpu).expect("a GPU")).expect("published runs").middle;
    for (question, gpu) in [
        ("how long to train llama 3 8b on 1T tokens with 64 H100", "h100-80"),
        ("how many H100 to train llama 3 8b on 1T tokens in 30 days", "h100-80"),
        ("train 7B on 1T tokens in 30 days, how many H100s", "h100-80"),
        ("how many GPUs do I need to train a 7B on 2T tokens in 3 weeks", "h100-80"),
        ("how many A100 80GB for 13B on 300B tokens within 2 weeks", "a100-80"),
        ("how many tokens can I train a 7B on in 30 days with 64 H100", "h100-80"),
        ("how long for 7B on 1T tokens", "h100-80"),
        ("what does it cost to train 7B on 1T tokens with H100s", "h100-80"),
        ("train a 3B with a budget of $50k on H100", "h100-80"),
        ("how long to train llama 3 8b on 2B tokens", "h100-80"),
        ("Can I train Llama 3.1 405B on 8 H100 for 2B tokens", "h100-80"),
    ] {
        let a = run_of(question);
        let (params, _) = training_run::Params::read(&a.query);
        assert!((params.mfu - median(gpu)).abs() < 1e-4, "{question}: {}", a.query);
        assert!(a.says.contains("That MFU is assumed: half of ") && a.says.contains(" published runs"), "{}", a.says);
    }
    // Both directions come to the same run.
    let many = run_of("how many H100 to train llama 3 8b on 1T tokens in 30 days");
    let gpus = value(&many, "gpus").expect("GPUs");
    let long = run_of(&format!("how long to train llama 3 8b on 1T tokens with {gpus} H100"));
    assert_eq!(many.query, long.query);
    assert!(many.says.starts_with("In 30 days it takes at least "), "{}", many.says);
    assert!(training_run::Params::read(&many.query).0.evaluate().expect("a run").seconds() <= 30.0 * 86_400.0);
    // Where nobody published a run, it's the figure's own.
    let a = run_of("how long does LoRA tuning of llama 3 8b take on a 4090");
    assert_eq!(value(&a, "mfu"), None);
    assert!(a.says.contains("at an MFU of 40%") && a.says.contains("That MFU is assumed"), "{}", a.says);
    let said = run_of("how long to train 7B on 1T tokens on 64 H100 at 45% MFU");
    assert!(said.says.contains("at an MFU of 45%") && !said.says.contains("That MFU"), "{}", said.says);
    let labelled = catalogue::ALL.iter().flat_map(|entry| entry.params().map(|param| (entry.id, param)));
    for (id, param) in labelled.filter(|(_, param)| param.look.label == "MFU") {
        assert_eq!(param.spec.default, training_run::MFU, "{id}");
    }
}

/// A figure, a quantity that its answers say, and how they write it.
type Said = (&'static str, &'static str, fn(f64) -> String);

const SAID: [Said; 9] = [
    ("lora-adapters", "tuned", |v| Unit::Bytes.format(v)),
    ("training-run", "time", |v| Unit::Seconds.format(v)),
    ("serving-planner", "gpus", |v| format!("{} × ", grouped(v as u64))),
    ("serving-planner", "dollars-per-million", dollars),
    ("kv-cache", "weights", |v| Unit::Bytes.format(v)),
    ("communication-cost", "time", |v| Unit::Seconds.format(v)),
    ("amdahl", "speedup", number),
    ("decode-speed", "weight-bytes", bytes_decimal),
    ("memory-breakdown", "headroom", |v| bytes_decimal(v.abs())),
];

/// The state that an answer opens has the numbers that the answer says: every question of the set, and those that were asked beside it.
#[test]
fn an_answer_opens_the_state_that_it_describes() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../content/questions.toml");
    let file: toml::Table = std::fs::read_to_string(path).expect("the questions").parse().expect("TOML");
    let all = file.get("question").and_then(toml::Value::as_array).expect("questions");
    let known: Vec<String> = all.iter().filter_map(|one| Some(one.get("ask")?.as_str()?.to_owned())).collect();
    let own = [
        "qlora 70b on one 48gb card",
        "lora llama 3 70b on 8x a6000",
        "biggest batch for LoRA 8b on 24 GB with 2048 tokens",
    ];
    let (mut compared, mut wrong) = (0, Vec::new());
    for question in known.iter().map(String::as_str).chain(own) {
        for a in answers(question) {
            let Some(entry) = catalogue::find(a.figure) else { continue };
            let unsaid = [
                "This figure can’t show",
                "isn’t in the table of GPUs",
                "Which GPUs, and how many?",
                "Drop its config",
            ];
            let is_other =
                unsaid.iter().any(|said| a.says.contains(said)) || !SAID.iter().any(|(id, ..)| *id == a.figure);
            let is_free = a.figure == training_run::Params::ID
                && (asks_work(&Reading::of(question)) || a.query.iter().next().is_none());
            if is_other || is_free {
                continue;
            }
            let shown = (entry.evaluate)(&a.query);
            assert_eq!(shown.problems, [], "{question}: {}", a.query);
            if let Some(error) = shown.error {
                if !a.says.contains(&error) {
                    wrong.push(format!("{question}: {error}, but {}", a.says));
                }
                continue;
            }
            let said = a.says.replace(['\u{a0}', '\u{202f}'], " ");
            for (_, id, format) in SAID.iter().filter(|(id, ..)| *id == a.figure) {
                // A price that nobody asks for isn't said.
                let is_unasked = *id == "dollars-per-million" && !a.says.contains("million tokens");
                let Some(value) = shown.get(id).filter(|_| !is_unasked) else { continue };
                let text = format(value).replace(['\u{a0}', '\u{202f}'], " ");
                compared += 1;
                if !said.contains(&text) {
                    wrong.push(format!("{question}: {id} is {text}, not in “{said}” ({})", a.query));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_price_per_million_tokens_uses_the_gpus_and_the_price_of_the_question() {
    for (question, gpus, price) in [
        ("cost per million tokens, llama 70b on 4 H100 at $2.50/hour", 4, 2.5),
        ("1M tokens, llama 70b on 4 H100 at $2.50/hour", 4, 2.5),
        ("what do 1M tokens cost with llama 3 70b on 4 H100s at $2.50 per GPU hour", 4, 2.5),
        ("price per million output tokens llama 3.3 70b 8x H100 $3/hr", 8, 3.0),
        ("how much per 1M tokens if I self-host Qwen3-32B on 2 A100 80GB for $1.80/h each", 2, 1.8),
        // 16 GB of weights in 50 ms are more than an L4 reads.
        ("serving cost per million tokens for llama 3 8b on one L4 at $0.70/hour", 1, 0.7),
        ("cost per 1M tokens deepseek v3 on 8 H200 $4/h", 8, 4.0),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), (sizing::Params::ID, 0), "{question}: {a:?}");
        let (params, problems) = sizing::Params::read(&a.query);
        let plan = params.evaluate().expect("a plan");
        let taken = plan.size().and_then(sizing::Size::gpus);
        assert_eq!((problems.len(), params.price, taken), (0, price, Some(gpus)), "{question}: {}", a.query);
        assert!(
            a.says.starts_with(&format!("A million tokens of answers cost {} on ", dollars(params.dollars(&plan)))),
            "{}",
            a.says
        );
        assert!(a.says.contains(" serve up to ") || a.says.contains(" serves up to "), "{}", a.says);
        assert!(
            a.says.contains("With fewer users a token costs more.") && !a.says.contains("which is assumed"),
            "{}",
            a.says
        );
    }
    let a = asked("what does serving llama 3 70b cost per 1M tokens");
    assert!(a.says.contains("per GPU-hour, which is assumed. "), "{}", a.says);
}

#[test]
fn an_estimate_above_what_was_published_says_so() {
    for question in [
        "best layout for llama 3 70b on 128 H100",
        "what MFU should I expect for 70B on 512 H100",
        "what combination of data, tensor, and pipeline parallelism for 192 V100 GPUs, 15B model",
    ] {
        let a = asked(question);
        assert_eq!(a.figure, planner::Params::ID, "{question}");
        let is_said = a.says.contains("That is an upper bound") && a.says.contains(" published runs on ");
        assert!(is_said && a.says.contains(" median "), "{question}: {}", a.says);
    }
}

#[test]
fn offloading_that_is_not_modeled_is_said_first() {
    for question in [
        "can I fine-tune a 13B on one 4090 with CPU offload",
        "ZeRO-Offload 7B on a single 3090 with 128 GB RAM",
        "deepspeed zero infinity nvme offload 70B on 8 A100 40GB",
        "run llama 70b on a 4090 with device_map=\"auto\"",
        "will zero3 with cpu offload let me train 30B on 4 A100",
        "llama.cpp n-gpu-layers 20 for a 70B on 24 GB",
        "FSDP cpu_offload=True 13B on 2x3090",
        "load mixtral 8x7b with device_map auto on a 24 GB card and 64 GB of RAM",
        "why GPU OOM with zero3+offload for 13B with 4*2080ti 22g cards",
        "7B LoRA with offload on 4 GPUs with 48 GB",
    ] {
        for a in answers(question) {
            assert!(
                a.says.starts_with("Offloading to the CPU or to a disk isn’t modeled here."),
                "{question}: {}",
                a.says
            );
        }
        assert!(!answers(question).is_empty(), "{question}");
    }
    for question in ["fine-tune 13B on one 4090 without offloading", "GRPO 7B on 8 H100 with offload"] {
        assert!(!asked(question).says.contains("isn’t modeled"), "{question}");
    }
}

#[test]
fn the_largest_batch_is_the_last_that_fits() {
    for question in [
        "largest micro batch for 7B on 8 H100 with FSDP at 4k context",
        "what batch size can I use to train llama 3 8b on 8 H100 with sequence length 2048",
        "max batch size for full fine-tuning of llama 3 8b with FSDP on 16 A100 80GB, seq 4096",
        "maximum batch size to train a 13B on 4x A100 80GB",
    ] {
        let a = asked(question);
        let (params, _) = memory::Params::read(&a.query);
        assert_eq!(a.figure, memory::Params::ID, "{question}");
        let fits = |mbs| memory::Params { mbs, ..params }.judged().is_some_and(|(_, verdict)| verdict == Verdict::Fits);
        assert!(fits(params.mbs) && !fits(params.mbs + 1), "{question}: {}", a.query);
        let said = format!("The largest micro-batch that fits is {}", counted(params.mbs, "sequence", "sequences"));
        assert!(a.says.starts_with(&said), "{question}: {}", a.says);
    }
    let [training, serving] = &answers("what batch size fits 7B, 80 GB, seq 4096")[..] else { panic!("two") };
    assert!(
        training.says.contains("Not even one sequence of 4,096 tokens fits for full training"),
        "{}",
        training.says
    );
    // 63 GB over 0.524 MB per token are 29 sequences of 4,096, and 1.34 GB less are 28.
    assert!(
        serving.figure == "kv-cache"
            && serving.says.starts_with("29 requests of 4,096 tokens fit")
            && serving.says.contains("which leaves 28 requests"),
        "{}",
        serving.says
    );
    let a = asked("what batch size should I use for inference of llama 3 8b on L40S 8k context");
    assert!(a.figure == "kv-cache" && a.says.starts_with("25 requests of 8,192 tokens"), "{}", a.says);
    // A batch that is given isn't asked for.
    assert!(!asked("does batch size 4 fit llama 3 8b training on 8 H100").says.contains("largest micro-batch"));
}

/// What follows from the numbers of a question, worked out by hand.
#[test]
fn what_a_question_has_all_numbers_of_is_computed() {
    for (question, figure, says) in [
        // 2 × 7/8 × 1 GB / 450 GB/s is 3.89 ms, and 14 hops of latency.
        ("how long does an all-reduce of 1 GB over 8 GPUs take with NVLink", "communication-cost", "take 3.94 ms"),
        // 2 × 1/2 × 1.25 GB at 10 Gb/s.
        (
            "all_reduce using two nodes with one GPU per node, a NIC with 10Gbps, 1250 MB",
            "communication-cost",
            "take 1 s",
        ),
        ("allreduce of 1.25 GB over 2 nodes of 1 GPU at 10 Gb/s", "communication-cost", "take 1 s"),
        // 7/8 × 2 GB / 100 GB/s.
        ("how long for an allgather of 2 GB across 8 ranks on 100 GB/s", "communication-cost", "take 17.5 ms"),
        // √(2 × 120 × 21,600) s is 37.9 min.
        (
            "how often should I checkpoint with an MTBF of 6 hours and 2 minutes to write",
            "failure-campaign",
            "√(2δM) is 37.9 min",
        ),
        ("optimal checkpoint interval MTBF 3 h, checkpoint takes 30 s", "failure-campaign", "√(2δM) is 13.4 min"),
        ("Young Daly interval for mtbf 24 hours write time 5 min", "failure-campaign", "√(2δM) is 2 h"),
        (
            "a failure every 8 hours, saving takes 4 minutes: checkpoint how often",
            "failure-campaign",
            "√(2δM) is 1.03 h",
        ),
        (
            "checkpoint of 1 TB at 10 GB/s and an MTBF of 5 hours: how often to save",
            "failure-campaign",
            "√(2δM) is 31.6 min",
        ),
        // 1 / (0.05 + 0.95/64).
        ("amdahl speedup 5% serial 64 processors", "amdahl", "15.4 times"),
        ("speedup on 16 GPUs if 10% can't be parallelized", "amdahl", "6.4 times"),
        ("95% parallel, 128 processors: speedup?", "amdahl", "17.4 times"),
        // 80 layers × 8 heads × 128 × 2 × 2 B.
        ("kv cache per token llama 3 70b", "kv-cache", "keeps 327,680 B in its KV cache for each token"),
        (
            "how much kv cache does one token take in deepseek v3",
            "kv-cache",
            "keeps 70,272 B in its KV cache for each token",
        ),
        // 14 bytes × 70e9.
        ("checkpoint size of a 70B model with Adam", "failure-campaign", "takes 980 GB"),
        ("how big is a training checkpoint of 13B", "failure-campaign", "takes 182 GB"),
        // 1e12 / 30 / 86,400.
        (
            "how many tokens per second do I need to train on 1T tokens in 30 days",
            "training-run",
            "385,802 tokens per second",
        ),
        // 6 × 7e9 × 1e12.
        ("FLOPs to train 7B on 1T tokens", "training-run", "4.2 × 10²² FLOP"),
        ("how many flops is a training run of 70B on 15T tokens", "training-run", "6.3 × 10²⁴ FLOP"),
        // 13.2 GB at 576 GB/s.
        ("decode 7B on a card with 576 GB/s", "decode-speed", "At most 43.6 tokens per second"),
        ("max tokens/s for 8B fp16 with 576 GB/s", "decode-speed", "At most 38.4 tokens per second"),
        ("decode speed of llama 3 70b in fp8 with 3.35 TB/s", "decode-speed", "At most 47.5 tokens per second"),
        // 6 × 70e9 × 16,384,000 / (13.5 × 3600) / 16 / 312e12.
        ("MFU for 16,384,000 tokens in 13.5 hours, 70B on 16 A100", "run", "MFU 2.84%"),
        // 4 × (76.4 GB less 141.1 / 4 GB of weights).
        ("max context length for llama 3 70b on 4 H100", "kv-cache", "up to 502,592 tokens"),
    ] {
        let a = asked(question);
        let text = a.says.replace(['\u{a0}', '\u{202f}'], " ");
        assert!(a.figure == figure && text.contains(says), "{question}: {a:?}");
        assert!(a.unused.is_empty(), "{question}: {:?}", a.unused);
    }
    // Without the numbers, or of something that goes wrong, nothing is computed.
    for question in [
        "GPU utilization is 99% with tensor parallel on 8 cards, how much faster",
        "all-reduce hangs on 8 GPUs with 1 GB",
        "why is NCCL all-reduce slow",
        "how often should I save checkpoints",
        "amdahl's law",
    ] {
        assert!(answers(question).is_empty(), "{question}: {:?}", answers(question));
    }
}

#[test]
fn who_needs_a_larger_gpu_hears_of_common_ones_first() {
    for question in
        ["can my 4090 fine-tune a 13B", "mistral 7b v0.3 on T4", "qwen 2.5 7b fits on a 3090?", "phi-4 on 3090"]
    {
        let a = asked(question);
        let after = a.says.split("on a larger GPU, with ").nth(1).unwrap_or_else(|| panic!("{question}: {}", a.says));
        let named = after.split(':').next().unwrap_or_default();
        let common = ["RTX 4090", "RTX 5090", "L40S", "RTX A6000", "A100", "H100", "H200", "B200", "B300"];
        assert!(common.iter().any(|gpu| named.contains(gpu)), "{question}: {named}");
    }
    // Who has AMD's stays with AMD's.
    let more = crate::hardware::larger(crate::hardware::find("mi300x").expect("a GPU"));
    assert!(more.first().is_some_and(|gpu| gpu.id.starts_with("mi3")), "{more:?}");
}

#[test]
fn models_are_read_however_they_are_spelled() {
    for (text, id) in [
        ("Deepseek R1", "deepseek-v3"),
        ("deepseek-R1 671b", "deepseek-v3"),
        ("DeepSeek V3.1", "deepseek-v3"),
        ("DEEPSEEK_V3", "deepseek-v3"),
        ("deepseek-r1-distill-qwen-32b", "qwen2.5-32b"),
        ("DeepSeek R1 Distill Llama 70B", "llama-3-70b"),
        ("Llama3 70B", "llama-3-70b"),
        ("llama-3.3-70b", "llama-3.3-70b"),
        ("Llama 3.1 8B", "llama-3-8b"),
        ("llama3.1:8b", "llama-3-8b"),
        ("qwen 2.5 7b", "qwen2.5-7b"),
        ("Qwen2.5-7b", "qwen2.5-7b"),
        ("qwq 32b", "qwen2.5-32b"),
        ("gpt oss 20b", "gpt-oss-20b"),
    ] {
        let reading = Reading::of(&format!("does {text} fit on 8 H200"));
        assert_eq!(reading.preset.map(|preset| preset.id), Some(id), "{text}: {:?}", reading.said);
    }
    let a = asked("Deepseek R1 on 8 H200, does it fit");
    assert!(a.read.contains(&"DeepSeek-R1, which has the sizes of DeepSeek-V3 (671B)".to_owned()), "{:?}", a.read);
    assert_eq!(Reading::of("phi-4 on a 3090").params, Some(14.7e9));
}

#[test]
fn requests_per_second_are_asked_of_serving() {
    for question in
        ["how many queries per second can llama 3 8b on an L4 handle", "how many rps with llama 3 8b on one H100"]
    {
        let a = asked(question);
        assert_eq!((a.figure, a.unused.len()), (sizing::Params::ID, 0), "{question}: {a:?}");
        let (params, _) = sizing::Params::read(&a.query);
        let plan = params.evaluate().expect("a plan");
        let rate = params.throughput(&plan) / params.output as f64;
        assert!(a.says.starts_with(&format!("About {} requests per second. ", number(rate))), "{question}: {}", a.says);
    }
}

#[test]
fn what_is_left_for_a_cache_is_explained() {
    let a = asked("does llama 3 8b at 8k context fit on one H100, kv cache");
    assert!(
        a.says.contains("90% of the 84.9 GB on H100 SXM 80 GB, minus 16.1 GB of weights, leaves 60.4 GB"),
        "{}",
        a.says
    );
}

/// Questions as people posted them, with what their answer must have. Sources: issues of the repositories that are named.
#[test]
fn what_people_posted_is_read_as_it_was_meant() {
    for (question, figure, sets) in [
        // meta-llama/llama 389
        (
            "How many blocks of 80g a100 are needed to fine-tune the 70b model",
            "memory-breakdown",
            &[("dp", "16"), ("zero", "3")][..],
        ),
        // kvcache-ai/ktransformers 188
        (
            "How large can the Deepseek R1 model be deployed with 8 * 4090,256G memory?",
            "kv-cache",
            &[("gpu", "rtx-4090"), ("tp", "8")],
        ),
        // PrimeIntellect-ai/prime-rl 1097
        (
            "Advice on OOM: LoRA + 24 training H100s + 24K Seq Len on 32B Dense",
            "lora-adapters",
            &[("dp", "24"), ("seq", "24576")],
        ),
        // zai-org/GLM-130B 75
        ("130B, 400B tokens using 96 DGX A100, how long", "training-run", &[("gpus", "768")]),
        // NVIDIA/Megatron-LM 1565
        ("train Qwen2.5-32B with Megatron using H200x2, throughput is 420 TFLOPs per GPU", "run", &[]),
        // mit-han-lab/omniserve 18
        (
            "Expected speed for llama3-70b-instruct on an L40s w4a8kv4, I get ~60 tokens/s, is this the expected throughput?",
            "serving-planner",
            &[("users", "1"), ("tp", "1"), ("quant", "int4")],
        ),
        // h2oai/h2ogpt 997
        (
            "concurrent request capacity of an NVIDIA A100 80 GB GPU when employing the Llama-2-13b model",
            "serving-planner",
            &[("have", "1"), ("users", "40")],
        ),
        // QwenLM/Qwen 1092
        (
            "estimate the number of concurrent users for qwen-14b-chat with vLLM on a machine with 8*4090",
            "serving-planner",
            &[("have", "8")],
        ),
        // NVIDIA-NeMo/Megatron-Bridge 946
        ("optimal config qwen3 30b a3b for 4 nodes totalling 32 H100 GPUs", "parallel-planner", &[("nodes", "4")]),
    ] {
        let a = asked(question);
        assert_eq!(a.figure, figure, "{question}: {a:?}");
        for (name, expected) in sets {
            let standard = catalogue::find(figure).map(|entry| (entry.read)(&Query::default()).0).unwrap_or_default();
            assert_eq!(value(&a, name).or(standard.get(name)), Some(*expected), "{question}: {name} of {}", a.query);
        }
    }
    assert_eq!(value(&asked("fine-tune llama 3 8b on an L40S"), "gpu"), Some("l40s-48"));
    assert_eq!(value(&asked("fine-tune llama 3 8b with 4080 tokens on a 4090"), "gpu"), Some("rtx-4090"));
    // A GPU that the table doesn't have is no other, and no number.
    for (question, gpu) in [
        ("can I finetune Llama-2-70B using 16 * A10( 16 * 23G)", "A10"),
        ("why GPU OOM with zero3+offload for 13B with 4*2080ti 22g cards", "RTX 2080"),
        ("llama3.1:8b fine-tuning on a 4060", "RTX 4060"),
        ("fine-tune llama 3 8b on two 3080s", "RTX 3080"),
    ] {
        let a = asked(question);
        assert!(value(&a, "gpu").is_none() && a.unused.iter().any(|text| text.starts_with(gpu)), "{question}: {a:?}");
        assert_ne!(value(&a, "dp"), Some("2080"), "{question}");
    }
}

#[test]
fn fine_tuning_is_answered_as_fine_tuning() {
    for question in [
        "fine-tune 8B on 20M tokens",
        "how long to fine-tune llama 3 8b on 20M tokens on 8 H100",
        "how long does LoRA tuning of llama 3 8b take on a 4090",
    ] {
        let a = run_of(question);
        assert_eq!(value(&a, "start"), Some("pretrained"), "{question}");
        let (params, problems) = training_run::Params::read(&a.query);
        let run = params.evaluate().expect("a run");
        assert!(problems.is_empty() && run.steps() >= 50.0, "{question}: {}", a.query);
        for word in ["predicted loss", "lowest", "compute-optimal", "1,024"] {
            assert!(!a.says.contains(word), "{question}: {}", a.says);
        }
        assert!(
            a.says.contains(" steps of ") && a.says.contains("Scaling laws describe training from scratch"),
            "{}",
            a.says
        );
    }
    let a = run_of("fine-tune 8B on 20M tokens");
    assert!(a.says.starts_with("Assumed, because the question doesn’t say how many: 8 GPUs. "), "{}", a.says);
    assert_eq!(value(&run_of("how long to train llama 3 8b on 2B tokens"), "start"), None);
}

#[test]
fn memory_without_a_purpose_is_that_of_training_and_of_running_and_each_says_so() {
    let both = answers("will llama 3 70b fit on 4 a100 40gb");
    let [training, running] = &both[..] else { panic!("{both:?}") };
    assert_eq!((training.figure, running.figure), ("memory-breakdown", "kv-cache"));
    assert!(training.says.contains(" That is for training in full with AdamW."), "{}", training.says);
    assert_eq!(value(running, "tp"), Some("4"));
    for question in ["fine-tune llama 3 70b on 4 a100 40gb, does it fit", "does llama 3 8b fit on 8 H100 with FSDP"] {
        let [a] = &answers(question)[..] else { panic!("{question}: one") };
        assert!(a.figure == "memory-breakdown" && !a.says.contains("That is for training"), "{question}: {}", a.says);
    }
    for question in ["will llama 3 70b inference fit on 4 a100 40gb", "8xH100 llama 3.1 405b inference fp8"] {
        let a = asked(question);
        assert!(a.figure == "kv-cache" && !a.unused.iter().any(|text| text.contains("GPU")), "{question}: {a:?}");
    }
    for question in ["how many users can 8 H100 serve with llama 3 70b", "vllm throughput of llama 3 70b on 4 H100"] {
        assert_eq!(asked(question).figure, "serving-planner", "{question}");
    }
}

#[test]
fn an_adapter_on_several_cards_shares_their_memory() {
    let a = asked("lora llama 3 70b on 8x a6000");
    assert_eq!((value(&a, "dp"), value(&a, "zero")), (Some("8"), Some("3")), "{a:?}");
    assert!(a.says.starts_with("LoRA with ZeRO\u{2011}3 over 8 GPUs fits"), "{}", a.says);
    // Where it fits each of them, or DDP is named, nothing is shared.
    for question in ["lora llama 3 8b on 8x a6000", "lora llama 3 70b on 8x a6000 with DDP"] {
        assert_eq!(value(&asked(question), "zero"), None, "{question}");
    }
}

#[test]
fn a_run_is_counted_at_what_published_runs_reach_where_the_fastest_layout_promises_more() {
    use crate::planner::published::Reached;
    let h100 = crate::hardware::find("h100-80").expect("a GPU");
    let reached = Reached::on(h100).expect("published runs");
    let run = run_of("how long to train llama 3 8b on 2B tokens on 16 H100");
    let (params, _) = training_run::Params::read(&run.query);
    assert!((params.mfu - reached.middle).abs() < 1e-4, "{}", params.mfu);
    assert!(
        run.says.contains("That MFU is assumed: half of ")
            && run.says.contains("The fastest layout that the parallel planner finds"),
        "{}",
        run.says
    );
    // Of a GPU that nobody published a run on, the estimate is all there is.
    let other = run_of("how long to train llama 3 8b on 2B tokens on 16 MI300X");
    assert!(other.says.contains("That MFU is the parallel planner’s estimate for "), "{}", other.says);
}

#[test]
fn a_training_speed_is_that_of_a_run() {
    let a = asked("how many tokens/s should I get on a 4090 for 1B training");
    assert_eq!((a.figure, value(&a, "gpus")), ("training-run", Some("1")), "{a:?}");
    assert!(a.says.contains(" tokens per second. "), "{}", a.says);
}

/// Questions as people put them, with what was worked out by hand: the figure, what its state has, and what the answer says.
#[test]
fn amounts_of_real_questions_come_to_what_a_hand_works_out() {
    for (question, figure, sets, says) in [
        // 70B × ½ byte is 35 GB; two cards have 48.
        (
            "can I run a 70B in 4-bit on 2x3090",
            "kv-cache",
            &[("gpu", "rtx-3090"), ("tp", "2"), ("weight-bits", "4")][..],
            "5 requests",
        ),
        // 34B × 2 bytes is 68 GB; nine tenths of three cards are 65.
        (
            "Any chance to run a 34b model on 3x4090? (w/o quantization)",
            "kv-cache",
            &[("gpu", "rtx-4090"), ("tp", "3")],
            "leaves 1 GB",
        ),
        (
            "70b lora on 2 rtx 4090 24 GB with bitsandbytes 4bit, still cuda oom",
            "lora-adapters",
            &[("dp", "2"), ("tune", "qlora")],
            "doesn’t fit",
        ),
        ("GRPO training a 7B on 24 H100 with 32k max response length", "rlhf-memory", &[("response", "32768")], "Fits"),
        // 6 × 7e9 × 1.2e12 / (1000 × 312e12 × 0.58) s.
        (
            "7B, 1.2T tokens, 1000 A800, utilisation 0.58: training time?",
            "training-run",
            &[("mfu", "0.58")],
            "takes 3.22 days",
        ),
        // 6 × 13e9 × 260e9 / (312e12 × 0.3676) / 3600 × $2.
        (
            "what would it cost to train a 13B on 260B tokens with A100s at $2 per hour",
            "training-run",
            &[],
            "costs $98,235 at $2 per",
        ),
        // 64 layers × 8 heads × 128 × 2 × 2 bytes × 32,768 × 64.
        (
            "KV cache size of Qwen3-32B at 32k for 64 users",
            "kv-cache",
            &[("tokens", "32768")],
            "64 of them take 550 GB",
        ),
        ("fp8 kv cache of llama 70b for one sequence of 128k tokens", "kv-cache", &[("kv-bits", "8")], "takes 21.5 GB"),
        // 6 × 7e9 × 12,000 / 989e12.
        ("what MFU is 12k tokens/s/GPU for 7B on H100", "run", &[], "MFU 51%"),
        ("9600 toks / sec per gpu for the 7B on H100, is that 24% or 46% MFU", "run", &[], "MFU 40.8%"),
        (
            "training Qwen2.5-32B with megatron, throughput is 420 TFLOPs per GPU on H200. what's the mfu",
            "run",
            &[],
            "MFU 42.5%",
        ),
        ("tok/sec: 529,882 on 8xA100 with a 560M model, mfu shows 74?", "run", &[], "MFU 71.3%"),
        // 6 × 32e9 × 64 × 8192 / 19 / 16 / 989e12.
        ("our 32B sft takes 19 s per step, 64 sequences of 8k on 16 H100: slow?", "run", &[], "MFU 33.5%"),
        (
            "how many tok/s should i expect from qwen 7b fp16 on a 4090",
            "serving-planner",
            &[],
            "About 47.3 tokens per second",
        ),
        (
            "llama2 70b on 4*A100 80GB, how many concurrent users at 4k context",
            "serving-planner",
            &[("have", "4")],
            "14 users at 50 ms",
        ),
        ("minimum number of H100s for inference of llama 3.1 405B fp8", "serving-planner", &[("tp", "8")], "8 × H100"),
        // 64 × 989e12 × MFU × 30 days / (6 × 7e9), at 42.4%, the median of the published runs.
        (
            "train 7B for 30 days on 64 H100, how many tokens does it see",
            "training-run",
            &[],
            "1.65 T tokens takes 30 days",
        ),
        (
            "I have 1000 H100-hours, how many tokens can I train a 1B on",
            "training-run",
            &[("gpus", "1")],
            "251 B tokens",
        ),
        ("how many H100 to train 7B on 1T tokens in 30 days", "training-run", &[("gpus", "40")], "at least 39 GPUs"),
        (
            "llama3 8B took 1.3M H100 hours on 24576 GPUs, how long is that",
            "training-run",
            &[("gpus", "24576")],
            "2.2 days",
        ),
        ("does a 2.8T params model fit on 64 B200", "memory-breakdown", &[("params", "2.8e12")], "Does not fit"),
        ("deepseek 671B on 16 H200, does it fit", "kv-cache", &[("tp", "16")], "its"),
        ("train a 3B with a budget of $50k on H100", "training-run", &[("money", "50000")], "costs $50,000"),
        ("number of trainable params of LoRA r=16 on llama 3 8b", "lora-adapters", &[], "41.9 M trainable parameters"),
        // 12 bytes per parameter.
        ("how much memory do the Adam states of a 13B model need", "memory-breakdown", &[], "states take 156 GB"),
        (
            "CUDA OOM with llama 2 7b on one A100 80GB without PEFT and quantization",
            "memory-breakdown",
            &[],
            "Does not fit",
        ),
        (
            "serving Qwen2.5-72B awq on 4 x 4090 with 32k context, how many requests at once",
            "kv-cache",
            &[("tp", "4")],
            "4 requests",
        ),
        ("gpu ram for a 32B q4 model with 16k ctx", "kv-cache", &[], "that is 23.5 GB"),
        (
            "vllm gpu_memory_utilization 0.95 llama 3 8b on a 3090, kv cache for 16k context?",
            "kv-cache",
            &[("used", "0.95")],
            "3 requests",
        ),
        ("vram for llama 2 7b with 10 concurrent users and 4k context", "kv-cache", &[], "10 of them take 21.5 GB"),
    ] {
        let a = asked(question);
        let standard = catalogue::find(figure).map(|entry| (entry.read)(&Query::default()).0).unwrap_or_default();
        let text = a.says.replace(['\u{a0}', '\u{202f}'], " ");
        assert!(a.figure == figure && text.contains(says), "{question}: {a:?}");
        for (name, expected) in sets {
            let got = value(&a, name).or(standard.get(name));
            assert_eq!(got, Some(*expected), "{question}: {name} of {}", a.query);
        }
    }
}

#[test]
fn what_is_no_question_of_memory_gets_no_figure_of_it() {
    for question in
        ["llama-70b bf16 pre-training has several loss spikes at the start", "expert load is unbalanced in deepseek v3"]
    {
        assert!(answers(question).is_empty(), "{question}: {:?}", answers(question));
    }
}

#[test]
fn what_no_state_of_one_model_answers_gets_none() {
    for question in [
        "Falcon-7B fine-tuning on 8xA100 40GB: ZeRO-3 has the same speed as FSDP but consumes more memory",
        "pipeline parallel 4 gpus llama 13b latency no better than one gpu",
        "H100 vs A100 for llama 3 70b inference",
        "llama2-7b on two V100: 29 tokens/s on one GPU, 17 tokens/s with tensor parallelism",
        "interleaved 1F1B is as fast as zero bubble and saves a lot of memory, 8 H800 80G 6.2B model",
        "why train a 7B on 1T tokens when chinchilla says 140B is enough",
        "why overtrain an 8B on 15T tokens instead of a compute-optimal one",
        "how to calculate cpu memory needed for zero3 offload 7B, 94G ram gets killed",
    ] {
        assert!(answers(question).is_empty(), "{question}: {:?}", answers(question));
    }
    for (question, figure) in [
        ("QLoRA vs full fine tuning of a 7B on one 24 GB card", "lora-adapters"),
        ("can I train a 13B on less than 8 A100 80GB", "memory-breakdown"),
        ("how many GPUs to serve llama 3 70b with less than 50 ms per token", "serving-planner"),
        ("how long does a 7B take on 1T tokens with 256 H100, and why", "training-run"),
        // No state is of ranks that it leaves out.
        ("70B with TP8 PP8 DP2 on 128 H100 and activation checkpointing", "parallel-planner"),
        ("70B with TP8 PP8 DP2 on 128 H100 gives only 296.5 TFLOPs/s/GPU, is that expected", RUN),
        ("llama 3 70b deployed on 4 x 4090, does it fit", "kv-cache"),
    ] {
        assert_eq!(asked(question).figure, figure, "{question}");
    }
}

/// Of a GPU that the table doesn't have nothing is said, rather than what holds for the figure's own.
#[test]
fn a_gpu_outside_the_table_is_no_other() {
    for question in [
        "4x RTX A5000 24GB finetune 7B zero3",
        "can I serve llama 3 8b on one rtx a5000 to 20 users",
        "train llama 3 8b on mac studio 192 GB",
        "8x P40 24GB llama 7b full finetuning",
    ] {
        for a in answers(question) {
            assert!(a.says.contains("isn’t in the table of GPUs") && !a.says.contains("Fits"), "{question}: {a:?}");
        }
        assert!(!answers(question).is_empty(), "{question}");
    }
}

#[test]
fn a_number_that_no_answer_counts_is_listed() {
    for (question, unused) in [
        ("PPO with a 13B actor and 7B critic and reward models on 8 A100 40GB", "7b"),
        ("can I run llama 3 70b on 2x 4090 with 96 GB", "96 GB"),
        ("train llama 3 8b on 8 H100 with temperature 0.7", "0.7"),
        ("does a 7B fit on 8x A100 80GB with 8x22b experts", "8x22b"),
        ("serve llama 3 8b on one L4 to 20 users at $3 per million tokens", "$3"),
        ("13B in 8-bit on one 3090", "8 bit"),
        ("can I run llama 3 70b on a dgx spark with 128GB", "spark, which isn’t in the table of GPUs"),
        ("serve a chat with llama 3 8b on one L4 to 20 users", "chat"),
        ("serve llama 3 8b to 20 users over RoCE", "RoCE"),
        ("train llama 3 8b on 512 H100, MTBF is 8 hours", "8 hours"),
    ] {
        let a = asked(question);
        assert!(a.unused.iter().any(|text| text == unused), "{question}: {a:?}");
    }
}

#[test]
fn two_sets_of_gpus_are_both_computed_and_stand_next_to_each_other() {
    for (question, figure, labels) in [
        ("4 L40S or 1 H200 for Llama 70B", "kv-cache", ["4 × L40S 48 GB: ", "1 × H200 SXM 141 GB: "]),
        ("2x4090 vs 1 A100 for serving a 13B", "kv-cache", ["2 × GeForce RTX 4090 24 GB: ", "1 × A100 SXM 80 GB: "]),
        ("should I serve llama 3 70b on 2 or 4 H100", "kv-cache", ["2 × H100 SXM 80 GB: ", "4 × H100 SXM 80 GB: "]),
        ("qwen2.5 32b inference: 4x L40S vs 2 NVIDIA A100 80GB cards", "kv-cache", ["4 × L40S", "2 × A100 SXM 80 GB"]),
        (
            "H100 vs A100 for llama 70b inference on 4 GPUs",
            "kv-cache",
            ["4 × H100 SXM 80 GB: ", "4 × A100 SXM 80 GB: "],
        ),
        ("8 H100 or 16 A100 to train a 7B on 100B tokens", "training-run", ["8 × H100 SXM 80 GB: ", "16 × A100"]),
        ("lora llama 3 8b on a 4090 instead of an A100 40GB", "lora-adapters", ["RTX 4090", "A100 SXM 40 GB: "]),
        ("4x H100 vs 8x L40S to serve llama 3 8b to 500 users", "serving-planner", ["4 × H100", "8 × L40S 48 GB: "]),
    ] {
        let all = answers(question);
        let [one, two] = all.as_slice() else { panic!("{question}: {all:?}") };
        assert_eq!((one.figure, two.figure), (figure, figure), "{question}");
        assert!(labels.iter().all(|label| one.says.contains(label)), "{question}: {}", one.says);
        assert!(one.unused.is_empty() && two.unused.is_empty() && one.query != two.query, "{question}: {all:?}");
    }
    // Each side says what its own question is told.
    let all = answers("can I run llama 3 70b on 4 L40S or 2 H100");
    let alone = asked("can I run llama 3 70b on 2 H100");
    assert_eq!((all.len(), &all[1].query, &all[1].says), (2, &alone.query, &alone.says));
    // Another "or" is none between GPUs, and a trouble has no state.
    for question in ["does llama 3 8b train on 8 H100 or do I need ZeRO", "llama 3 8b loss is NaN on A100 vs H100"] {
        assert!(!answers(question).iter().any(|a| a.says.contains("opens with the first")), "{question}");
    }
}

#[test]
fn a_layout_of_a_server_is_not_one_of_training() {
    let a = asked("TP or PP for serving llama 70b on 4 A100");
    assert_eq!((a.figure, value(&a, "tp")), ("kv-cache", Some("4")));
    assert!(a.says.starts_with("Computed with tensor parallelism. Pipeline stages aren’t computed"), "{}", a.says);
}

#[test]
fn the_fewest_gpus_of_reinforcement_learning_are_those_on_which_it_fits() {
    for question in ["minimum number of GPUs for GRPO of a 7B", "how many H100s do I need for GRPO of Qwen2.5 32B"] {
        let a = asked(question);
        let (params, _) = rlhf::Params::read(&a.query);
        let fits = |gpus: u64| rlhf::Params { gpus, ..params }.evaluate().is_ok_and(|step| step.verdict.possible());
        let before = if params.gpus > NODE { params.gpus - NODE } else { params.gpus / 2 };
        assert!(a.figure == rlhf::Params::ID && fits(params.gpus) && !fits(before), "{question}: {}", a.query);
        assert!(a.says.starts_with(&format!("At least {} × ", params.gpus)), "{question}: {}", a.says);
    }
}

#[test]
fn losing_a_node_is_a_failure_and_an_unsaid_write_time_is_assumed() {
    let a = asked("how often to checkpoint if I lose a node every 2 days");
    assert_eq!((a.figure, a.unused.len()), ("failure-campaign", 0), "{a:?}");
    assert!(a.says.contains("is assumed. Save every ") && a.says.contains("fails every 2 days"), "{}", a.says);
    let a = asked("we lose a node every 2 days, a checkpoint takes 5 min: how often to save");
    assert!(a.says.starts_with("Save every 2.77 h ") && value(&a, "write") == Some("300"), "{}", a.says);
}

#[test]
fn cards_by_their_memory_and_a_step_that_is_over_are_read() {
    let a = asked("QLoRA of a 32B on 2x24GB");
    assert_eq!((value(&a, "gpu"), value(&a, "dp"), a.unused.len()), (Some("rtx-4090"), Some("2"), 0), "{a:?}");
    assert!(asked("llama 3 8b OOM after the first step").says.contains("Step 2 is the first with Adam’s moments"));
    assert!(asked("llama 3 8b OOM in the first step").says.contains("nothing has piled up yet"));
}

#[test]
fn gpus_that_are_not_read_get_no_verdict_of_others() {
    for question in ["QLoRA of a 32B on 2*24GB", "QLoRA 30B on 2x24GB", "QLoRA 30B on 2 * 24 GB"] {
        let a = asked(question);
        assert_eq!((value(&a, "gpu"), value(&a, "dp")), (Some("rtx-4090"), Some("2")), "{question}: {a:?}");
    }
    for question in ["QLoRA of a 32B on a 23 GB card", "full fine-tuning of 7B on 3 fancy cards", "QLoRA 32B on 2y24gb"]
    {
        let a = asked(question);
        assert!(!a.unused.is_empty() && a.says.starts_with("Which GPUs"), "{question}: {a:?}");
    }
}

#[test]
fn a_layout_is_read_in_its_long_spellings() {
    for question in [
        "7B, tensor_parallelism=2 pipeline_parallelism=8 on 16 H100",
        "7B --tensor-model-parallel-size 2 --pipeline-model-parallel-size 8 16 H100 training",
        "7B training tensor_parallel_size=2, pipeline_parallel_size=8, 16 H100",
        "7B training on 16 H100 TP2 PP8",
        "7B training on 16 H100 with tp_size 2 and pp degree 8",
    ] {
        let reading = Reading::of(question);
        assert_eq!((reading.tp, reading.pp, reading.unread.len()), (Some(2), Some(8), 0), "{question}: {reading:?}");
        assert_eq!(reading.gpus, Some(16), "{question}");
    }
}

#[test]
fn examples_times_their_tokens_are_the_tokens_of_a_run() {
    for (question, tokens) in [
        ("fine-tune 70B qlora cost on one H100, 50k examples of 1k tokens", 50e6),
        ("how long to fine-tune 7B on 8 H100 with 20,000 samples, 2048 tokens each, 3 epochs", 20_000.0 * 2048.0 * 3.0),
        ("SFT of 8B, 10k training examples averaging 500 tokens, two epochs", 10e6),
    ] {
        let reading = Reading::of(question);
        assert_eq!((reading.tokens, reading.unread.len()), (Some(tokens), 0), "{question}: {reading:?}");
        assert!(run_of(question).read.iter().any(|read| read.contains("examples × ")), "{question}");
    }
    let batch = Reading::of("training 7B with 512 samples of 2048 tokens per step");
    assert_eq!(batch.tokens, None, "{batch:?}");
}

#[test]
fn a_bare_size_is_dense_unless_a_mixture_is_named() {
    let like = |question: &str, params: f64| read::like(params, Reading::of(question).is_mixture(), presets::LIST.ids);
    let is_mixture = |question, params| like(question, params).expect("a model").shape.moe.is_some();
    assert!(!is_mixture("QLoRA 30B on a 4090", 30e9));
    assert!(is_mixture("QLoRA 30B-A3B on a 4090", 30e9) && is_mixture("a 30B MoE on a 4090", 30e9));
    let a = asked("QLoRA of a 30B on 2 RTX 4090");
    assert!(a.read.iter().any(|read| read.contains("counted as Qwen3 32B")), "{:?}", a.read);
}

#[test]
fn how_many_gpus_an_adapter_takes_is_the_fewest_on_which_it_fits() {
    for question in
        ["how many H100 for LoRA of a 70B", "how many A100 40GB for QLoRA of a 70B", "minimum GPUs to LoRA tune 70B"]
    {
        let a = asked(question);
        let (params, _) = adapters::Params::read(&a.query);
        let fits = |dp: u64| {
            let params = adapters::Params { dp, ..params };
            params.evaluate().is_ok_and(|s| params.verdict(&s).possible())
        };
        assert_eq!(a.figure, adapters::Params::ID, "{question}");
        assert!(fits(params.dp) && (params.dp == 1 || !fits(params.dp / 2)), "{question}: {}", a.query);
        assert!(a.says.starts_with(&format!("At least {} × ", params.dp)), "{question}: {}", a.says);
    }
}

#[test]
fn users_that_nobody_named_decide_no_answer() {
    for (question, gpus, starts) in [
        ("can I serve Qwen3-32B on L40S", 4, "One L40S 48 GB isn’t enough. The smallest replica is 4 × "),
        ("throughput of llama 3 8b on h100 with vllm", 1, "One H100 SXM 80 GB is enough for up to "),
        ("how many GPUs to serve Qwen3-32B", 1, "The smallest replica is 1 × H100 SXM 80 GB, for up to "),
        ("what do I need to serve llama 70b", 2, "The smallest replica is 2 × H100 SXM 80 GB, for up to "),
        ("throughput of llama 70b on 2 A100 80GB with vllm", 2, "2 × A100 SXM 80 GB serve up to "),
    ] {
        let a = asked(question);
        assert!(a.figure == sizing::Params::ID && a.says.starts_with(starts), "{question}: {}", a.says);
        let (params, _) = sizing::Params::read(&a.query);
        let size = params.evaluate().ok().and_then(|plan| plan.size().cloned()).expect("a plan");
        // As many as the replicas hold with what the engine takes, and no fewer GPUs do.
        assert_eq!(size.gpus(), Some(gpus), "{question}: {}", a.query);
        assert_eq!(size.most.map(|most| most.batch * size.replicas), Some(params.users), "{question}: {}", a.query);
        assert!(params.machine.activations > 0.0 && size.verdict == Verdict::Fits, "{question}: {}", a.query);
        let fewer = sizing::Params { tp: size.tp / 2, users: 1, ..params.clone() };
        let holds =
            |p: &sizing::Params| p.evaluate().is_ok_and(|plan| plan.size().is_some_and(|s| s.replica() == p.tp));
        assert!(params.token > 0.05 || size.tp == 1 || !holds(&fewer), "{question}: {}", a.query);
    }
    for question in
        ["llama 70b with vllm", "deploy Mixtral 8x7B with vllm, which GPU", "minimum GPUs to host deepseek v3"]
    {
        assert!(value(&asked(question), "users").is_some_and(|users| users != "500"), "{question}");
    }
}

#[test]
fn tokens_per_day_are_users_at_the_same_time() {
    // 10⁷ tokens in 86,400 s are 116 per second, and 116 × 0.05 s are 5.8 users.
    let a = asked("what does it cost to serve 10M tokens a day with Llama 3.1 8B on an L4");
    assert_eq!((a.figure, value(&a, "users"), a.unused.len()), (sizing::Params::ID, Some("6"), 0), "{a:?}");
    assert!(a.says.contains("116 tokens per second"), "{}", a.says);
}

#[test]
fn a_serving_answer_has_the_verdict_of_its_figure() {
    for (question, verdict) in [
        ("can vllm serve llama 70b on 4 a100 40gb with 8k context", "Tight. "),
        ("serve Qwen3-32B on one L40S", "No request fits. "),
        ("can 2 H100s serve llama 3 70b to 17 users", "Tight beside the engine. "),
        ("can 8 H100s serve llama 3 70b to 5,000 users", "Not enough GPUs. "),
        ("serve llama 3 8b on an H100", ""),
    ] {
        let a = asked(question);
        let entry = catalogue::find(a.figure).expect("a figure");
        let own = decided(entry, &(entry.evaluate)(&a.query)).expect("a verdict");
        assert!(a.says.starts_with(verdict), "{question}: {}", a.says);
        assert_eq!(own.verdict == verdict.trim_end(), !verdict.is_empty(), "{question}: {own:?}");
    }
    let a = asked("serve Qwen3-32B on one L40S");
    assert!(a.says.contains(" 2 × L40S 48 GB hold it, with "), "{}", a.says);
}

#[test]
fn a_mixture_outside_the_table_is_no_other_mixture() {
    for (question, says) in [
        ("Qwen3-235B-A22B on 8 H100", "take 470 GB in bf16"),
        ("how many GPUs for Qwen3-235B-A22B with vllm", "at least 6 × H100 SXM 80 GB hold them"),
        ("Kimi K2 on 8x H200", "in 8 bits leaves "),
        ("kv cache of Qwen3-235B-A22B at 32k", "its layers and heads don’t follow from its size"),
    ] {
        let a = asked(question);
        assert_eq!((a.figure, value(&a, "mode")), (memory::Params::ID, Some("inference")), "{question}: {a:?}");
        assert!(a.says.contains(says) && a.says.contains("config.json"), "{question}: {}", a.says);
    }
    let run = run_of("how long to train Qwen3-235B-A22B on 1T tokens with 512 H100");
    assert_eq!((value(&run, "params"), value(&run, "total")), (Some("2.2e10"), Some("2.35e11")), "{}", run.query);
    // One that is in the table is itself, and a size without a name is counted as the nearest, which is said.
    assert_eq!(Reading::of("Qwen3.5-397B-A17B on 8 H200").preset.map(|p| p.id), Some("qwen3.5-397b-a17b"));
    assert!(!Reading::of("a 30B-A3B moe on a 4090").is_unlisted());
}

#[test]
fn a_size_before_a_name_is_of_that_name() {
    for (question, id) in [
        ("70b llama2 on 2 A100 80GB", "llama-2-70b"),
        ("70b llama 2 on 2 gpus", "llama-2-70b"),
        ("7b parameter llama 2", "llama-2-7b"),
        ("72b qwen2.5 on 4 H100", "qwen2.5-72b"),
        ("a 70b llama on 2 gpus", "llama-3.3-70b"),
    ] {
        let found = Reading::of(question).preset.map(|p| p.id);
        let newest =
            presets::ALL.iter().rev().find(|p| p.id.starts_with("llama") && p.id.ends_with("70b")).map(|p| p.id);
        let wanted = if question.starts_with("a 70b") { newest } else { Some(id) };
        assert_eq!(found, wanted, "{question}");
    }
}

#[test]
fn a_sequence_that_nothing_else_holds_is_divided() {
    let a = asked("fine-tune llama 3 8b with 1M context, how many H100");
    let (params, _) = memory::Params::read(&a.query);
    assert!(params.layout.cp > 1 && params.judged().is_some_and(|(_, verdict)| verdict.possible()), "{}", a.query);
    let half = memory::Params { layout: crate::memory::Layout { cp: params.layout.cp / 2, ..params.layout }, ..params };
    assert!(half.judged().is_some_and(|(_, verdict)| verdict != Verdict::Fits), "{}", a.query);
    assert!(a.says.contains("are enough, with context parallelism over "), "{}", a.says);
    // The GPUs that there are divide the sequence before more of them are taken.
    let a = asked("train llama 3 8b on 8 H100 with 128k context");
    assert!(a.says.contains("context parallelism over ") && !a.says.contains("more GPUs"), "{}", a.says);
}

#[test]
fn words_between_two_sets_of_gpus_are_of_both() {
    for question in [
        "4 L40S for 30B or rather 1 H200",
        "should I buy 4 L40S for a 30B or one H200",
        "is it better to use 4 L40S for llama 70b or 1 H200",
    ] {
        let all = answers(question);
        let [one, two] = all.as_slice() else { panic!("{question}: {all:?}") };
        assert_eq!((value(one, "gpu"), value(two, "gpu")), (Some("l40s-48"), Some("h200-141")), "{question}");
        assert!(one.says.contains("4 × L40S 48 GB: ") && one.says.contains("1 × H200 SXM 141 GB: "), "{}", one.says);
    }
}

#[test]
fn gpus_of_several_nodes_are_all_counted() {
    for (question, cluster) in [
        ("2 machines with 8x H100 80GB to deploy deepseek R1", [8, 2]),
        ("train a 32B on two 8xA100 80GB nodes", [8, 2]),
        ("serve deepseek v3 on two nodes of 8 H100", [8, 2]),
        ("2 nodes with 8x H100 80GB each", [8, 2]),
        ("train a 7B on one 8x H100 node", [8, 1]),
    ] {
        assert_eq!(Reading::of(question).cluster(), Some(cluster), "{question}");
    }
    let a = asked("Using 2 machines with 8x H100 80GB to deploy deepseek R1 671B, can it run");
    assert_eq!((a.figure, value(&a, "tp")), (cache::Params::ID, Some("16")), "{}", a.query);
    let a = asked(
        "2 machines with 8x H100 to deploy deepseek R1, can the context go to 128k without running out of memory?",
    );
    assert_eq!((value(&a, "tp"), value(&a, "tokens")), (Some("16"), Some("131072")), "{}", a.query);
}

#[test]
fn the_engine_of_rl_is_divided_where_that_makes_it_fit() {
    let a = asked("how many H20 96G cards do I need for GRPO on a 32B with verl");
    let (params, _) = rlhf::Params::read(&a.query);
    assert!(params.gpus <= 8 && params.gen_tp > 1, "{}", a.query);
    assert!(a.says.contains("With engines of ") && a.says.contains("A rule is taken to score"), "{}", a.says);
    let a = asked("GRPO on a 7B with a reward model on 8 H100");
    assert_eq!(value(&a, "reward-at"), None, "{}", a.query);
}

#[test]
fn slowness_without_a_part_that_is_slow_has_its_causes() {
    for question in [
        "throughput falls over hours",
        "training gets slower every epoch",
        "tokens per second drop after a few hours of training",
        "samples per second decrease after a few hours",
        "each step becomes slower and slower",
    ] {
        assert_eq!(asked(question).figure, "trace-detective", "{question}");
    }
    for question in [
        "training slow on 4 GPUs, fast on 2",
        "my training is slower on 4 GPUs than on 2",
        "Why is training faster on 1 V100 than on 2 V100s",
        "8 GPUs same speed as 4 GPUs",
    ] {
        let a = asked(question);
        assert!(a.figure == "scaling-curve" && a.says.contains("nvidia-smi topo -m"), "{question}: {a:?}");
    }
    for question in [
        "why does the loss drop slowly over epochs",
        "accuracy drops after 3 epochs",
        "vllm throughput drops over time",
        "memory grows slowly every iteration until OOM after 3000 steps",
        "tensor parallel on 4 GPUs is slower than on 2",
    ] {
        let is_told = |a: &Answered| ["trace-detective", "scaling-curve"].contains(&a.figure);
        assert!(!answers(question).iter().any(is_told), "{question}");
    }
}

#[test]
fn what_is_said_of_two_layouts_is_no_measurement_of_one() {
    let all = answers("FSDP 8 gets 26.9% MFU and FSDP 2 x TP 4 gets 22.4%, shouldn't TP be faster");
    assert!(all.iter().all(|a| a.figure != RUN), "{all:?}");
    let a = asked("nanoGPT on my card shows mfu 7%");
    assert!(a.figure == RUN && a.says.contains("312 TFLOP/s"), "{a:?}");
}

#[test]
fn no_verb_is_a_unit() {
    let a = asked("GPT-2 124m takes 100% of one H100 in training");
    assert!(!a.unused.iter().any(|text| text.contains("takes") || text.contains("124m")), "{:?}", a.unused);
    // Its positions end at 1,024.
    let run = run_of("how long to pretrain a 125M GPT2 on 300B tokens with 8 A100s");
    assert_eq!(value(&run, "seq"), Some("1024"), "{}", run.query);
}
