//! DeepSpeed's two estimators, as its code has them, offload included.
//!
//! Source: microsoft/DeepSpeed at 38327e0, `deepspeed/runtime/zero/stage_1_and_2.py`
//! (`estimate_zero2_model_states_mem_needs`) and `stage3.py` (`estimate_zero3_model_states_mem_needs`). Results are whole
//! bytes, cut as Python's `int()` cuts them.

/// What an estimator is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inputs {
    /// Parameters of the model.
    pub total_params: f64,
    /// Parameters of its largest layer; stage 3 only.
    pub largest_layer_params: f64,
    /// GPUs of one node, at least 1.
    pub num_gpus_per_node: u64,
    /// Nodes, at least 1.
    pub num_nodes: u64,
    /// Optimizer states (and at stage 2 the gradients) live in CPU memory.
    pub cpu_offload: bool,
    /// So do the weights; stage 3 only.
    pub cpu_offload_params: bool,
    /// The model is built in shards (`deepspeed.zero.Init`), never whole in each process; stage 3 only.
    pub zero_init: bool,
    /// Room in CPU memory beyond the sum: 1.5 by default. Nothing of the kind is added on the GPU.
    pub additional_buffer_factor: f64,
}

/// What an estimator answers, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// CPU memory of one node.
    pub cpu_per_node: f64,
    /// Memory of one GPU.
    pub gpu: f64,
    /// The part of `gpu` that is the largest layer, gathered; 0 at stage 2.
    pub largest_layer: f64,
}

impl Inputs {
    fn gpus(&self) -> f64 {
        self.per_node() * self.nodes()
    }

    fn per_node(&self) -> f64 {
        self.num_gpus_per_node.max(1) as f64
    }

    fn nodes(&self) -> f64 {
        self.num_nodes.max(1) as f64
    }
}

/// ZeRO-2: 2Ψ of weights on every GPU and 18Ψ shared, or with offload the 2Ψ alone.
pub fn estimate_zero2(inputs: &Inputs) -> Estimate {
    let n = inputs.total_params;
    let (cpu, gpu) = if inputs.cpu_offload {
        (n * (4.0 * inputs.gpus()).max(16.0), 2.0 * n)
    } else {
        (n * 4.0 * inputs.per_node(), 2.0 * n + (18.0 * n / inputs.gpus()).trunc())
    };
    Estimate { cpu_per_node: (cpu * inputs.additional_buffer_factor).trunc(), gpu: gpu.trunc(), largest_layer: 0.0 }
}

/// ZeRO-3: 18Ψ shared and the largest layer gathered; with offload only 2Ψ shared, or with the weights offloaded too
/// only the layer.
pub fn estimate_zero3(inputs: &Inputs) -> Estimate {
    let (n, per_node, nodes) = (inputs.total_params, inputs.per_node(), inputs.nodes());
    let largest_layer = 4.0 * inputs.largest_layer_params;
    let (cpu, gpu) = match (inputs.cpu_offload, inputs.cpu_offload_params, inputs.zero_init) {
        (true, true, true) => (n * 18.0 / nodes, largest_layer),
        (true, true, false) => (n * (4.0 * per_node).max(18.0 / nodes), largest_layer),
        (true, false, true) => (n * 16.0 / nodes, largest_layer + (2.0 * n / inputs.gpus()).trunc()),
        (true, false, false) => {
            (n * (4.0 * per_node).max(16.0 / nodes), largest_layer + (2.0 * n / inputs.gpus()).trunc())
        }
        (false, _, zero_init) => {
            let whole = if zero_init { inputs.largest_layer_params } else { n };
            (whole * 4.0 * per_node, largest_layer + (18.0 * n / inputs.gpus()).trunc())
        }
    };
    Estimate { cpu_per_node: (cpu * inputs.additional_buffer_factor).trunc(), gpu: gpu.trunc(), largest_layer }
}
