//! The program as it is installed: what it answers, and with which exit code.

use std::io::Write as _;
use std::process::{Command, Stdio};

use ringside_core::catalogue;
use serde_json::{Value, json};

/// What it printed, what it complained of, and its exit code.
fn ringside(arguments: &[&str], input: &str) -> (String, String, Option<i32>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ringside"));
    program.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("it starts");
    // Whoever needs no input may be gone already.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn asked(id: &str, query: &str) -> Value {
    let (out, complaint, code) = ringside(&["ask", id, query, "--json"], "");
    assert_eq!(code, Some(0), "{complaint}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn a_figure_answers_what_its_page_shows() {
    let answer = asked("memory-breakdown", "params=30e9&zero=3&dp=64");
    let total = answer["quantities"].as_array().expect("a list").iter().find(|q| q["id"] == "total").expect("a total");
    assert_eq!((total["value"].as_f64(), total["unit"].as_str()), (Some(7.5e9), Some("bytes")));
    assert_eq!(total["text"], "7.5 GB");
}

#[test]
fn every_figure_is_described_and_asked_in_its_default_state() {
    let (list, _, code) = ringside(&["figures"], "");
    assert_eq!((list.lines().count(), code), (catalogue::ALL.len(), Some(0)));
    for entry in catalogue::ALL {
        let (page, _, code) = ringside(&["describe", entry.id], "");
        assert_eq!(code, Some(0), "{}", entry.id);
        assert!(entry.specs().iter().all(|spec| page.contains(spec.name)), "{page}");
        assert_eq!(asked(entry.id, "")["figure"], entry.id);
        for example in ringside_figures::find(entry.id).expect("its file").examples.all {
            assert!(page.contains(&format!("  {}\n      {}\n", example.label, example.state)), "{page}");
        }
    }
}

#[test]
fn an_assertion_decides_the_exit_code() {
    let ask = |assertion| ringside(&["ask", "memory-breakdown", "params=30e9&zero=3&dp=64", "--assert", assertion], "");
    assert_eq!(ask("total < 75e9").2, Some(0));
    assert_eq!(ask("total <= h100_80.memory").2, Some(0));
    let (out, _, code) = ask("total > 75e9");
    assert_eq!(code, Some(1));
    assert!(out.contains("FAILS  total > 75e9"), "{out}");
    let (_, complaint, code) = ask("totl < 75e9");
    assert_eq!(code, Some(2));
    assert!(complaint.contains("totl") && complaint.contains("total"), "{complaint}");
    assert_eq!(ask("total").2, Some(2));
}

#[test]
fn what_is_not_understood_is_not_answered() {
    for (arguments, told) in [
        (vec!["ask", "memory-breakdown", "params=many"], "params"),
        (vec!["ask", "memory-breakdown", "no-such=1"], "no-such"),
        (vec!["ask", "memory-breakdwon"], "memory-breakdown"),
        (vec!["ask", "memory-breakdown", "--yaml"], "--yaml"),
        (vec!["config", "/no/such/file"], "/no/such/file"),
        (vec![], "Usage"),
    ] {
        let (out, complaint, code) = ringside(&arguments, "");
        assert_eq!((out.as_str(), code), ("", Some(2)), "{arguments:?}");
        assert!(complaint.contains(told), "{complaint}");
    }
}

#[test]
fn a_config_is_counted_or_marked_as_a_guess() {
    let llama = json!({
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "vocab_size": 128_256, "tie_word_embeddings": false,
    });
    let (out, _, code) = ringside(&["config", "-"], &llama.to_string());
    // The count that Meta's model card and the library's own class give for Llama 3 8B.
    assert!(out.contains("8,030,261,248") && code == Some(0), "{out}");
    // Keys and values of 8 heads of 128 in 32 layers, two bytes each.
    assert!(out.contains("KV cache    131,072 B per token") && !out.contains("State"), "{out}");
    let unknown = llama.to_string().replace("\"llama\"", "\"zephyr_next\"");
    let (out, _, code) = ringside(&["config", "-"], &unknown);
    assert!(out.contains("a guess") && code == Some(1), "{out}");
}

#[test]
fn a_chart_is_a_file_of_its_own() {
    let (svg, _, code) = ringside(&["svg", "amdahl", "n=64"], "");
    assert_eq!(code, Some(0));
    assert!(svg.starts_with("<svg ") && svg.contains("Amdahl") && !svg.contains("var("), "{svg}");
}

#[test]
fn an_agent_lists_the_figures_and_calls_one() {
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18" } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "memory-breakdown", "arguments": { "params": 30e9, "zero": "3", "dp": 64 } } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
            "name": "memory-breakdown", "arguments": { "params": "many" } } }),
        json!({ "jsonrpc": "2.0", "id": 5, "method": "no/such" }),
    ];
    let input = messages.map(|message| message.to_string() + "\n").concat() + "not JSON\n";
    let (out, _, code) = ringside(&["mcp"], &input);
    assert_eq!(code, Some(0));
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), 6);
    assert_eq!(answers[1]["result"]["tools"].as_array().expect("a list").len(), catalogue::ALL.len());
    let quantities = answers[2]["result"]["structuredContent"]["quantities"].as_array().expect("a list");
    assert!(quantities.iter().any(|q| q["id"] == "total" && q["value"] == 7.5e9));
    assert_eq!((&answers[2]["result"]["isError"], &answers[3]["result"]["isError"]), (&json!(false), &json!(true)));
    assert_eq!((&answers[4]["error"]["code"], &answers[5]["error"]["code"]), (&json!(-32601), &json!(-32700)));
}

