//! What to bring, and published runs to begin with.

use leptos::prelude::*;
use ringside_core::run::{Run, file};

use super::Desk;

/// Public runs, each with its source.
const EXAMPLES: [(&str, &str); 3] = [
    ("nemo.toml", include_str!("../../../../tests/fixtures/runs/dgxc-llama-3.1-405b-576xh100.toml")),
    ("llm-foundry.toml", include_str!("../../../../tests/fixtures/runs/llm-foundry-mpt-30b-4096-8xa100-80.toml")),
    ("torchtitan.toml", include_str!("../../../../tests/fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml")),
];

/// What stands there before anything was brought.
pub(super) fn view(desk: Desk) -> AnyView {
    let examples = EXAMPLES.map(|(name, text)| {
        // A test of core's reads every public run.
        let run = Run::parse(text).unwrap_or_default();
        view! {
            <li>
                <button type="button" class="secondary" on:click=move |_| desk.add(file(name, text), None)>
                    {run.name}
                </button>
                <small>{run.source}</small>
            </li>
        }
    });
    view! {
        <section class="run-begin sans">
            <h2>"What to bring"</h2>
            <p>"Bring the model, the launch flags, the GPU and ten lines of output, in any order. The page says what is still missing."</p>
            <dl>
                <dt>"The model"</dt>
                <dd>"config.json"</dd>
                <dt>"The layout"</dt>
                <dd>
                    "DeepSpeed JSON, Megatron-LM flags, torchtitan TOML, Accelerate, Axolotl or LLaMA-Factory YAML, FSDP2 code, a launch script, a vLLM or SGLang command"
                </dd>
                <dt>"The output"</dt>
                <dd>"Lines with the step time, tokens/s, TFLOP/s, MFU or memory, as training and serving programs print them"</dd>
                <dt>"The machine"</dt>
                <dd>"nvidia-smi, nvidia-smi topo -m, rocm-smi, nccl-tests"</dd>
                <dt>"Recordings"</dt>
                <dd>"A PyTorch profiler trace, a memory snapshot, the block that one of the labs prints"</dd>
            </dl>
            <h2>"Or open a published run"</h2>
            <ul class="run-examples">{examples.collect_view()}</ul>
        </section>
    }
    .into_any()
}
