//! What practitioners brought, with the answers that were written down before the reader was run.

use super::*;
use crate::quantity::Unit;

/// Said by hand.
fn h100() -> Card {
    file("gpu", "[cluster]\ngpu = \"h100-80\"\n")
}
const TRAINER: &str = "train.py --model_name_or_path meta-llama/Llama-3.1-70B --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --bf16 True --deepspeed ds_z3.json --max_seq_length 8192";

/// A batch script of four nodes with 8 GPUs each.
fn job(tasks: u64, lines: &str) -> String {
    format!(
        "#!/bin/bash\n#SBATCH --job-name=llama70b\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node={tasks}\n#SBATCH --gpus-per-node=8\n#SBATCH --cpus-per-task=8\n#SBATCH --exclusive\n{lines}\n"
    )
}

fn found<'a>(card: &'a Card, what: &str) -> &'a str {
    card.found.iter().find(|found| found.what.starts_with(what)).map_or("", |found| found.value.as_str())
}

/// Of each script: what happens, on which line, and a word of what to do.
#[test]
fn a_launch_that_cannot_work_is_said_with_its_line_and_its_remedy() {
    let meets = "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)";
    let torchrun = "torchrun --nnodes=$SLURM_NNODES --nproc_per_node=8 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500";
    let megatron = "pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --tensor-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --bf16";
    let cases = [
        // Eight agents per node, each with eight processes.
        (job(8, &format!("{meets}\nsrun {torchrun} {TRAINER}")), "It fails", 9, "--ntasks-per-node=1"),
        // localhost is another host on each node.
        (job(1, &format!("export MASTER_ADDR=localhost\nsrun {torchrun} {TRAINER}")), "It hangs", 9, "first host"),
        // Nobody starts the agents of the other nodes.
        (job(1, &format!("{meets}\n{torchrun} {TRAINER}")), "It hangs", 9, "put srun before it"),
        // The batch shell replaces the node's number.
        (
            job(
                1,
                &format!(
                    "{meets}\nsrun torchrun --nnodes=4 --nproc_per_node=8 --node_rank=$SLURM_NODEID --master_addr=$MASTER_ADDR --master_port=29500 {TRAINER}"
                ),
            ),
            "It hangs",
            9,
            "c10d",
        ),
        // The world counts processes.
        (
            job(
                8,
                &format!(
                    "{meets}\nexport MASTER_PORT=29500\nexport WORLD_SIZE=$SLURM_NNODES\nsrun bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID python train.py'"
                ),
            ),
            "It fails",
            11,
            "SLURM_NTASKS",
        ),
        // Megatron-LM's flags under the same header.
        (job(1, &format!("export MASTER_ADDR=localhost\nsrun {torchrun} {megatron}")), "It hangs", 9, "first host"),
    ];
    for (script, what, line, remedy) in cases {
        let card = read("job.sh", &script);
        let stop = card.stop.as_ref().unwrap_or_else(|| panic!("{script}\n{card:?}"));
        assert_eq!((stop.what.as_str(), stop.line), (what, line), "{script}\n{stop:?}");
        assert!(stop.why.contains(remedy) && script.contains(stop.text.trim_end_matches('…')), "{stop:?}");
        let link = stop.link.as_ref().expect("the figure of launches");
        let entry = crate::catalogue::find(link.figure).expect("a figure");
        assert!((entry.read)(&link.query).1.is_empty() && link.figure == "launch-doctor", "{link:?}");
        // It reaches the verdict, a link, and the run that is written down.
        let (run, said) = gather([&card, &h100()]);
        assert!(said.is_empty(), "{said:?}");
        let verdict = compare(&run).verdict;
        assert!(verdict.starts_with("As it is written, the launch "), "{verdict}");
        assert_eq!(Run::parse(&run.write()).as_ref(), Ok(&run));
        // Repaired, it says so no more, also after a link.
        let good = job(1, &format!("{meets}\nsrun {torchrun} {TRAINER}"));
        let good = read("job.sh", &good);
        assert_eq!(good.stop, None, "{good:?}");
        let (run, _) = gather([&file("link", &run.write()), &good]);
        assert_eq!(run.fails, Fails::default());
    }
    let (run, _) = gather([&read("job.sh", &job(8, &format!("{meets}\nsrun {torchrun} {TRAINER}"))), &h100()]);
    let verdict = compare(&run).verdict;
    assert!(verdict.contains("What is predicted holds once that is fixed."), "{verdict}");
}