#[test]
fn a_run_is_compared_and_checked() {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml");
    let (out, complaint, code) = ringside(&["run", file, "--json"], "");
    assert_eq!(code, Some(0), "{complaint}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let step = report["rows"].as_array().expect("rows").iter().find(|row| row["id"] == "step-time").expect("a step");
    assert!(step["measured"].as_f64().is_some_and(|seconds| seconds > 1.0), "{step}");
    let (page, _, code) =
        ringside(&["run", file, "-"], "step: 4 memory: 66.91GiB(37.51%) tps: 5,050 tflops: 1 mfu: 1%");
    assert!(code == Some(0) && page.contains("5,050") && page.contains("Unexplained"), "{page}");
    assert_eq!(ringside(&["check", file, "--assert", "mfu > 0.1"], "").2, Some(0));
    assert_eq!(ringside(&["check", file, "--assert", "mfu > 0.99"], "").2, Some(1));
    let (_, complaint, code) = ringside(&["check", file, "--assert", "mfo > 0.1"], "");
    assert!(code == Some(2) && complaint.contains("mfu"), "{complaint}");
    let (_, complaint, code) = ringside(&["check", file], "");
    assert!(code == Some(2) && complaint.contains("nothing to check"), "{complaint}");
    // What was read of a file is said, and what wasn't is said beside a verdict.
    let (page, _, _) = ringside(&["run", file, "-"], "step: 4 memory: 66.91GiB(37.51%) tps: 5,050 tflops: 1 mfu: 1%");
    assert!(page.contains("-: Run output (read). 1 line was read. Printed by torchtitan."), "{page}");
    let unread = "unread = [\"a: 1\"]\n[layout]\nvpp = 1\n";
    let (out, _, code) = ringside(&["check", file, "-", "--assert", "mfu > 0.1"], unread);
    assert!(code == Some(0) && out.ends_with("1 setting wasn’t read and may change this.\n"), "{out}");
    let open = "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\nmbs = 1\nbatch = 8\nseq = 8192\n";
    let (_, complaint, code) = ringside(&["check", "-", "--assert", "mfu > 0.4"], open);
    assert!(code == Some(2) && complaint.contains("layout.recompute"), "{complaint}");
    let (_, complaint, code) = ringside(&["run", "-"], "hello");
    assert!(code == Some(2) && complaint.contains("isn't recognized"), "{complaint}");
}

#[test]
fn a_file_is_what_its_first_bytes_say() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let run = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("it is written");
        ringside(&["run", &path.to_string_lossy(), "--json"], "")
    };
    let step = "step: 4 memory: 66.91GiB(37.51%) tps: 5,050 tflops: 1 mfu: 1%\n";
    // One byte that is no UTF-8 makes no other kind of a log.
    let (out, _, _) = run("byte.log", &[step.as_bytes(), b"caf\xe9\n"].concat());
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["files"][0]["kind"], &report["files"][0]["outcome"]), (&json!("log"), &json!("partly")));
    let wide: Vec<u8> = "\u{feff}step".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes, told) in [
        ("wide.log", wide.as_slice(), "wide.log: It is text in UTF-16. Save it as UTF-8."),
        ("trace.json.gz", b"\x1f\x8b\x08\0", "trace.json.gz: It couldn't be unpacked: "),
        ("empty.log", b"", "empty.log: There is nothing in it."),
        ("program", b"\x7fELF\0\0", "program: It is a binary file."),
    ] {
        let (out, complaint, code) = run(name, bytes);
        assert_eq!((out.as_str(), code), ("", Some(2)), "{name}");
        assert!(complaint.contains(told), "{complaint}");
    }
    // A snapshot goes to its own reader, pickled or not.
    let snapshot =
        br#"{"segments": [{"total_size": 2048, "segment_type": "small", "blocks": [{"size": 2048, "state": "inactive"}]}]}"#;
    let (out, complaint, _) = run("snapshot.json", snapshot);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{complaint}"));
    assert_eq!(report["files"][0]["kind"], "snapshot");
    let (_, complaint, code) = run("snapshot.pickle", b"\x80\x04\x95");
    assert!(code == Some(2) && complaint.contains("snapshot.pickle: "), "{complaint}");
}

