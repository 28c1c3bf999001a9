use super::command::{Read, Server, read};
use super::figure::Params;
use super::requests::Trace;
use super::scheduler::Policy;
use super::sizing;
use super::step::{Chunk, Deployment, Quant, Reach};
use crate::declare::{Model, Text as _};
use crate::hardware;
use crate::model::presets;
use crate::query::Query;

fn deployment(model: &str, gpu: &str, tp: u64, quant: Quant) -> Deployment {
    Deployment {
        dp: 1,
        shape: presets::find(model).expect("there").shape,
        gpu: hardware::find(gpu).expect("there"),
        tp,
        stored: super::step::Stored::of(quant),
        share: crate::kv_cache::figure::USED,
        kv_bits: if quant == Quant::Bf16 { 16 } else { 8 },
        reach: Reach::Kernels,
        activations: 0.0,
    }
}

#[test]
fn decoding_alone_is_the_weights_over_the_bandwidth() {
    let peak = Deployment { reach: Reach::Peak, ..deployment("llama-3-8b", "h100-80", 1, Quant::Bf16) };
    let engine = peak.engine().expect("fits");
    let step = engine.decode(1, 0);
    let weights = (8_030_261_248.0 - 128_256.0 * 4096.0) * 2.0;
    assert!((step.products / (weights / 3.35e12) - 1.0).abs() < 1e-3, "{step:?}");
    assert!(!step.compute_bound && engine.prefill(1, 2048).compute_bound);
    assert_eq!(engine.per_token, 131_072.0);
    assert_eq!((step.communication, step.launches), (0.0, 0.0));
}

#[test]
fn chunks_of_a_prompt_do_the_work_of_the_prompt() {
    for model in ["llama-3-70b", "gemma-2-27b"] {
        let engine = deployment(model, "h100-80", 4, Quant::Bf16).engine().expect("fits");
        let whole = engine.step([Chunk { new: 8192, past: 0 }]);
        let head = 2.0 * 15.0 * engine.step([Chunk { new: 1, past: 0 }]).flop;
        let parts: f64 = (0..16).map(|i| engine.step([Chunk { new: 512, past: 512 * i }]).flop).sum();
        assert!(parts >= whole.flop && parts - whole.flop < head, "{model}: {parts} {}", whole.flop);
    }
}

/// NVIDIA/TensorRT-LLM, docs/source/performance.md at 138f96d (v0.6.1), "Peak Throughput": static batches in fp8 on H100, in fp16 on
/// A100. Model, GPU, TP, batch, input, output, tokens a second of a GPU.
type Row = (&'static str, &'static str, u64, u64, u64, u64, f64);
const TENSORRT: [Row; 11] = [
    ("llama-2-7b", "h100-80", 1, 768, 128, 128, 19_694.0),
    ("llama-2-7b", "h100-80", 1, 112, 128, 2048, 6818.0),
    ("llama-2-7b", "h100-80", 1, 80, 2048, 128, 2244.0),
    ("llama-2-7b", "h100-80", 1, 48, 2048, 2048, 2740.0),
    ("llama-2-70b", "h100-80", 2, 1024, 128, 128, 2657.0),
    ("llama-2-70b", "h100-80", 4, 480, 128, 2048, 1486.0),
    ("llama-2-70b", "h100-80", 2, 96, 2048, 128, 306.0),
    ("llama-2-70b", "h100-80", 2, 64, 2048, 2048, 547.0),
    ("llama-2-7b", "a100-80", 1, 384, 128, 128, 5586.0),
    ("llama-2-7b", "a100-80", 1, 60, 128, 2048, 1928.0),
    ("llama-2-7b", "a100-80", 1, 52, 2048, 128, 591.0),
];

