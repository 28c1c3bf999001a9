use super::*;

fn asked(question: &str) -> Answered {
    answers(question).into_iter().next().unwrap_or_else(|| panic!("{question}"))
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
    assert!(a.says.contains("LoRA") && a.says.contains("24 GB"), "{}", a.says);
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
        let a = asked(question);
        assert_eq!(a.figure, figure, "{question}");
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
    assert_eq!(a.read, ["3B parameters", "T4 16 GB"]);
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
        ("does llama 3 8b fit on a H100 NVL", "H100 NVL"),
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
    let a = asked("how long to train 7B on 1T tokens on 64 H100 at 45% MFU");
    assert_eq!((a.figure, value(&a, "mfu")), ("training-run", Some("0.45")));
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
            "Fits with ZeRO\u{2011}3/FSDP: 32.8 GB of states per GPU, 47.2 GB left for activations. Not with "
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
    let a = asked("how long to fine-tune a 32B model on 100M tokens with 16 A100 80GB");
    assert_eq!((a.figure, value(&a, "tokens").and_then(crate::query::parse_number)), ("training-run", Some(1e8)));
    let spaced: String = a.says.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    assert!(spaced.contains("100 M tokens"), "{}", a.says);
    assert!(a.unused.is_empty(), "{:?}", a.unused);
    assert_eq!(asked("how long will fine-tuning take").figure, "training-run");
    assert_eq!(asked("how long does LoRA tuning of llama 3 8b take on a 4090").figure, "training-run");
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
fn a_rate_of_requests_is_served_and_is_not_counted() {
    for (question, rate) in
        [("50 req/s llama 3 70b how many gpus", "50 req"), ("llama 3 70b at 20 qps on h100", "20 qps")]
    {
        let a = asked(question);
        assert_eq!((a.figure, value(&a, "users"), &a.unused[..]), ("serving-planner", None, &[rate.to_owned()][..]));
    }
}

#[test]
fn what_is_not_counted_is_said() {
    let unused = |question: &str| asked(question).unused;
    assert_eq!(unused("does 13B fit on 8 H100 to train in 3 days"), ["3 days"]);
    assert_eq!(
        unused("train 13B with offloading and rank 8 in 16k context on 8 H100"),
        ["rank 8", "16,384 tokens of context", "offloading to host memory"]
    );
    assert_eq!(unused("how long does llama 3 8b serve 50 users on 1 H100"), ["how long"]);
    assert!(asked("llama 3 8b on a 4090 in 30 minutes").read_as().contains(" Not used: 30 minutes."));
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

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,120}", n in 0_u64.., unit in "[a-z]{0,3}") {
        let _ = answers(&format!("{text} 7B lora {n}{unit} gpus {n} users {n}k context {text}"));
    }
}
