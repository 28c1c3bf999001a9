//! deepspeedai/DeepSpeed at edaa7221267243c7be7fb49c5d5f5c4fb97b4641: `DeepSpeedConfig._batch_assertion`, `_do_error_check` in
//! `deepspeed/runtime/config.py`, and `PipelineEngine.__init__` in `deepspeed/runtime/pipe/engine.py`.

use ringside_core::memory::Params;
use serde_json::Value;

pub fn check(text: &str, params: &Params) -> Result<(), String> {
    let config: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let int = |name: &str| config[name].as_u64();
    let (Some(micro), Some(steps)) = (int("train_micro_batch_size_per_gpu"), int("gradient_accumulation_steps")) else {
        return Err("a batch parameter is not defined".to_owned());
    };
    if micro == 0 || steps == 0 {
        return Err("batch parameters have to be greater than 0".to_owned());
    }
    // The world of the configuration is the data-parallel one; what is missing is derived.
    if int("train_batch_size").is_some_and(|batch| batch != micro * steps * params.dp) {
        return Err("train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size".to_owned());
    }
    let Some(stage) = config["zero_optimization"]["stage"].as_u64() else { return Err("no stage".to_owned()) };
    if stage > 3 {
        return Err("maximum supported ZeRO stage is 3".to_owned());
    }
    if config["bf16"]["enabled"] == true && config["fp16"]["enabled"] == true {
        return Err("bfloat16 and fp16 modes cannot be simultaneously enabled".to_owned());
    }
    let l = &params.layout;
    if l.pipeline.stages > 1 && stage >= 2 {
        return Err("ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism".to_owned());
    }
    // `DeepSpeedEngine._configure_zero_optimizer`: an optimizer that ZeRO was not tried with must be allowed.
    let tried = config["optimizer"]["type"] == "AdamW";
    if stage > 0 && !tried && config["zero_allow_untested_optimizer"] != true {
        return Err("You are using an untested ZeRO Optimizer".to_owned());
    }
    // Nothing here makes these.
    if l.tp * l.cp * l.ep > 1 || l.pipeline.virtual_stages > 1 {
        return Err("the engine does not split the model so".to_owned());
    }
    Ok(())
}