/// The forms that Rich and IPython give a traceback, a message that stands before it, too, and tracebacks of one frame.
#[test]
fn frames_are_read_in_other_forms() {
    const MESSAGE: &str = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 58.00 MiB (GPU 0; 23.99 GiB total capacity; 22.84 GiB already allocated; 0 bytes free; 23.12 GiB reserved in total by PyTorch)\n";
    let one = |code: &str| {
        format!("Traceback (most recent call last):\n  File \"train.py\", line 71, in <module>\n    {code}\n")
    };
    let cases = [
        ("│ C:\\venv\\lib\\site-packages\\torch\\optim\\adamw.py:566 in _multi_tensor_adamw     │\n│                            │\n│   565 │   │   │   torch._foreach_div_(exp_avg_sq_sqrt, correction)  │\n│ ❱ 566 │   │   │   denom = torch._foreach_add(exp_avg_sq_sqrt, eps)  │\n│   567 │                                                     │\n╰─────────────╯\n".to_owned(), "temporary tensors"),
        ("/usr/lib/torch/optim/adam.py in step(self, closure)\n    106             # Exponential moving average of gradient values\n--> 107             state['exp_avg'] = torch.zeros_like(p)\n    108 \n\n".to_owned(), "first optimizer step"),
        ("File ~/train.py:12, in Trainer.step(self, batch)\n     11     out = self.net(x)\n---> 12     loss.backward()\n     13 \n".to_owned(), "in the backward pass"),
        (format!("{MESSAGE}wandb: Waiting for W&B process to finish... (failed 1).\n{}", one("optimizer.step()")), "in an optimizer step"),
        (one("dist.all_gather(out, x)"), "gathered from all ranks"),
        (one("engine, *_ = deepspeed.initialize(args=args, model=model)"), "DeepSpeed was set up"),
        (one("logits = net(images)"), "in the forward pass"),
        (one("loss = criterion(out, y)"), "in the forward pass"),
        (one("model = model.half().cuda()"), "while the model was loaded"),
        (one("model.load_state_dict(state)"), "while the model was loaded"),
        (one("x = x.cuda()"), "while a batch was moved"),
        // In any step, not in the first one alone.
        ("Traceback (most recent call last):\n  File \"/opt/torch/optim/adamw.py\", line 606, in _multi_tensor_adamw\n    exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)\n".to_owned(), "temporary tensors"),
    ];
    for (frames, what) in cases {
        let card = read("err.txt", &format!("{frames}{MESSAGE}"));
        let stop = card.stop.as_ref().unwrap_or_else(|| panic!("{what}: {card:?}"));
        assert!(stop.what.contains(what), "{what}: {}\n{frames}", stop.what);
        assert!(!stop.why.is_empty() && stop.link.is_some(), "{stop:?}");
    }
}