#[test]
fn packed_files_are_read() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed.json.gz");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let events = [("cpu_op", 1, 1, 2.0), ("kernel", 0, 7, 5.0)].map(|(cat, pid, tid, dur)| {
        json!({ "ph": "X", "cat": cat, "name": cat, "pid": pid, "tid": tid, "ts": 1.0, "dur": dur, "args": { "stream": 7, "device": 0 } })
    });
    packed.write_all(json!({ "schemaVersion": 1, "traceEvents": events }).to_string().as_bytes()).expect("memory");
    std::fs::write(&path, packed.finish().expect("memory")).expect("it is written");
    let (out, complaint, _) = ringside(&["run", &path.to_string_lossy(), "--json"], "");
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{complaint}"));
    assert_eq!(report["files"][0]["kind"], "trace");
}

#[test]
fn two_traces_stand_side_by_side() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let trace = |name: &str, step: f64| {
        let event = |cat: &str, name: &str, dur: f64| json!({ "ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": 1.0, "dur": dur, "args": { "stream": 7 } });
        let events = [event("user_annotation", "ProfilerStep#1", step), event("kernel", "gemm", step)];
        let path = folder.join(name);
        std::fs::write(&path, json!({ "schemaVersion": 1, "traceEvents": events }).to_string()).expect("it is written");
        path.to_string_lossy().into_owned()
    };
    let (a, b) = (trace("before.json", 1000.0), trace("after.json", 3000.0));
    let (page, complaint, _) = ringside(&["run", &a, &b], "");
    assert!(page.contains("A step takes 2 ms longer in after.json than in before.json"), "{page}{complaint}");
    let (out, _, _) = ringside(&["run", &a, &b, "--json"], "");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(report["traces"]["lines"][0], json!({ "label": "A step", "seconds": [0.001, 0.003] }));
}