/// The 7B model is met within a third, most rows within 15%. On the 70B model the engine of that time was up to 2.3 times slower than
/// its kernels; MLPerf's of a year later was as fast.
#[test]
fn static_batches_are_as_fast_as_measured() {
    for (model, gpu, tp, batch, input, output, measured) in TENSORRT {
        let quant = if gpu == "h100-80" { Quant::Fp8 } else { Quant::Bf16 };
        let engine = deployment(model, gpu, tp, quant).engine().expect("fits");
        let decode: f64 = (1..output).map(|i| engine.decode(batch, input + i).time()).sum();
        let rate = (batch * output) as f64 / (engine.prefill(batch, input).time() + decode) / tp as f64;
        let (low, high) = if model == "llama-2-7b" { (0.85, 1.35) } else { (1.05, 2.3) };
        let ratio = rate / measured;
        assert!(
            (low..high).contains(&ratio),
            "{model} {gpu} {batch} × {input}/{output}: {rate:.0}, measured {measured}"
        );
    }
}

fn value(query: &str, id: &str) -> f64 {
    let result = (Params::ENTRY.evaluate)(&Query::parse(query));
    result.get(id).unwrap_or_else(|| panic!("{id} of {query}"))
}

fn planned(query: &str, id: &str) -> f64 {
    let result = (sizing::Params::ENTRY.evaluate)(&Query::parse(query));
    result.get(id).unwrap_or_else(|| panic!("{id} of {query}"))
}

/// Every request gets every token, in order, whatever the policy; no block is left over.
#[test]
fn everybody_is_served() {
    for policy in Policy::ALL {
        for load in
            ["blocks=40&rate=0", "rate=64&shared=100", "rate=16&tokens=64&seqs=2&blocks=100", "output=1&requests=5"]
        {
            let query = format!("policy={}&prompt=100&{load}", policy.id());
            let (params, problems) = Params::read(&Query::parse(&query));
            assert_eq!(problems, [], "{query}");
            let shown = params.evaluate().unwrap_or_else(|why| panic!("{query}: {why}"));
            let s = &shown.schedule;
            for (request, outcome) in s.requests.iter().zip(&s.outcomes) {
                assert_eq!(outcome.tokens.len() as u64, request.output, "{query}");
                assert!(outcome.tokens.is_sorted() && outcome.first(request) > 0.0, "{query}");
            }
            for step in &s.steps {
                let new: u64 = step.batch.work.iter().map(|work| work.chunk.new).sum();
                let most = if policy == Policy::Static || !step.batch.prefills() { u64::MAX } else { params.tokens };
                assert!(new <= most && step.batch.free <= s.blocks && step.to > step.from, "{query}");
            }
            assert_eq!(s.preemptions() > 0, value(&query, "preemptions") > 0.0);
        }
    }
}

#[test]
fn static_batches_keep_slots_of_the_dead() {
    let load = "rate=0&requests=32&seqs=8&seed=3";
    let of = |policy: &str, id: &str| value(&format!("policy={policy}&{load}"), id);
    assert!(of("static", "padding") > 0.2 && of("prefill-first", "padding") == 0.0);
    assert!(of("prefill-first", "throughput") > 1.3 * of("static", "throughput"));
    assert!(of("prefill-first", "mean-batch") > of("static", "mean-batch"));
}

#[test]
fn a_long_prompt_stalls_everybody_unless_it_comes_in_pieces() {
    let load = "rate=0&tokens=32768&trace=0 100 200;0 100 200;0.3 20000 8";
    let whole = value(&format!("policy=prefill-first&{load}"), "gap-max");
    let pieces = value(&format!("policy=chunked&{}", load.replace("32768", "512")), "gap-max");
    let apart = value(&format!("policy=disaggregated&{load}"), "gap-max");
    // What is left apart is the way of the long prompt's cache to the other replica.
    assert!(whole > 10.0 * pieces && whole > 5.0 * apart, "{whole} {pieces} {apart}");
}

#[test]
fn a_prefix_is_computed_once() {
    let load = "rate=4&shared=2048&prompt=64&lengths=equal&requests=8";
    let with = value(&format!("{load}&prefix=true"), "prefilled");
    let without = value(&format!("{load}&prefix=false"), "prefilled");
    assert!(with < 0.3 * without && value(&format!("{load}&prefix=true"), "found") >= 2048.0, "{with} {without}");
}