/// Of each traceback, its frames from the outermost in as `file | function | code`, and what ran out.
#[test]
fn frames_say_in_which_phase_memory_ran_out() {
    const LOOP: &str = "train.py|<module>|trainer.train()\ntransformers/trainer.py|train|return inner_training_loop(\ntransformers/trainer.py|_inner_training_loop|tr_loss_step = self.training_step(model, inputs, num_items_in_batch)\n";
    const FORWARD: &str = "transformers/trainer.py|training_step|loss = self.compute_loss(model, inputs)\ntransformers/trainer.py|compute_loss|outputs = model(**inputs)\ntorch/nn/modules/module.py|_call_impl|return forward_call(*args, **kwargs)\n";
    const BACKWARD: &str = "transformers/trainer.py|training_step|self.accelerator.backward(loss, **kwargs)\naccelerate/accelerator.py|backward|loss.backward(**kwargs)\ntorch/_tensor.py|backward|torch.autograd.backward(\ntorch/autograd/graph.py|_engine_run_backward|return Variable._execution_engine.run_backward(\n";
    const CLOSURE: &str = "lightning/core/module.py|optimizer_step|optimizer.step(closure=optimizer_closure)\ntorch/optim/optimizer.py|wrapper|out = func(*args, **kwargs)\ntorch/optim/adamw.py|step|loss = closure()\n";
    const ENGINE: &str = "vllm/v1/engine/core.py|run_engine_core|engine_core.run_busy_loop()\nvllm/v1/worker/gpu_model_runner.py|execute_model|model_output = self.model(\ntorch/nn/modules/module.py|_call_impl|return forward_call(*args, **kwargs)";
    let cases: [(&str, String, &str); 23] = [
        // Lightning runs forward and backward as the optimizer's closure.
        (CLOSURE, "lightning/loops/automatic.py|closure|step_output = self._step_fn()\ntrain.py|training_step|out = self.model(batch)".to_owned(), "in the forward pass"),
        (CLOSURE, "lightning/loops/automatic.py|closure|self._backward_fn(loss)\nlightning/core/module.py|backward|loss.backward(*args, **kwargs)".to_owned(), "in the backward pass"),
        ("lightning/core/module.py|optimizer_step|optimizer.step(closure=optimizer_closure)\n", "torch/optim/adamw.py|_init_group|state[\"exp_avg\"] = torch.zeros_like(p)".to_owned(), "first optimizer step"),
        ("train.py|validation_step|loss = self.training_step(batch, i)\n", "train.py|training_step|out = self.model(batch)".to_owned(), "in an evaluation"),
        // TRL's GRPO generates and scores where others move the batch.
        (LOOP, "trl/trainer/grpo_trainer.py|_prepare_inputs|inputs = self._generate_and_score_completions(inputs)\ntrl/trainer/grpo_trainer.py|_get_per_token_logps|logits = model(input_ids=input_ids).logits\ntrl/trainer/utils.py|selective_log_softmax|logsumexp_values = torch.stack([torch.logsumexp(lg, dim=-1) for lg in logits])".to_owned(), "at the logits"),
        (LOOP, "transformers/trainer.py|_prepare_inputs|inputs = self._prepare_input(inputs)\ntransformers/trainer.py|_prepare_input|return data.to(**kwargs)".to_owned(), "while a batch was moved"),
        ("vllm/v1/engine/core.py|__init__|self._initialize_kv_caches(vllm_config)\n", "vllm/v1/worker/gpu_worker.py|compile_or_warm_up_model|self.model_runner._dummy_run(size)\nvllm/v1/worker/gpu_model_runner.py|_dummy_run|outputs = model(".to_owned(), "while the engine warmed up"),
        ("", "vllm/v1/worker/gpu_worker.py|compile_or_warm_up_model|self.model_runner.capture_model()\nvllm/v1/worker/gpu_model_runner.py|capture_model|self._dummy_run(size)\nvllm/v1/worker/gpu_model_runner.py|_dummy_run|outputs = model(".to_owned(), "CUDA graphs were captured"),
        ("", ENGINE.to_owned(), "ran a batch of requests"),
        ("batch.py|main|outputs = llm.generate(prompts)\n", ENGINE.to_owned(), "ran a batch of requests"),
        ("train.py|main|ema_model.load_state_dict(model.state_dict())\n", "torch/nn/modules/module.py|load_state_dict|load(self, state_dict)".to_owned(), "while the model was loaded"),
        (LOOP, "transformers/trainer.py|_inner_training_loop|self.optimizer.step()\ntorch/optim/adamw.py|_init_group|state[\"exp_avg_sq\"] = torch.zeros_like(p)".to_owned(), "first optimizer step"),
        ("train.py|main|optimizer.step()\n", "torch/optim/adamw.py|_multi_tensor_adamw|torch._foreach_sqrt(device_exp_avg_sqs)".to_owned(), "temporary tensors"),
        (LOOP, BACKWARD.to_owned(), "in the backward pass"),
        (LOOP, format!("{BACKWARD}torch/utils/checkpoint.py|unpack_hook|frame.recompute_fn(*args)\nmodeling_llama.py|forward|down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))"), "while a layer was recomputed"),
        (LOOP, FORWARD.to_owned(), "in the forward pass"),
        (LOOP, format!("{FORWARD}modeling_llama.py|forward|loss = self.loss_function(logits=logits, labels=labels)\nloss_utils.py|ForCausalLMLoss|logits = logits.float()"), "at the logits"),
        (LOOP, format!("{FORWARD}modeling_llama.py|eager_attention_forward|attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32)\ntorch/nn/functional.py|softmax|ret = input.softmax(dim, dtype=dtype)"), "attention scores"),
        (LOOP, format!("{FORWARD}torch/distributed/fsdp/_runtime_utils.py|_unshard|handle.unshard()"), "weights were gathered"),
        ("train.py|<module>|model = get_model(args)\n", "train.py|get_model|model = AutoModelForCausalLM.from_pretrained(name).to(\"cuda\")\ntorch/nn/modules/module.py|_apply|module._apply(fn)".to_owned(), "while the model was loaded"),
        (LOOP, "transformers/trainer.py|_inner_training_loop|self._maybe_log_save_evaluate(tr_loss, grad_norm)\ntransformers/trainer.py|evaluate|output = eval_loop(\ntransformers/trainer.py|prediction_step|loss, outputs = self.compute_loss(model, inputs, return_outputs=True)".to_owned(), "in an evaluation"),
        (LOOP, "transformers/trainer.py|_save_checkpoint|self.save_model(output_dir)\ntorch/distributed/fsdp/fully_sharded_data_parallel.py|state_dict|return super().state_dict()".to_owned(), "checkpoint was saved"),
        ("train.py|main|engine, *_ = deepspeed.initialize(model=model, config=config)\n", "deepspeed/runtime/zero/stage_1_and_2.py|initialize_optimizer_states|self.optimizer.step()\ntorch/optim/adamw.py|_init_group|state[\"exp_avg\"] = torch.zeros_like(p)".to_owned(), "DeepSpeed set up"),
    ];
    for (tag, end) in
        [("", ""), ("[rank3]: ", "[rank3]: "), ("3: ", "3: "), ("ERROR 11-20 10:14:30 [core.py:700] ", "")]
    {
        for (outer, inner, what) in &cases {
            let mut text = format!("{tag}Traceback (most recent call last):\n");
            for (i, frame) in format!("{outer}{inner}").lines().enumerate() {
                let mut parts = frame.split('|');
                let [file, function, code] = [(); 3].map(|()| parts.next().expect("a part"));
                text += &format!(
                    "{tag}  File \"/opt/{file}\", line {}, in {function}\n{tag}    {code}\n{tag}    ^^^^^^\n",
                    10 + i
                );
                // Another rank writes in between.
                if tag.contains("rank") {
                    text += "[rank1]:   File \"/opt/train.py\", line 9, in evaluate\n";
                }
            }
            text += &format!(
                "{end}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 3 has a total capacity of 79.11 GiB.\n"
            );
            let card = read("err.txt", &text);
            let stop = card.stop.as_ref().unwrap_or_else(|| panic!("{what}: {card:?}"));
            assert_eq!((card.kind, stop.line), (Kind::Errors, text.lines().count()), "{text}");
            assert!(stop.what.contains(what), "{what}: {}\n{text}", stop.what);
            let link = stop.link.as_ref().expect("a figure");
            let entry = crate::catalogue::find(link.figure).expect("a figure of the course");
            assert!((entry.read)(&link.query).1.is_empty(), "{link:?}");
        }
    }
    // Engines print their frames behind a logger's words.
    let vllm = "(EngineCore_0 pid=7) ERROR 11-20 10:14:30 [core.py:700] Traceback (most recent call last):\n(EngineCore_0 pid=7) ERROR 11-20 10:14:30 [core.py:700]   File \"/vllm/v1/worker/gpu_model_runner.py\", line 2400, in capture_model\n(EngineCore_0 pid=7) ERROR 11-20 10:14:30 [core.py:700]     self._dummy_run(num_tokens)\n(EngineCore_0 pid=7) ERROR 11-20 10:14:30 [core.py:700] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.\n";
    let card = read("err.txt", vllm);
    assert!(card.stop.as_ref().is_some_and(|stop| stop.what.contains("CUDA graphs")), "{card:?}");
    // More was free than was asked for: the phase doesn't explain it.
    let frames =
        "Traceback (most recent call last):\n  File \"/opt/train.py\", line 7, in forward\n    y = torch.abs(x)\n";
    for (message, is_full) in [
        (
            "HIP out of memory. Tried to allocate 2.00 MiB. GPU 7 has a total capacity of 287.98 GiB of which 203.49 GiB is free.",
            false,
        ),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 39.59 GiB total capacity; 10.00 GiB already allocated; 20.00 GiB free; 10.20 GiB reserved in total by PyTorch)",
            false,
        ),
        (
            "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 39.59 GiB total capacity; 37.00 GiB already allocated; 1.00 GiB free; 37.20 GiB reserved in total by PyTorch)",
            true,
        ),
        // Little is left: the driver may refuse a piece of it.
        (
            "CUDA out of memory. Tried to allocate 98.00 MiB. GPU 0 has a total capacity of 15.77 GiB of which 540.64 MiB is free.",
            true,
        ),
        ("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of", true),
    ] {
        let card = read("err.txt", &format!("{frames}torch.OutOfMemoryError: {message}\n"));
        let stop = card.stop.as_ref().unwrap_or_else(|| panic!("{message}: {card:?}"));
        assert!(stop.what.contains("in the forward pass") && stop.link.is_some() == is_full, "{stop:?}");
        assert_eq!(stop.why.contains("Make the micro-batch smaller"), is_full, "{stop:?}");
    }
    // Without frames nothing is said of a phase.
    let bare = read("err.txt", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
    assert!(bare.stop.as_ref().is_some_and(|stop| stop.why.is_empty()), "{bare:?}");
    // Beside a model it leads what is predicted, and stays in a link.
    let (run, _) = gather([&eight(""), &card]);
    assert!(compare(&run).verdict.starts_with("Memory ran out while CUDA graphs were captured (line 4 of err.txt)."));
    assert_eq!(Run::parse(&run.write()).as_ref(), Ok(&run));
}