#[test]
fn what_was_read_is_shown_and_what_was_refused_is_named() {
    let log = "step: 4 memory: 66.91GiB(37.51%) tps: 5,050 tflops: 1 mfu: 1%\n";
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml");
    let (page, _, _) = ringside(&["run", file, "-"], log);
    assert!(page.contains("\nNote: ") && page.contains("\n  Reported MFU: 1%\n"), "{page}");
    assert!(page.contains("Tokens/s per GPU: 5,050") && page.contains(" instead of 6,667"), "{page}");
    let (out, _, _) = ringside(&["run", "-", "--json"], log);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert!(report["files"][0]["found"].as_array().is_some_and(|found| found.len() > 3), "{out}");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let readme = folder.join("README.md");
    std::fs::write(&readme, "# A run\n").expect("it is written");
    let (out, complaint, code) = ringside(&["run", &readme.to_string_lossy(), file, "/no/such/file"], "");
    assert_eq!((out.as_str(), code), ("", Some(2)));
    for told in ["README.md: It isn't recognized.", "/no/such/file couldn't be read", "compile.toml (Run file)"] {
        assert!(complaint.contains(told), "{complaint}");
    }
}

#[test]
fn what_makes_a_run_fail_comes_first() {
    let script = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\nexport MASTER_ADDR=localhost\nsrun torchrun --nnodes=4 --nproc_per_node=8 --rdzv_id=1 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 train.py\n";
    let (page, _, code) = ringside(&["run", "-"], script);
    assert!(page.contains("It hangs (") && page.contains("line 6)"), "{page}");
    assert!(page.find("It hangs") < page.find("Launch script") && page.contains("localhost is another host"), "{page}");
    assert_eq!(code, Some(1));
    let error = "Traceback (most recent call last):\n  File \"/w/train.py\", line 212, in <module>\n    optimizer.step()\n  File \"/opt/torch/optim/adamw.py\", line 177, in _init_group\n    state[\"exp_avg\"] = torch.zeros_like(p)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n";
    let (page, _, code) = ringside(&["run", "-"], error);
    assert!(page.starts_with("Memory ran out in the first optimizer step (") && code == Some(1), "{page}");
    assert!(!page.contains("isn’t known"), "nothing is asked of a run that nobody brought: {page}");
}

/// The example of docs/run.md.
#[test]
fn the_documented_run_file_holds() {
    let page = include_str!("../../../docs/run.md");
    let file = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let (out, complaint, code) = ringside(&["check", "-"], file);
    assert_eq!((code, out.matches("holds  ").count()), (Some(0), 3), "{out}{complaint}");
    // Large values are grouped, and small ones aren't rounded away.
    assert!(out.contains(" against 80,000,000,000)") && out.contains(" against 0.4)"), "{out}");
}

#[test]
fn a_log_gets_the_reasons_that_the_page_gives() {
    let log = "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.18 GiB is free.\n\
               [rank3]:[E1229 16:57:25.3 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.\n\
               something that nobody knows: RuntimeError: no such thing\n";
    let (text, complaint, _) = ringside(&["run", "-"], log);
    assert!(complaint.is_empty(), "{complaint}");
    assert!(text.contains("What went wrong: ") && text.contains("(line 1, rank 0)"), "{text}");
    assert!(text.contains("2.00 GiB") && text.contains("Not known here") && !text.contains("{asked}"), "{text}");
    let (json, ..) = ringside(&["run", "-", "--json"], log);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let errors = &json["files"][0]["errors"];
    assert_eq!(
        (errors["signs"][0]["place"]["line"].as_u64(), errors["unknown-lines"].as_u64()),
        (Some(1), Some(1)),
        "{errors}"
    );
    for key in ["title", "means", "remedy"] {
        assert!(text.contains(errors["signs"][0][key].as_str().expect("a sentence")), "{errors}");
    }
    // What nothing is known of is refused as before, and a healthy log has none.
    assert_eq!(ringside(&["run", "-"], "nothing of use\n").2, Some(2));
    let (text, ..) = ringside(&["run", "-"], "step: 5 loss: 2.1 memory: 40.1GiB(50%) tps: 5000 mfu: 40%\n");
    assert!(!text.contains("What went wrong"), "{text}");
}
