//! What the engines' own parsers said of the server commands that are written: `tests/frameworks/serving.json`, which
//! `cargo xtask test --only frameworks` writes.

use std::collections::BTreeMap;

use super::verdicts::digest;
use ringside_core::declare::Model;
use ringside_core::query::Query;
use ringside_core::serving::command::{Serve, Server};
use ringside_core::serving::{dynamo, figure, sizing};

const VERDICTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/frameworks/serving.json");
/// Where the commands are written, if it names a file.
const COMMANDS: &str = "SERVING_COMMANDS";

/// States of the figure that plans servers, and of the one that batches. Between them they write every option.
const PLANS: [&str; 12] = [
    "model=llama-3-70b&users=500&token=0.05&quant=bf16&kv-bits=16",
    "model=llama-3-70b&users=500&token=0.05&quant=fp8&kv-bits=8",
    "model=llama-3-70b&users=500&token=0.05&quant=fp8&kv-bits=8&prompt=1024&output=16000",
    "model=llama-3-70b&users=100&token=0.05&quant=fp8&kv-bits=8&prompt=100000&cached=95000&output=500&gpu=h200-141",
    "model=deepseek-v3&users=2000&token=0.1&tp=1&dp=32&quant=fp8&kv-bits=8&prompt=4000&output=1000&gpu=h200-141",
    "model=deepseek-v3&users=500&token=0.1&tp=8&dp=4&quant=fp8&kv-bits=8&gpu=h200-141",
    "model=llama-3-8b&users=500&token=0.05&quant=bf16&kv-bits=16",
    "model=llama-3-8b&users=500&token=0.05&quant=int8&kv-bits=8",
    "model=llama-2-70b&users=3344&token=0.155&tp=2&quant=fp8&kv-bits=8&prompt=294&output=290",
    "model=qwen3-32b&users=200&token=0.05&tp=2&quant=int4&kv-bits=8",
    "model=qwen3-32b&users=200&token=0.05&tp=4&quant=nvfp4&kv-bits=4&gpu=b200",
    "model=gpt2&users=100&token=0.05&quant=bf16&kv-bits=16",
];
const BATCHES: [&str; 6] = [
    "model=llama-3-8b&policy=chunked&seqs=64&tokens=8192",
    "model=llama-3-8b&policy=prefill-first&prefix=false&block=32",
    "model=llama-3-8b&policy=static&seqs=256",
    "model=llama-3-70b&policy=disaggregated&tp=4&quant=fp8&kv-bits=8",
    "model=deepseek-v3&policy=chunked&tp=1&dp=16&quant=fp8&kv-bits=8&block=64&gpu=h200-141",
    "model=qwen3-32b&policy=chunked&tp=2&quant=int4&kv-bits=4",
];

fn read<P: Model>(query: &str) -> P {
    let (params, problems) = P::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

/// Every option at once: more than a figure sets.
fn whole() -> Serve {
    Serve {
        model: "deepseek-ai/DeepSeek-V3".to_owned(),
        tp: Some(2),
        pp: Some(2),
        dp: Some(4),
        replicas: None,
        expert_parallel: true,
        max_len: Some(32_768),
        max_seqs: Some(256),
        max_tokens: Some(8192),
        block: Some(64),
        memory: Some(0.9),
        quantization: Some("fp8".to_owned()),
        kv: Some("fp8".to_owned()),
        prefix: Some(false),
        chunked: None,
    }
}

/// What a manifest has vLLM started with in each of its pools, without the flags that are Dynamo's own.
fn workers(manifest: &str) -> Vec<String> {
    let arguments = |part: &str| -> Vec<String> {
        let quoted = part.lines().filter_map(|line| line.strip_prefix("          - '")?.strip_suffix('\''));
        quoted.map(|argument| argument.replace("''", "'")).collect()
    };
    let all = manifest.split("  - name: ").map(arguments).filter(|words| !words.is_empty());
    let command = |mut words: Vec<String>| {
        let own = words.iter().position(|word| word == "--disaggregation-mode").expect("Dynamo's");
        words.drain(own..own + 2);
        assert_eq!(words[0], "--model");
        words.splice(..1, ["vllm", "serve"].map(str::to_owned));
        shlex::try_join(words.iter().map(String::as_str)).expect("no NUL")
    };
    all.map(command).collect()
}

/// Every command that a parser is to accept: for which engine, from which state, and the text.
fn commands() -> Vec<(Server, String, String)> {
    let mut all = Vec::new();
    let mut add = |server: Server, from: String, serve: &Serve| {
        if let Ok(text) = serve.write(server) {
            all.push((server, from, text));
        }
    };
    for server in Server::ALL {
        for query in PLANS {
            let params: sizing::Params = read(query);
            let plan = params.evaluate().unwrap_or_else(|why| panic!("{query}: {why}"));
            add(server, format!("{}?{query}", sizing::Params::ID), &params.serve(&plan, server));
        }
        for query in BATCHES {
            add(server, format!("{}?{query}", figure::Params::ID), &read::<figure::Params>(query).serve(server));
        }
        add(server, "every option".to_owned(), &whole());
        add(server, "copies".to_owned(), &Serve { replicas: Some(2), chunked: Some(true), ..whole() });
        add(server, "no chunks".to_owned(), &Serve { chunked: Some(false), prefix: Some(true), ..whole() });
        add(server, "a folder".to_owned(), &Serve { model: "my models/8b it's".to_owned(), ..Serve::default() });
    }
    for query in PLANS {
        let params: sizing::Params = read(query);
        if let Ok(manifest) = params.evaluate().and_then(|plan| dynamo::manifest(&params, &plan)) {
            let workers = workers(&manifest);
            assert_eq!(workers.len(), 2, "{manifest}");
            for (pool, text) in ["prefill", "decode"].into_iter().zip(workers) {
                all.push((Server::Vllm, format!("{}?{query}, {pool} pool", sizing::Params::ID), text));
            }
        }
    }
    all
}

/// The digest of a command without its whole numbers: a parser that took one takes the model's next one.
fn form(text: &str) -> String {
    let is_whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = text.split(' ').map(|word| if is_whole(word.trim()) { "1" } else { word }).collect();
    digest(&words.join(" "))
}

/// The versions that an export names are those that were asked.
#[test]
fn the_versions_that_are_named_are_those_asked() {
    let stage = include_str!("../../../xtask/src/frameworks.rs");
    for server in [Server::Vllm, Server::Sglang] {
        let package = format!("\"{}=={}\"", server.id(), server.version());
        assert!(stage.contains(&package), "{package}");
    }
}

#[test]
fn the_engines_own_parsers_accepted_every_command() {
    let commands = commands();
    if let Some(path) = std::env::var_os(COMMANDS) {
        let list: Vec<_> = commands
            .iter()
            .map(|(server, query, text)| {
                serde_json::json!({ "server": server.id(), "query": query, "digest": form(text), "text": text })
            })
            .collect();
        std::fs::write(&path, serde_json::to_string(&list).expect("JSON")).expect("written");
        return;
    }
    let text = std::fs::read_to_string(VERDICTS).expect("tests/frameworks/serving.json");
    let verdicts: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text).expect("JSON");
    for (server, query, text) in &commands {
        let said = verdicts.get(server.id()).and_then(|all| all.get(query)).map(String::as_str);
        assert_eq!(
            said,
            Some(form(text).as_str()),
            "{} of {query} is not what its parser accepted; `cargo xtask test --only frameworks` asks it again:\n{text}",
            server.id()
        );
    }
    assert!(commands.len() >= 60, "{}", commands.len());
}
