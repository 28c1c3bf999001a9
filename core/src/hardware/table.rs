//! The table of accelerators: everything that the figures know of one stands in its row. A row is one device as one process sees it; to add
//! one, add a row.

use super::{Accelerator, Chip, Latencies, Ports, Source};
use crate::units::{Bytes, GB, GIB, KIB, MIB};

/// One row: sizes in the units of the data sheets (GB, MiB by NVML or 0, GB/s, dense TFLOP/s).
const fn row(
    (id, name): (&'static str, &'static str),
    (memory_gb, reported_mib): (f64, u32),
    bandwidth_gb_s: f64,
    (peak_tflops, peak_dtype): (f64, &'static str),
    ports: Ports,
    source: Source,
) -> Accelerator {
    Accelerator {
        id,
        name,
        memory: Bytes(memory_gb * GB),
        seen: None,
        sold: Bytes(memory_gb * GB),
        reported: if reported_mib == 0 { None } else { Some(Bytes(reported_mib as f64 * MIB)) },
        bandwidth: bandwidth_gb_s * GB,
        peak: peak_tflops * 1e12,
        peak_dtype,
        fp8: None,
        ports,
        chip: None,
        source,
    }
}

impl Accelerator {
    /// With units for 8-bit floats that are twice as fast as those for 16 bits, as its data sheet (its `source`) says.
    const fn twice_as_fast_in_fp8(self) -> Self {
        Self { fp8: Some(2.0 * self.peak), ..self }
    }

    /// With units for 8-bit floats of another rate, dense TFLOP/s, by the same source.
    const fn fp8(self, tflops: f64) -> Self {
        Self { fp8: Some(tflops * 1e12), ..self }
    }

    /// With the GiB that a process sees, from a public thread: what PyTorch's out-of-memory messages call the total capacity, XLA's the capacity
    /// of HBM, or rocminfo the size of the pool.
    const fn seen(self, gib: f64, source: &'static str) -> Self {
        Self { memory: Bytes(gib * GIB), seen: Some(source), ..self }
    }

    /// With what is known of its SMs and caches.
    const fn with(self, chip: Chip) -> Self {
        Self { chip: Some(chip), ..self }
    }
}

/// Links within a node, between nodes and to the host, by id; empty for what is not in the tables or not there.
const fn ports(inside: &'static str, between: &'static str, host: &'static str) -> Ports {
    Ports { inside, between, host }
}

/// A card that is sold without a node: it reaches everything over PCIe.
const fn card(pcie: &'static str) -> Ports {
    ports(pcie, "", pcie)
}

/// Links that are not in the tables, such as a TPU's.
const OTHER: Ports = ports("", "", "");

/// A chip without measured latencies: SMs and boost clock in MHz; threads, shared memory and what a block may have of it, KiB, of an SM;
/// FP32 lanes and L1 with shared memory, KiB, of an SM, and L2 in KiB; the kind of its memory.
const fn chip(
    capability: (u32, u32),
    (sms, clock_mhz): (u64, u32),
    (threads, shared_kib, block_shared_kib): (u64, u64, u64),
    (lanes, near_kib, l2_kib): (u64, u64, u64),
    dram: &'static str,
    source: &'static str,
) -> Chip {
    let kib = KIB as u64;
    Chip {
        capability,
        sms,
        clock: clock_mhz as f64 * 1e6,
        threads,
        shared: shared_kib * kib,
        block_shared: block_shared_kib * kib,
        lanes,
        near: near_kib * kib,
        l2: l2_kib * kib,
        dram,
        l2_bandwidth: None,
        latency: Latencies { near: None, l2: None, memory: None },
        source,
        measured: "",
    }
}

impl Chip {
    /// With latencies in seconds, and who measured them on an idle GPU.
    const fn measured(self, near: f64, l2: f64, memory: Option<f64>, measured: &'static str) -> Self {
        Self { latency: Latencies { near: Some(near), l2: Some(l2), memory }, measured, ..self }
    }
}

const LUO: &str = "Luo et al. 2024, arXiv 2402.13499, table IV";
const CHEESE: &str = "Chips and Cheese 2025";

/// Limits of an SM by compute capability, here and below: CUDA C++ Programming Guide.
const GV100: Chip =
    chip((7, 0), (80, 1530), (2048, 96, 96), (64, 128, 6144), "HBM", "NVIDIA Tesla V100 white paper (SXM2)");
const T4: Chip = chip((7, 5), (40, 1590), (1024, 64, 64), (64, 96, 4096), "GDDR", "NVIDIA Turing white paper (T4)");
/// L2 moves 5,120 bytes a clock (white paper). Latencies were measured on an A100 PCIe, whose clock is the same.
const GA100: Chip = Chip {
    l2_bandwidth: Some(5120.0 * 1.41e9),
    ..chip((8, 0), (108, 1410), (2048, 164, 163), (64, 192, 40 * 1024), "HBM", "NVIDIA A100 white paper (SXM)")
        .measured(29.0 / 1.41e9, 261.5 / 1.41e9, Some(466.3 / 1.41e9), LUO)
};
const RTX_3090: Chip =
    chip((8, 6), (82, 1695), (1536, 100, 99), (128, 128, 6144), "GDDR", "NVIDIA Ampere GA102 white paper");
const RTX_4090: Chip =
    chip((8, 9), (128, 2520), (1536, 100, 99), (128, 128, 72 * 1024), "GDDR", "NVIDIA Ada white paper");
/// Latencies were counted in cycles of an H100 PCIe, which has 1.755 GHz (Chips and Cheese 2023). Neither L2 nor memory follows the SMs'
/// clock, so those of the SXM board are taken to be as long in time. NVIDIA publishes no bandwidth of this L2.
pub(super) const GH100: Chip =
    chip((9, 0), (132, 1980), (2048, 228, 227), (128, 256, 50 * 1024), "HBM", "NVIDIA H100 white paper (SXM5)")
        .measured(29.0 / 1.98e9, 263.0 / 1.755e9, Some(478.8 / 1.755e9), LUO);
const GH100_PCIE: Chip =
    chip((9, 0), (114, 1755), (2048, 228, 227), (128, 256, 50 * 1024), "HBM", "NVIDIA H100 white paper (PCIe)")
        .measured(29.0 / 1.755e9, 263.0 / 1.755e9, Some(478.8 / 1.755e9), LUO);
const GB100: Chip = chip((10, 0), (148, 1965), (2048, 228, 227), (128, 256, 126 * 1024), "HBM", CHEESE).measured(
    39.0 / 1.965e9,
    150e-9,
    None,
    CHEESE,
);
const RTX_5090: Chip =
    chip((12, 0), (170, 2407), (1536, 100, 99), (128, 128, 96 * 1024), "GDDR", "NVIDIA RTX Blackwell white paper");

const fn from(title: &'static str, url: &'static str) -> Source {
    Source { title, url }
}

const AMPERE: Source = from(
    "NVIDIA A100 Tensor Core GPU data sheet",
    "https://www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
);
const AMPERE_40: Source = from(
    "NVIDIA A100 Tensor Core GPU Architecture (white paper)",
    "https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf",
);
const H100: Source =
    from("NVIDIA H100 Tensor Core GPU, product specifications", "https://www.nvidia.com/en-us/data-center/h100/");
const HGX: Source = from("NVIDIA HGX platform, specifications", "https://www.nvidia.com/en-us/data-center/hgx/");

/// Every accelerator, NVIDIA first, each vendor from the oldest to the newest.
///
/// Rows without what a process sees (`seen`): no public log of H100 PCIe, H800, A40, Gaudi 3 or Trainium that prints it was found; one of a B300
/// (267.69 GiB) and one of a TPU v5p (95.74) don't say which device they are of, one of an MI350X is of a virtual function, one of a Gaudi 2 (94.62) has no
/// thread to cite, and JAX counts half of a TPU v7 as a device.
///
/// B200 is sold with 192 GB on the die and 180 GB usable in an HGX board (1.44 TB for eight); the usable figure is
/// taken. GB200's 186 GB is half of the superchip's 372 GB. An A10 has another rate than the A10G of Amazon's G5.
pub const ALL: &[Accelerator] = &[
    row(
        ("v100-32", "V100 SXM2 32 GB"),
        (32.0, 0),
        900.0,
        (125.0, "fp16"), ports("", "", "pcie3"),
        from(
            "NVIDIA V100 Tensor Core GPU data sheet",
            "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        ),
    ).with(GV100).seen(31.74, "liucongg/ChatGLM-Finetuning issue 73"),
    row(
        ("v100-16", "V100 SXM2 16 GB"),
        (16.0, 0),
        900.0,
        (125.0, "fp16"), ports("", "", "pcie3"),
        from(
            "NVIDIA V100 Tensor Core GPU data sheet",
            "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        ),
    ).with(GV100).seen(15.77, "meta-llama/llama-cookbook issue 234"),
    row(
        ("t4", "T4 16 GB"),
        (16.0, 0),
        320.0,
        (65.0, "fp16"),
        card("pcie3"),
        from("NVIDIA T4 Tensor Core GPU data sheet", "https://www.nvidia.com/en-us/data-center/tesla-t4/"),
    ).with(T4).seen(14.56, "Zheng-Chong/CatVTON issue 133"),
    row(
        ("rtx-3090", "GeForce RTX 3090 24 GB"),
        (24.0, 0),
        936.0,
        (71.0, "bf16"), card("pcie4"),
        from(
            "NVIDIA Ampere GA102 GPU Architecture (white paper)",
            "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
        ),
    ).with(RTX_3090).seen(23.70, "Lightning-AI/lit-llama issue 137"),
    row(
        ("rtx-4090", "GeForce RTX 4090 24 GB"),
        (24.0, 0),
        1008.0,
        (165.2, "bf16"), card("pcie4"),
        from(
            "NVIDIA Ada GPU Architecture (white paper)",
            "https://images.nvidia.com/aem-dam/Solutions/Data-Center/l4/nvidia-ada-gpu-architecture-whitepaper-v2.1.pdf",
        ),
    ).twice_as_fast_in_fp8().with(RTX_4090).seen(23.64, "ali-vilab/VGen issue 104"),
    row(
        ("rtx-5090", "GeForce RTX 5090 32 GB"),
        (32.0, 0),
        1792.0,
        (209.5, "bf16"),
        card("pcie5"),
        from(
            "NVIDIA RTX Blackwell GPU Architecture (white paper)",
            "https://images.nvidia.com/aem-dam/Solutions/geforce/blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf",
        ),
    ).twice_as_fast_in_fp8().with(RTX_5090).seen(31.37, "Wan-Video/Wan2.1 issue 465"),
    row(
        ("a10g-24", "A10G 24 GB"),
        (24.0, 0),
        600.0,
        (70.0, "bf16"), card("pcie4"),
        from(
            "NVIDIA A10G Tensor Core GPU data sheet (Amazon EC2 G5)",
            "https://d1.awsstatic.com/product-marketing/ec2/NVIDIA_AWS_A10G_DataSheet_FINAL_02_17_2022.pdf",
        ),
    ).seen(21.99, "philschmid/deep-learning-pytorch-huggingface issue 49"),
    row(
        ("l4-24", "L4 24 GB"),
        (24.0, 0),
        300.0,
        (121.0, "bf16"), card("pcie4"),
        from("NVIDIA L4 Tensor Core GPU, specifications", "https://www.nvidia.com/en-us/data-center/l4/"),
    ).twice_as_fast_in_fp8().seen(22.03, "ArcInstitute/evo2 issue 190"),
    row(
        ("a6000-48", "RTX A6000 48 GB"),
        (48.0, 0),
        768.0,
        (154.8, "bf16"), card("pcie4"),
        from("NVIDIA RTX A6000 data sheet", "https://www.nvidia.com/en-us/design-visualization/rtx-a6000/"),
    ).seen(47.54, "google-research/semivl issue 18"),
    row(
        ("l40-48", "L40 48 GB"),
        (48.0, 0),
        864.0,
        (181.0, "bf16"), card("pcie4"),
        from("NVIDIA L40, specifications", "https://www.nvidia.com/en-us/data-center/l40/"),
    ).twice_as_fast_in_fp8().seen(44.40, "QwenLM/Qwen3-VL issue 2097"),
    row(
        ("a40-48", "A40 48 GB"),
        (48.0, 0),
        696.0,
        (149.7, "bf16"), card("pcie4"),
        from("NVIDIA A40, specifications", "https://www.nvidia.com/en-us/data-center/a40/"),
    ),
    row(
        ("l40s-48", "L40S 48 GB"),
        (48.0, 46_068),
        864.0,
        (362.0, "bf16"), card("pcie4"),
        from("NVIDIA L40S, specifications", "https://www.nvidia.com/en-us/data-center/l40s/"),
    ).twice_as_fast_in_fp8().seen(44.42, "stepfun-ai/Step-Video-T2V issue 8"),
    row(
        ("a100-pcie-40", "A100 PCIe 40 GB"),
        (40.0, 0),
        1555.0,
        (312.0, "bf16"), card("pcie4"),
        from(
            "NVIDIA A100 40GB PCIe GPU Accelerator (product brief PB-10137-001_v03)",
            "https://docslib.org/doc/3015592/a100-40gb-pcie-product-brief",
        ),
    ).with(GA100).seen(39.38, "vllm-project/vllm issue 16570"),
    row(("a100-pcie-80", "A100 PCIe 80 GB"), (80.0, 0), 1935.0, (312.0, "bf16"), card("pcie4"), AMPERE).with(GA100).seen(79.15, "ekondis/mixbench issue 47"),
    row(("a100-40", "A100 SXM 40 GB"), (40.0, 40_960), 1555.0, (312.0, "bf16"), ports("nvlink3", "hdr", "pcie4"), AMPERE_40).with(GA100).seen(39.50, "TianheWu/CoSeR issue 10"),
    row(("a100-80", "A100 SXM 80 GB"), (80.0, 81_920), 2039.0, (312.0, "bf16"), ports("nvlink3", "hdr", "pcie4"), AMPERE).with(GA100).seen(79.25, "levihsu/OOTDiffusion issue 235"),
    row(
        ("a800-80", "A800 SXM 80 GB"),
        (80.0, 0),
        2039.0,
        (312.0, "bf16"), ports("nvlink3-a800", "hdr", "pcie4"),
        from(
            "NVIDIA A800 Tensor Core GPU: an A100 with 400 GB/s of NVLink, both directions together (LLM-Prof, hardware_spec.md)",
            "https://github.com/citsjtu2020/LLM-Prof/blob/main/hardware_spec.md",
        ),
    ).with(GA100).seen(79.33, "hahnyuan/PB-LLM issue 3"),
    row(("h100-pcie-80", "H100 PCIe 80 GB"), (80.0, 0), 2000.0, (756.0, "bf16"), card("pcie5"), H100).twice_as_fast_in_fp8().with(GH100_PCIE),
    // Two of them may have a bridge of NVLink between them, which isn't counted.
    row(("h100-nvl-94", "H100 NVL 94 GB"), (94.0, 0), 3900.0, (835.5, "bf16"), card("pcie5"), H100).twice_as_fast_in_fp8().seen(93.00, "ali-vilab/VACE issue 56"),
    row(("h100-80", "H100 SXM 80 GB"), (80.0, 81_559), 3350.0, (989.0, "bf16"), ports("nvlink4", "ndr", "pcie5"), H100).twice_as_fast_in_fp8().with(GH100).seen(79.11, "vllm-project/vllm issue 27508"),
    row(
        ("h800", "H800 SXM 80 GB"),
        (80.0, 0),
        3350.0,
        (989.0, "bf16"),
        ports("nvlink4-h800", "ndr", "pcie5"),
        from(
            "DeepSeek-AI, Insights into DeepSeek-V3, §4.1: an H100 with less NVLink and FP64",
            "https://arxiv.org/abs/2505.09343",
        ),
    ).twice_as_fast_in_fp8().with(GH100),
    row(
        ("h20-96", "H20 SXM 96 GB"),
        (96.0, 0),
        4000.0,
        (148.0, "bf16"), ports("nvlink4", "ndr", "pcie5"),
        from(
            "H20 96 GB: specifications by Will It Run AI",
            "https://willitrunai.com/es/gpus/h20-96gb",
        ),
    ).twice_as_fast_in_fp8().seen(95.10, "vllm-project/vllm issue 29360"),
    row(
        ("h200-141", "H200 SXM 141 GB"),
        (141.0, 143_771),
        4800.0,
        (989.0, "bf16"), ports("nvlink4", "ndr", "pcie5"),
        from("NVIDIA H200 Tensor Core GPU, specifications", "https://www.nvidia.com/en-us/data-center/h200/"),
    ).twice_as_fast_in_fp8().seen(139.72, "liziniu/GEM issue 4"),
    row(("b200", "B200 SXM 180 GB"), (180.0, 0), 8000.0, (2250.0, "bf16"), ports("nvlink5", "ndr", "pcie5"), HGX).twice_as_fast_in_fp8().with(GB100).seen(178.35, "pytorch/ao pull request 4002"),
    row(
        ("gb200", "GB200 186 GB"),
        (186.0, 0),
        8000.0,
        (2500.0, "bf16"), ports("nvlink5", "ndr", ""),
        from("NVIDIA GB200 NVL72, specifications", "https://www.nvidia.com/en-us/data-center/gb200-nvl72/"),
    ).twice_as_fast_in_fp8().seen(184.31, "vllm-project/vllm issue 43951"),
    row(("b300", "B300 SXM 288 GB"), (288.0, 0), 8000.0, (2250.0, "bf16"), ports("nvlink5", "xdr", "pcie5"), HGX).twice_as_fast_in_fp8(),
    row(
        ("gb300", "GB300 279 GB"),
        (279.0, 0),
        8000.0,
        (2500.0, "bf16"), ports("nvlink5", "xdr", ""),
        from(
            "Verda, NVIDIA GB300 NVL72: GPU architecture and performance (dense rates per GPU)",
            "https://verda.com/blog/gb300-nvl72-architecture",
        ),
    ).twice_as_fast_in_fp8().seen(276.50, "NVIDIA-NeMo/Megatron-Bridge issue 2221"),
    // Half of the card: ROCm, and so PyTorch, has a device for each of its two dies (huggingface.co/docs/optimum/amd/amdgpu/perf_hardware:
    // rocm-smi lists eight devices on four MI250).
    row(
        ("mi250x", "Instinct MI250X GCD 64 GB"),
        (64.0, 0),
        1638.5,
        (191.5, "bf16"), OTHER,
        from(
            "AMD Instinct MI250X, specifications (one of its two dies)",
            "https://www.amd.com/en/products/accelerators/instinct/mi200/mi250x.html",
        ),
    ).seen(63.98, "ROCm/rocm_smi_lib issue 160"),
    row(
        ("mi300x", "Instinct MI300X 192 GB"),
        (192.0, 0),
        5300.0,
        (1307.0, "bf16"), ports("xgmi", "roce-400", "pcie5"),
        from(
            "AMD Instinct MI300X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
        ),
    ).twice_as_fast_in_fp8().seen(191.98, "ROCm/legacy-rocm-build issue 4414"),
    row(
        ("mi325x", "Instinct MI325X 256 GB"),
        (256.0, 0),
        6000.0,
        (1307.0, "bf16"), ports("xgmi", "roce-400", "pcie5"),
        from(
            "AMD Instinct MI325X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html",
        ),
    ).twice_as_fast_in_fp8().seen(255.98, "ROCm/rocm-systems issue 8263"),
    row(
        ("mi350x", "Instinct MI350X 288 GB"),
        (288.0, 0),
        8000.0,
        (2300.0, "bf16"), ports("xgmi-mi350", "roce-400", "pcie5"),
        from(
            "AMD Instinct MI350X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi350/mi350x.html",
        ),
    ).twice_as_fast_in_fp8(),
    row(
        ("mi355x", "Instinct MI355X 288 GB"),
        (288.0, 0),
        8000.0,
        (2500.0, "bf16"), ports("xgmi-mi350", "roce-400", "pcie5"),
        from(
            "AMD Instinct MI355X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html",
        ),
    ).twice_as_fast_in_fp8().seen(287.98, "ROCm/ATOM issue 1400"),
    row(
        ("gaudi2", "Gaudi 2 96 GB"),
        (96.0, 0),
        2460.0,
        (432.0, "bf16"), OTHER,
        from("Intel Gaudi 2, specifications", "https://habana.ai/products/gaudi2/"),
    ),
    row(
        ("gaudi3", "Gaudi 3 128 GB"),
        (128.0, 0),
        3700.0,
        (1677.0, "bf16"), OTHER,
        from(
            "Intel Gaudi 3 AI accelerator white paper",
            "https://www.intel.com/content/www/us/en/content-details/817486/intel-gaudi-3-ai-accelerator-white-paper.html",
        ),
    ),
    row(
        ("tpu-v4", "TPU v4 32 GB"),
        (32.0, 0),
        1200.0,
        (275.0, "bf16"), ports("ici-v4", "", ""),
        from("Google Cloud TPU v4", "https://cloud.google.com/tpu/docs/v4"),
    ).seen(30.75, "erfanzar/EasyDeL issue 166"),
    row(
        ("tpu-v5e", "TPU v5e 16 GB"),
        (16.0, 0),
        819.0,
        (197.0, "bf16"), ports("ici-v5e", "", ""),
        from("Google Cloud TPU v5e", "https://cloud.google.com/tpu/docs/v5e"),
    ).seen(15.75, "GoogleCloudPlatform/kubernetes-engine-samples pull request 1467"),
    row(
        ("tpu-v5p", "TPU v5p 95 GB"),
        (95.0, 0),
        2765.0,
        (459.0, "bf16"), ports("ici-v5p", "", ""),
        from("Google Cloud TPU v5p", "https://cloud.google.com/tpu/docs/v5p"),
    ),
    row(
        ("tpu-v6e", "TPU v6e 32 GB"),
        (32.0, 0),
        1640.0,
        (918.0, "bf16"), ports("ici-v6e", "", "pcie5"),
        from("Google Cloud TPU v6e", "https://cloud.google.com/tpu/docs/v6e"),
    ).seen(31.25, "vllm-project/vllm pull request 16211"),
    row(
        ("tpu-7x", "TPU v7 (Ironwood) 192 GB"),
        (192.0, 0),
        7380.0,
        (2307.0, "bf16"), ports("ici-7x", "", ""),
        from("Google Cloud TPU7x (Ironwood)", "https://cloud.google.com/tpu/docs/tpu7x"),
    ).twice_as_fast_in_fp8(),
    row(
        ("trainium2", "Trainium 2 96 GB"),
        (96.0, 0),
        2900.0,
        (667.0, "bf16"), ports("neuronlink3", "efa-200", ""),
        from(
            "AWS Neuron, Trainium2 architecture",
            "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/trainium2.html",
        ),
    ).fp8(1299.0),
    row(
        ("trainium3", "Trainium 3 144 GB"),
        (144.0, 0),
        4900.0,
        (671.0, "bf16"), ports("neuronlink4", "", ""),
        from(
            "AWS Neuron, Trainium3 architecture (8-bit rate of MXFP8)",
            "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/neuron-hardware/trainium3.html",
        ),
    ).fp8(2517.0),
];