fn eight(layout: &str) -> Card {
    file(
        "run.toml",
        &format!(
            "[model]\nname = \"llama-3-8b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 8\nnodes = 1\n[layout]\nframework = \"fsdp\"\nmbs = 2\nbatch = 16\nseq = 8192\n{layout}"
        ),
    )
}

fn table(hosts: &[(&str, usize)], gpu: &str, busbw: f64) -> String {
    let ranks: usize = hosts.iter().map(|(_, n)| n).sum();
    let mut text = "# nThread 1 nGpus 1 minBytes 8388608 maxBytes 8589934592 step: 2(factor)\n# Collective test starting: all_reduce_perf\n#\n# Using devices\n".to_owned();
    for (rank, (host, device)) in hosts.iter().flat_map(|(host, n)| (0..*n).map(move |i| (host, i))).enumerate() {
        text += &format!(
            "#  Rank {rank:2} Group  0 Pid {} on {host:>10} device {device:2} [0000:1b:00] {gpu}\n",
            4711 + rank
        );
    }
    let algbw = busbw / (2.0 * (ranks as f64 - 1.0) / ranks as f64);
    let time = 8_589_934_592.0 / algbw / 1e3;
    text + &format!(
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n  8589934592    2147483648     float     sum      -1 {time:.1} {algbw:.2} {busbw:.2}      0 {time:.1} {algbw:.2} {busbw:.2}      0\n"
    )
}