#[test]
fn past_the_knee_fewer_keep_the_promise() {
    let (params, _) = Params::read(&Query::parse("view=goodput"));
    let shown = params.evaluate().expect("possible");
    for (policy, points) in &shown.sweep.of {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { panic!("{policy:?}") };
        assert!(first.attained >= last.attained, "{policy:?}: {first:?} {last:?}");
    }
    assert!(shown.sweep.knee(Policy::PrefillFirst) > shown.sweep.knee(Policy::Static));
}

#[test]
fn traces_are_read_and_what_is_wrong_is_said() {
    let azure =
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.98,4808,10\n2023-11-16 18:17:04.03,3180,8";
    let listed = Trace(azure.to_owned()).listed();
    assert!(listed.timed && listed.wrong.is_empty());
    let [first, second] = listed.requests[..] else { panic!("{listed:?}") };
    assert_eq!((first.arrival, first.prompt, second.output), (0.0, 4808, 8));
    assert!((second.arrival - 0.05).abs() < 1e-6, "{second:?}");
    for (text, says) in [
        ("512", "“prompt output”"),
        ("512 0", "The answer must be"),
        ("1 2 3 4", "“prompt output”"),
        ("x 5 5", "must come after"),
        ("5 5\n7 -1", "line 2"),
    ] {
        let mut trace = Trace::default();
        let why = trace.read(text).expect_err(text);
        assert!(why.contains(says), "{text}: {why}");
        assert_eq!(trace.write(), text);
    }
    let refused = (Params::ENTRY.evaluate)(&Query::parse("blocks=2&trace=100 100"));
    assert!(refused.get("steps").is_none());
}

#[test]
fn a_plan_keeps_its_promise() {
    for query in
        ["", "quant=fp8&kv-bits=8", "users=10000&token=0.03", "model=llama-3-8b&tp=1", "model=mixtral-8x7b&quant=fp8"]
    {
        let of = |id: &str| planned(query, id);
        let (params, _) = sizing::Params::read(&Query::parse(query));
        assert!(of("token-time") <= params.token && of("batch") <= of("most-users"), "{query}");
        assert_eq!(of("gpus"), of("replicas") * of("replica-gpus"), "{query}");
        assert!(of("replicas") * of("most-users") >= params.users as f64, "{query}");
        let dollars = of("dollars-per-hour") / (3600.0 * of("throughput")) * 1e6;
        assert!((of("dollars-per-million") / dollars - 1.0).abs() < 1e-9, "{query}");
    }
    assert!(planned("quant=fp8&kv-bits=8", "gpus") < planned("", "gpus"));
    assert!(planned("prompt=8192", "gpus") > planned("", "gpus"));
    let refused = (sizing::Params::ENTRY.evaluate)(&Query::parse("token=0.0005"));
    assert!(refused.get("gpus").is_none());
}

/// A prefix cache saves the computation of prompts, and no reading of the cache: a step that also reads 768 tokens per user is longer
/// than one with prompts of 256.
#[test]
fn a_cached_prefix_is_read_but_not_computed() {
    let at = |query: &str| {
        let (params, problems) = sizing::Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        let engine = crate::serving::machine::Machine { tp: 2, ..params.machine }.deployment().engine().expect("fits");
        params.point(&engine, 2, 64).token
    };
    let [whole, cached, short] = ["prompt=1024", "prompt=1024&cached=768", "prompt=256"].map(at);
    assert!(short < cached && cached < whole, "{short} {cached} {whole}");
    assert!((at("prompt=1024&cached=1024") / at("prompt=1024&cached=1023") - 1.0).abs() < 1e-9);
}

