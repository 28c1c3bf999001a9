//! The table of accelerators. A row is one device as one process sees it; to add one, add a row.

use super::{Accelerator, Source};
use crate::units::{Bytes, MIB};

const TERA: f64 = 1e12;

/// One row: sizes in the units of the data sheets (GB, MiB by NVML or 0, GB/s, dense TFLOP/s).
const fn row(
    (id, name): (&'static str, &'static str),
    (memory_gb, reported_mib): (f64, u32),
    bandwidth_gb_s: f64,
    (peak_tflops, peak_dtype): (f64, &'static str),
    source: Source,
) -> Accelerator {
    Accelerator {
        id,
        name,
        memory: Bytes(memory_gb * 1e9),
        reported: if reported_mib == 0 { None } else { Some(Bytes(reported_mib as f64 * MIB)) },
        bandwidth: bandwidth_gb_s * 1e9,
        peak: peak_tflops * TERA,
        peak_dtype,
        source,
    }
}

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
/// B200 is sold with 192 GB on the die and 180 GB usable in an HGX board (1.44 TB for eight); the usable figure is
/// taken. GB200's 186 GB is half of the superchip's 372 GB.
pub const ALL: &[Accelerator] = &[
    row(
        ("v100-32", "V100 SXM2 32 GB"),
        (32.0, 0),
        900.0,
        (125.0, "fp16"),
        from(
            "NVIDIA V100 Tensor Core GPU data sheet",
            "https://images.nvidia.com/content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
        ),
    ),
    row(
        ("rtx-3090", "GeForce RTX 3090 24 GB"),
        (24.0, 0),
        936.0,
        (71.0, "bf16"),
        from(
            "NVIDIA Ampere GA102 GPU Architecture (white paper)",
            "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
        ),
    ),
    row(
        ("rtx-4090", "GeForce RTX 4090 24 GB"),
        (24.0, 0),
        1008.0,
        (165.2, "bf16"),
        from(
            "NVIDIA Ada GPU Architecture (white paper)",
            "https://images.nvidia.com/aem-dam/Solutions/Data-Center/l4/nvidia-ada-gpu-architecture-whitepaper-v2.1.pdf",
        ),
    ),
    row(
        ("a6000-48", "RTX A6000 48 GB"),
        (48.0, 0),
        768.0,
        (154.8, "bf16"),
        from("NVIDIA RTX A6000 data sheet", "https://www.nvidia.com/en-us/design-visualization/rtx-a6000/"),
    ),
    row(
        ("l40s-48", "L40S 48 GB"),
        (48.0, 46_068),
        864.0,
        (362.0, "bf16"),
        from("NVIDIA L40S, specifications", "https://www.nvidia.com/en-us/data-center/l40s/"),
    ),
    row(("a100-40", "A100 SXM 40 GB"), (40.0, 40_960), 1555.0, (312.0, "bf16"), AMPERE_40),
    row(("a100-80", "A100 SXM 80 GB"), (80.0, 81_920), 2039.0, (312.0, "bf16"), AMPERE),
    row(("h100-pcie-80", "H100 PCIe 80 GB"), (80.0, 0), 2000.0, (756.0, "bf16"), H100),
    row(("h100-80", "H100 SXM 80 GB"), (80.0, 81_559), 3350.0, (989.0, "bf16"), H100),
    row(
        ("h200-141", "H200 SXM 141 GB"),
        (141.0, 143_771),
        4800.0,
        (989.0, "bf16"),
        from("NVIDIA H200 Tensor Core GPU, specifications", "https://www.nvidia.com/en-us/data-center/h200/"),
    ),
    row(("b200", "B200 SXM 180 GB"), (180.0, 0), 8000.0, (2250.0, "bf16"), HGX),
    row(
        ("gb200", "GB200 186 GB"),
        (186.0, 0),
        8000.0,
        (2500.0, "bf16"),
        from("NVIDIA GB200 NVL72, specifications", "https://www.nvidia.com/en-us/data-center/gb200-nvl72/"),
    ),
    row(("b300", "B300 SXM 288 GB"), (288.0, 0), 8000.0, (2250.0, "bf16"), HGX),
    row(
        ("mi250x", "Instinct MI250X 128 GB"),
        (128.0, 0),
        3277.0,
        (383.0, "bf16"),
        from(
            "AMD Instinct MI250X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi200/mi250x.html",
        ),
    ),
    row(
        ("mi300x", "Instinct MI300X 192 GB"),
        (192.0, 0),
        5300.0,
        (1307.0, "bf16"),
        from(
            "AMD Instinct MI300X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi300/mi300x.html",
        ),
    ),
    row(
        ("mi325x", "Instinct MI325X 256 GB"),
        (256.0, 0),
        6000.0,
        (1307.0, "bf16"),
        from(
            "AMD Instinct MI325X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi300/mi325x.html",
        ),
    ),
    row(
        ("mi355x", "Instinct MI355X 288 GB"),
        (288.0, 0),
        8000.0,
        (2500.0, "bf16"),
        from(
            "AMD Instinct MI355X, specifications",
            "https://www.amd.com/en/products/accelerators/instinct/mi350/mi355x.html",
        ),
    ),
    row(
        ("gaudi2", "Gaudi 2 96 GB"),
        (96.0, 0),
        2460.0,
        (432.0, "bf16"),
        from("Intel Gaudi 2, specifications", "https://habana.ai/products/gaudi2/"),
    ),
    row(
        ("gaudi3", "Gaudi 3 128 GB"),
        (128.0, 0),
        3700.0,
        (1677.0, "bf16"),
        from(
            "Intel Gaudi 3 AI accelerator white paper",
            "https://www.intel.com/content/www/us/en/content-details/817486/intel-gaudi-3-ai-accelerator-white-paper.html",
        ),
    ),
    row(
        ("tpu-v4", "TPU v4 32 GB"),
        (32.0, 0),
        1200.0,
        (275.0, "bf16"),
        from("Google Cloud TPU v4", "https://cloud.google.com/tpu/docs/v4"),
    ),
    row(
        ("tpu-v5e", "TPU v5e 16 GB"),
        (16.0, 0),
        819.0,
        (197.0, "bf16"),
        from("Google Cloud TPU v5e", "https://cloud.google.com/tpu/docs/v5e"),
    ),
    row(
        ("tpu-v5p", "TPU v5p 95 GB"),
        (95.0, 0),
        2765.0,
        (459.0, "bf16"),
        from("Google Cloud TPU v5p", "https://cloud.google.com/tpu/docs/v5p"),
    ),
    row(
        ("tpu-v6e", "TPU v6e 32 GB"),
        (32.0, 0),
        1640.0,
        (918.0, "bf16"),
        from("Google Cloud TPU v6e", "https://cloud.google.com/tpu/docs/v6e"),
    ),
];