/// Of each table: the GPU, GPUs per node, nodes, whether its bandwidth is as it should be, and what is said.
#[test]
fn a_bus_bandwidth_is_held_against_the_ports_that_it_goes_over() {
    type Case<'a> = (&'a [(&'a str, usize)], &'a str, f64, &'a str, [u64; 2], bool, &'a str);
    let cases: [Case<'_>; 9] = [
        (
            &[("gpu01", 8), ("gpu02", 8)],
            "NVIDIA H100 80GB HBM3",
            43.52,
            "h100-80",
            [8, 2],
            false,
            "one port of InfiniBand NDR 400 Gb/s",
        ),
        (
            &[("gpu01", 8), ("gpu02", 8)],
            "NVIDIA H100 80GB HBM3",
            370.0,
            "h100-80",
            [8, 2],
            true,
            "If each node has 8 × InfiniBand NDR 400 Gb/s, the links carry what they should",
        ),
        // AWS p4d: four ports of 100 Gb/s, which nothing says.
        (
            &[("a", 8), ("b", 8)],
            "NVIDIA A100-SXM4-40GB",
            41.0,
            "a100-40",
            [8, 2],
            false,
            "If each node has 8 × InfiniBand HDR 200 Gb/s, 1",
        ),
        // Between hosts alone.
        (
            &[("a", 1), ("b", 1)],
            "NVIDIA H100 80GB HBM3",
            46.5,
            "h100-80",
            [1, 2],
            true,
            "If each node has 1 × InfiniBand NDR 400 Gb/s, the links carry",
        ),
        // NVIDIA/nccl-tests issue 272.
        (&[("gpu49", 8)], "NVIDIA H200", 475.0, "h200-141", [8, 1], true, "carry what they should"),
        (&[("a", 8)], "NVIDIA A100-SXM4-80GB", 235.0, "a100-80", [8, 1], true, "carry what they should"),
        // Without peer to peer.
        (&[("a", 8)], "NVIDIA A100-SXM4-80GB", 26.5, "a100-80", [8, 1], false, "may be what PCIe 4"),
        (
            &[("n1", 4), ("n2", 4), ("n3", 4), ("n4", 4)],
            "NVIDIA A100-SXM4-80GB",
            10.5,
            "a100-80",
            [4, 4],
            false,
            "one port of Ethernet 100 Gb/s",
        ),
        (
            &[("n1", 8), ("n2", 8)],
            "NVIDIA H100 80GB HBM3",
            265.0,
            "h100-80",
            [8, 2],
            false,
            "are predicted. NCCL_DEBUG",
        ),
    ];
    for (hosts, gpu, busbw, id, [node, nodes], is_right, said) in cases {
        let card = read("nccl.txt", &table(hosts, gpu, busbw));
        assert_eq!((card.kind, card.outcome), (Kind::NcclTests, Outcome::Read), "{card:?}");
        let (run, disagree) = gather([&card]);
        assert_eq!(
            (run.cluster.gpu.as_deref(), run.cluster.node, run.cluster.nodes),
            (Some(id), Some(node), Some(nodes))
        );
        assert!(disagree.is_empty());
        let report = compare(&run);
        let row = report.row("bus-bandwidth").expect("a row");
        // A network that wasn't read is assumed, and nothing is wrong with it then.
        assert_eq!(report.assumed.iter().any(|a| a.key == "cluster.net"), hosts.len() > 1, "{:?}", report.assumed);
        assert!(hosts.len() == 1 || !report.verdict.contains("less than they should"), "{}", report.verdict);
        assert_eq!((row.is_within(), report.verdict.contains(said)), (is_right, true), "{row:?}: {}", report.verdict);
        assert!(
            row.link.is_some()
                && report
                    .missing
                    .iter()
                    .all(|m| !m.sentence.contains("GPU isn’t known") && !m.sentence.contains("How many")),
            "{report:?}"
        );
    }
    // A network that is given has as many ports as GPUs.
    let two = |busbw| read("nccl.txt", &table(&[("a", 8), ("b", 8)], "NVIDIA H100 80GB HBM3", busbw));
    for (busbw, said) in [(174.0, "may be what 4 ports of InfiniBand NDR"), (265.0, "predicted. NCCL_DEBUG")] {
        let mut run = two(busbw).run;
        run.cluster.net = Some("ndr".to_owned());
        let report = compare(&run);
        assert!(report.verdict.starts_with("The links carry less than they should"), "{}", report.verdict);
        assert!(report.verdict.contains(said) && report.assumed.is_empty(), "{}", report.verdict);
    }
    // The hosts of the test count, not those of the job beside it.
    let apart = read("nccl.txt", &table(&[("a", 1), ("b", 1)], "NVIDIA H100 80GB HBM3", 46.5));
    let job = file("run.toml", "[cluster]\nnode = 8\nnodes = 2\n");
    let (run, _) = gather([&job, &apart]);
    assert!(compare(&run).verdict.contains("1 × InfiniBand NDR"), "{}", compare(&run).verdict);
    // What no ring does, what differs by host, and what a list doesn't say have a number and no verdict.
    let all_reduce = table(&[("a", 8), ("b", 8)], "NVIDIA H100 80GB HBM3", 46.5);
    for op in ["sendrecv", "alltoall", "hypercube", "gather", "scatter"] {
        let factor = if ["sendrecv", "hypercube"].contains(&op) { 1.0 } else { 15.0 / 16.0 };
        let algbw = 46.5 / factor;
        let half = format!("{:.1} {algbw:.2} 46.50 0", 8_589_934_592.0 / algbw / 1e3);
        let row = format!("8589934592 2147483648 float sum -1 {half} {half}\n");
        let list = all_reduce.split("#       size").next().unwrap_or_default();
        let card = read("nccl.txt", &(list.replace("all_reduce", op) + &row));
        assert_eq!(found(&card, "Bus bandwidth on the largest buffer"), "46.5 GB/s", "{card:?}");
        assert!(card.run.measured.is_empty() && card.said.contains("isn’t compared"), "{op}: {card:?}");
    }
    for gpu in ["NVIDIA L40S", "NVIDIA A100 80GB PCIe", "NVIDIA GeForce RTX 4090"] {
        let report = compare(&read("nccl.txt", &table(&[("a", 4)], gpu, 9.0)).run);
        let row = report.row("bus-bandwidth").expect("a row");
        assert_eq!((row.measured, row.predicted), (Some(9e9), None), "{gpu}");
        assert!(!report.verdict.contains("links") && !report.verdict.contains("nvlink"), "{gpu}: {}", report.verdict);
    }
    // A job of more nodes than the test had keeps its own, without a contradiction.
    let test = read("nccl.txt", &table(&[("a", 8), ("b", 8)], "NVIDIA H100 80GB HBM3", 370.0));
    let four = file("run.toml", "[cluster]\nnode = 8\nnodes = 4\n");
    for cards in [[&test, &four], [&four, &test]] {
        let (run, said) = gather(cards);
        assert_eq!((run.cluster.nodes, said.as_slice()), (Some(4), &[][..]));
    }
    // Of a list that was cut, nothing follows.
    let whole = table(&[("a", 8), ("b", 8)], "NVIDIA H100 80GB HBM3", 370.0);
    let cut: String = whole.lines().filter(|line| !line.contains("Rank  3")).map(|line| format!("{line}\n")).collect();
    let (run, _) = gather([&read("nccl.txt", &cut)]);
    assert_eq!((run.cluster.gpu.as_deref(), run.cluster.nodes), (Some("h100-80"), None));
}

/// Of each run: the setting that is asked for, or none.
#[test]
fn one_setting_is_asked_for_where_it_decides_most() {
    const ALL: &str = "zero = 3\nrecompute = \"full\"\nflash = true\n";
    let asked = |layout: &str| compare(&eight(layout).run).question;
    let key = |layout: &str| asked(layout).map(|question| question.setting.key);
    assert_eq!(key("recompute = \"full\"\nflash = true\n"), Some("layout.zero"));
    assert_eq!(key("zero = 3\nflash = true\n"), Some("layout.recompute"));
    assert_eq!(key("zero = 3\nrecompute = \"none\"\n"), Some("layout.flash"));
    assert_eq!(key(ALL), None);
    // The sharding of a single GPU says nothing.
    let one = file(
        "run.toml",
        "[model]\nname = \"llama-3.2-1b\"\n[cluster]\ngpu = \"h100-80\"\nnode = 1\nnodes = 1\n[layout]\nframework = \"fsdp\"\nseq = 2048\nrecompute = \"full\"\nflash = true\n",
    );
    assert_eq!(compare(&one.run).question, None);
    // What was asked first is answered, and is asked no more.
    let question = asked("recompute = \"full\"\nflash = true\n").expect("a question");
    assert_eq!(question.answers.iter().map(|a| a.id).collect::<Vec<_>>(), ["0", "1", "2", "3"]);
    assert!(question.answers[0].is_too_large && !question.answers[3].is_too_large, "{question:?}");
    let most = |answer: &Answer| answer.rows[1].predicted.expect("memory")[2];
    assert!(most(&question.answers[0]) > 2.0 * most(&question.answers[3]));
    let run = question.setting.put(&eight("recompute = \"full\"\nflash = true\n").run, "3").expect("a stage");
    let report = compare(&run);
    assert_eq!((run.layout.zero, report.question), (Some(3), None));
    assert!(report.verdict.starts_with("A step is predicted to take"), "{}", report.verdict);
    // A script that hides the stage in a file.
    let script = read("job.sh", &format!("deepspeed --num_gpus 8 --num_nodes 4 {TRAINER}\n"));
    let (run, _) = gather([&script, &h100()]);
    let mut run = run;
    (run.cluster.node, run.cluster.nodes) = (Some(8), Some(4));
    let report = compare(&run);
    assert!(report.verdict.starts_with("Most of the prediction depends on the ZeRO stage"), "{}", report.verdict);
}

/// Of each config: parameters, weights (of DeepSeek-V3 in fp8 with its scales, and embeddings in bf16), cache per token.
#[test]
fn a_config_says_what_a_model_weighs() {
    let cases = [
        (include_str!("../../../tests/fixtures/configs/llama-3-8b.json"), "8.03 B", 16.06e9, 131_072.0),
        (include_str!("../../../tests/fixtures/configs/qwen2.5-7b.json"), "7.62 B", 15.23e9, 57_344.0),
        (include_str!("../../../tests/fixtures/configs/mistral-7b-v0.1.json"), "7.24 B", 14.48e9, 131_072.0),
        (include_str!("../../../tests/fixtures/configs/gpt2.json"), "124 M", 0.2489e9, 36_864.0),
        (include_str!("../../../tests/fixtures/configs/deepseek-v3.json"), "671 B", 673e9, 70_272.0),
    ];
    for (text, parameters, weights, cache) in cases {
        let card = read("config.json", text);
        assert_eq!(found(&card, "Parameters"), parameters, "{:?}", card.found);
        assert!(found(&card, "Weights").starts_with(&Unit::Bytes.format(weights)), "{:?}", card.found);
        assert_eq!(found(&card, "KV cache per token"), format!("{} in 16 bits", Unit::Bytes.format(cache)));
        for found in card
            .found
            .iter()
            .filter(|found| ["Parameters", "Weights", "KV cache per token"].contains(&found.what.as_str()))
        {
            let link = found.link.as_ref().unwrap_or_else(|| panic!("{parameters}: {found:?}"));
            assert!(link.query.to_string().contains("model="), "{link:?}");
        }
    }
    // Of a type that isn't named, 16 bits are only a count; of a form that isn't read there is none.
    let llama = include_str!("../../../tests/fixtures/configs/llama-3-8b.json");
    let bare: String = llama.lines().filter(|line| !line.contains("torch_dtype")).collect();
    let bare = read("config.json", &bare);
    assert_eq!(found(&bare, "Weights"), "16.1 GB (in 16 bits; the file names no type)", "{:?}", bare.found);
    let odd = llama.replacen('{', "{\"quantization_config\": {\"quant_method\": \"odd\"},", 1);
    let odd = read("config.json", &odd);
    assert!(odd.found.iter().all(|found| found.what != "Weights") && !odd.unread.is_empty(), "{:?}", odd.found);
    // States of a fixed size are no cache of a token: 12 of 48 layers keep keys and values.
    let hybrid = read("config.json", include_str!("../../../tests/fixtures/configs/qwen3-next-80b-a3b.json"));
    assert_eq!(found(&hybrid, "KV cache per token"), "24,576 B in 16 bits", "{:?}", hybrid.found);
}

/// A value says what was understood, not how a switch is written.
#[test]
fn a_card_says_what_a_switch_means() {
    let flags = |more: &str| {
        read("run.sh", &format!("torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 {more}\n"))
    };
    for (card, what, value) in [
        (flags("--bf16 True"), "Precision", "bf16"),
        (flags("--fp16"), "Precision", "fp16"),
        (flags("--fp16 False --bf16 True"), "Precision", "bf16"),
        (flags("--gradient_checkpointing True"), "Recomputation", "full"),
        (flags("--optim adamw_torch_fused"), "Optimizer", "AdamW"),
        (flags("--max_seq_length 8192"), "Sequence length", "8,192"),
        (
            read(
                "m.sh",
                "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 --bf16",
            ),
            "Precision",
            "bf16",
        ),
        (read("v.sh", "vllm serve meta-llama/Llama-3.1-8B --dtype auto"), "Precision", "bf16"),
    ] {
        assert_eq!(found(&card, what), value, "{:?}", card.found);
        assert!(
            card.found
                .iter()
                .all(|found| found.what != "Precision" || !["True", "False", "on"].contains(&found.value.as_str()))
        );
    }
}

/// A line is either read or not, and what counts lines counts them once.
#[test]
fn what_is_said_of_lines_agrees() {
    let vllm = "$ vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 4 --max-model-len 131072\nINFO 11-20 10:12:03 [gpu_model_runner.py:2338] Starting to load model meta-llama/Llama-3.3-70B-Instruct...\nINFO 11-20 10:13:41 [gpu_model_runner.py:2392] Model loading took 32.8894 GiB and 96.2 seconds\nINFO 11-20 10:14:30 [gpu_worker.py:298] Available KV cache memory: 1.61 GiB\nERROR 11-20 10:14:30 [core.py:700] ValueError: To serve at least one request with the models's max seq len (131072), (10.00 GiB KV cache is needed, which is larger than the available KV cache memory (1.61 GiB).\n";
    let card = read("serve.log", vllm);
    assert_eq!((card.kind, card.outcome), (Kind::Log, Outcome::Partly), "{card:?}");
    assert_eq!(card.unread.iter().map(|unread| unread.line).collect::<Vec<_>>(), [2], "{:?}", card.unread);
    assert!(card.said.contains("Other lines (1)") && card.said.contains("Line 5 is an error"), "{}", card.said);
    assert_eq!(card.stop.map(|stop| stop.line), Some(5));
}