/// DeepSeek-V3 in fp8: attention on one GPU each, experts over all. Each GPU keeps one copy of the rest, so that a latent is kept once,
/// not once for every GPU of a tensor-parallel group.
#[test]
fn groups_keep_a_token_once_and_share_the_experts() {
    let tensor = deployment("deepseek-v3", "h200-141", 8, Quant::Fp8).engine().expect("fits");
    let groups = Deployment { tp: 1, dp: 8, ..deployment("deepseek-v3", "h200-141", 8, Quant::Fp8) };
    let apart = groups.engine().expect("fits");
    assert!((tensor.per_token / apart.per_token - 8.0).abs() < 1e-9);
    let count = groups.shape.count().expect("is sound");
    let experts = count.experts as f64;
    let rest = count.stored(1.0) - experts;
    assert!((apart.stored - (experts + 8.0 * rest)).abs() < 1.0 && (tensor.stored - (experts + rest)).abs() < 1.0);
    // 61 layers, 576 values, one byte.
    assert_eq!(apart.per_token, 61.0 * 576.0);
    // More requests, longer contexts: attention gains, products lose, and copies of tokens are sent.
    let (one, other) = (tensor.decode(256, 8192), apart.decode(256, 8192));
    assert!(other.attention < one.attention && other.products > one.products && other.communication > 0.0);
    // One group is tensor parallelism as it was.
    let same = Deployment { dp: 1, ..groups }.engine();
    assert!(same.is_err(), "671 GB do not fit on one GPU");
    let dense = Deployment { dp: 2, ..deployment("llama-3-8b", "h100-80", 1, Quant::Bf16) };
    assert!(dense.engine().is_err_and(|why| why.contains("replicas")));
}

/// DeepSeek's own report of its decoding (deepseek-ai/open-infra-index, "DeepSeek-V3/R1 Inference System Overview": 14,800 output tokens a
/// second for a node of eight H800, EP 144, contexts of 4,989 tokens on average). Their experts are not evenly chosen and their kernels
/// overlap two batches; the model should not be slower than they are, nor several times as fast.
#[test]
fn a_wide_deployment_decodes_about_as_fast_as_deepseek_reports() {
    let wide = Deployment { tp: 1, dp: 128, kv_bits: 16, ..deployment("deepseek-v3", "h800", 1, Quant::Fp8) };
    let engine = wide.engine().expect("fits");
    let step = engine.decode(128 * 64, 4989);
    let per_gpu = 64.0 / step.time();
    let reported = 14_800.0 / 8.0;
    assert!((0.5..3.0).contains(&(per_gpu / reported)), "{per_gpu} against {reported}");
}

/// What a plan says is written for each engine, and what vLLM is told sets the figure to the same.
#[test]
fn a_plan_is_written_as_a_command_and_read_back() {
    use crate::serving::sizing::Params;
    let state =
        "model=deepseek-v3&gpu=h200-141&tp=1&dp=16&quant=fp8&kv-bits=8&users=2000&token=0.1&prompt=4000&output=96";
    let params = Params::read(&Query::parse(state)).0;
    let plan = params.evaluate().expect("fits");
    let text = params.serve(&plan, Server::Vllm).write(Server::Vllm).expect("can be written");
    for part in [
        "deepseek-ai/DeepSeek-V3",
        "--data-parallel-size 16",
        "--enable-expert-parallel",
        "--max-model-len 4096",
        "--kv-cache-dtype fp8",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let mut back = Params::read(&Query::parse("gpu=h200-141&users=2000&token=0.1&prompt=4000&output=96")).0;
    let left = back.take(&read(&text).expect("is a command"));
    assert!(left.is_empty(), "{left:?}");
    // Another plan has other requests per step.
    let left = Params::standard().take(&read(&text).expect("is a command"));
    assert!(left.iter().any(|line| line.contains("--max-num-seqs")), "{left:?}");
    assert_eq!((back.machine.dp, back.tp, back.machine.quant, back.machine.kv_bits), (16, 1, Quant::Fp8, 8));
    assert_eq!((back.machine.model, back.prompt + back.output), (params.machine.model, 4096));
    for server in Server::ALL {
        assert!(params.serve(&plan, server).write(server).is_ok());
    }
}

/// Requests by shape: long answers fill the cache, cached prompts cost no computing, and a promise of the first token bounds the batch.
#[test]
fn workloads_of_other_shapes_are_planned() {
    use crate::serving::sizing::Params;
    let plan = |state: &str| {
        let params = Params::read(&Query::parse(&format!(
            "model=llama-3-70b&gpu=h200-141&quant=fp8&kv-bits=8&token=0.05&{state}"
        )))
        .0;
        params.evaluate().map(|plan| plan.size().and_then(|size| size.gpus()).unwrap_or(0))
    };
    let chat = plan("users=100&prompt=1024&output=256").expect("fits");
    assert!(plan("users=100&prompt=1024&output=16000").expect("fits") > chat);
    let cached = plan("users=100&prompt=100000&cached=95000&output=500").expect("fits");
    assert!(cached <= plan("users=100&prompt=100000&output=500").unwrap_or(u64::MAX));
    let strict = plan("users=500&prompt=8192&output=256&first=0.5").expect("fits");
    assert!(strict >= plan("users=500&prompt=8192&output=256").expect("fits"));
    assert!(
        plan("users=1&prompt=100000&output=256&first=0.1").is_err_and(|why| why.starts_with("The first token takes"))
    );
}

/// Whatever a command says either changes the state or is in what is said of it.
#[test]
fn every_option_is_used_or_listed() {
    fn check<P: Model + Clone + PartialEq>(
        state: &str,
        (base, options): (&str, &[&str]),
        take: fn(&mut P, &Read) -> Vec<String>,
    ) {
        let start = P::read(&Query::parse(state)).0;
        let taken = |command: &str| {
            let mut params = start.clone();
            let left = take(&mut params, &read(command).expect(command));
            (params, left.join(" "))
        };
        let (plain, _) = taken(base);
        for option in options {
            let (params, left) = taken(&format!("{base} {option}"));
            let sentences = ["Pipeline stages", "TensorRT-LLM’s share"];
            let is_said = left.contains(option) || sentences.iter().any(|sentence| left.contains(sentence));
            assert!(is_said || params != plain, "{base} {option}: {left}");
        }
    }
    let engines: [(&str, &[&str]); 3] = [
        (
            "vllm serve Qwen/Qwen3-30B-A3B",
            &[
                "--tensor-parallel-size 4",
                "--tensor-parallel-size 64",
                "--pipeline-parallel-size 2",
                "--data-parallel-size 2",
                "--enable-expert-parallel",
                "--max-model-len 16384",
                "--max-num-seqs 7",
                "--max-num-seqs 100000",
                "--max-num-batched-tokens 1000",
                "--block-size 32",
                "--gpu-memory-utilization 0.8",
                "--quantization fp8",
                "--quantization gguf",
                "--kv-cache-dtype fp8",
                "--kv-cache-dtype turboquant_3bit_nc",
                "--no-enable-prefix-caching",
                "--no-enable-chunked-prefill",
                "--enforce-eager",
                "--swap-space 4",
            ],
        ),
        (
            "python -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B",
            &[
                "--tp-size 4",
                "--dp-size 2",
                "--attn-dp-size 2",
                "--ep-size 4",
                "--context-length 16384",
                "--max-running-requests 7",
                "--chunked-prefill-size 1000",
                "--page-size 32",
                "--mem-fraction-static 0.8",
                "--quantization fp8",
                "--kv-cache-dtype fp8_e5m2",
                "--disable-radix-cache",
                "--schedule-policy lpm",
            ],
        ),
        (
            "trtllm-serve Qwen/Qwen3-30B-A3B",
            &[
                "--tp_size 4",
                "--pp_size 2",
                "--ep_size 4",
                "--max_seq_len 16384",
                "--max_batch_size 7",
                "--max_num_tokens 1000",
                "--free_gpu_memory_fraction 0.8",
                "--kv_cache_dtype fp8",
                "--config serve.yaml",
            ],
        ),
    ];
    for engine in engines {
        check::<sizing::Params>("prompt=2048&cached=512", engine, sizing::Params::take);
        check::<Params>("", engine, Params::take);
    }
}

/// What the batching figure writes for an engine sets it to the same again, and nothing of it is left over.
#[test]
fn exports_read_back_to_the_state_that_wrote_them() {
    for query in [
        "model=llama-3-8b&policy=chunked&seqs=64&tokens=8192",
        "model=llama-3-8b&policy=prefill-first&prefix=false&block=32&share=0.8",
        "model=deepseek-v3&policy=chunked&tp=1&dp=16&quant=fp8&kv-bits=8&block=64&gpu=h200-141",
    ] {
        let state = Params::read(&Query::parse(query)).0;
        for server in [Server::Vllm, Server::Sglang] {
            let text = state.serve(server).write(server).expect(query);
            let gpu = Query::new([("gpu", state.machine.gpu.id)]);
            let mut back = Params::read(&gpu).0;
            let left = back.take(&read(&text).expect("a command"));
            assert_eq!(left, Vec::<String>::new(), "{text}");
            let of = |p: &Params| (p.seqs, p.tokens, p.block, p.prefix, p.policy, p.machine);
            assert_eq!(of(&back), of(&state), "{text}");
        }
    }
}

/// Answers of 16,000 tokens, and prompts of 100,000 of which 95% are cached.
#[test]
fn reasoning_and_agents_are_scheduled() {
    for query in [
        "requests=12&rate=1&prompt=512&output=16000&lengths=equal&seqs=16&policy=chunked",
        "requests=12&rate=1&prompt=100000&shared=95000&output=500&lengths=equal&seqs=16&policy=chunked&tokens=8192",
    ] {
        let state = Params::read(&Query::parse(query));
        assert_eq!(state.1, [], "{query}");
        let shown = state.0.evaluate().unwrap_or_else(|why| panic!("{query}: {why}"));
        assert_eq!(shown.schedule.outcomes.iter().filter(|o| o.tokens.is_empty()).count(), 0, "{query}");
    }
    for query in [
        "sessions=6&turns=1&prompt=512&output=16000&lengths=equal",
        "sessions=16&turns=4&prompt=5000&shared=95000&output=500",
    ] {
        let state = super::fleet::Params::read(&Query::parse(query));
        assert_eq!(state.1, [], "{query}");
        assert!(state.0.evaluate().is_ok_and(|outcome| outcome.run.answered > 0), "{query}");
    }
}

/// One request on one replica is the state that kv-cache has a verdict on, too.
#[test]
fn the_planner_and_the_cache_say_the_same_of_the_same_state() {
    use crate::kv_cache::blocks::figure::Params as Cache;
    for (state, tp) in [
        ("model=llama-3-8b", 1),
        ("model=llama-3-70b", 2),
        ("model=qwen2.5-32b&gpu=a100-80", 1),
        ("model=llama-2-13b", 1),
    ] {
        for share in ["0.9", "0.8", "0.36", "0.35", "0.34", "0.33"] {
            let cache = Query::parse(&format!("{state}&view=fit&tp={tp}&tokens=1280&used={share}"));
            let plan = Query::parse(&format!("{state}&users=1&tp={tp}&prompt=1024&output=256&token=10&share={share}"));
            let ((cache, _), (planner, _)) = (Cache::read(&cache), sizing::Params::read(&plan));
            let (Ok(shown), Ok(planned)) = (cache.evaluate(), planner.evaluate()) else { continue };
            let size = planned.size().expect("a size");
            assert_eq!(size.verdict, shown.fit.verdict, "{state} {share}");
        }
    }
    let (planner, _) = sizing::Params::read(&Query::parse("model=llama-3-8b&users=1&tp=1&token=10&share=0.203"));
    let plan = planner.evaluate().expect("it fits without the engine");
    assert_eq!(plan.size().expect("a size").verdict, crate::memory::Verdict::Tight);
}
