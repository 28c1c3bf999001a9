//! Which accelerator a name means, as drivers and frameworks print it.

use super::{ALL, Accelerator, find};

/// Words with which tools begin an accelerator's name.
pub const MAKERS: [&str; 6] = ["nvidia", "amd", "tesla", "geforce", "rtx", "instinct"];

/// What a name stands for.
enum Product {
    /// One of the table, by its id.
    Known(&'static str),
    /// Another, by what a person calls it: its memory or its rates aren't those of the one that it is named like.
    Other(&'static str),
}
use Product::{Known, Other};

/// Beginnings of words that are all in a name, and what it stands for. The first that fits counts.
const PRODUCTS: &[(&[&str], Product)] = &[
    (&["laptop"], Other("a laptop’s GPU")),
    (&["gh200"], Other("GH200")),
    (&["h100 nvl "], Known("h100-nvl-94")),
    (&["h200 nvl "], Other("H200 NVL")),
    (&["h800", "pci"], Other("H800 PCIe")),
    (&["h20 3e"], Other("H20-3e")),
    (&["a800", "pci"], Other("A800 PCIe")),
    (&["a100", "64gb"], Other("A100 64 GB")),
    (&["a100x"], Other("A100X")),
    (&["v100", "pci"], Other("V100 PCIe")),
    (&["v100s"], Other("V100S")),
    (&["5090 d "], Other("RTX 5090 D")),
    (&["4090 d "], Other("RTX 4090 D")),
    (&["3090 ti "], Other("RTX 3090 Ti")),
    (&["gb300"], Known("gb300")),
    (&["h100", "pci"], Known("h100-pcie-80")),
    (&["h100"], Known("h100-80")),
    (&["h800"], Known("h800")),
    (&["h200"], Known("h200-141")),
    (&["h20 "], Known("h20-96")),
    (&["gb200"], Known("gb200")),
    (&["b200"], Known("b200")),
    (&["b300"], Known("b300")),
    (&["a100", "pci", "40gb"], Known("a100-pcie-40")),
    (&["a100", "pci"], Known("a100-pcie-80")),
    (&["a100", "40gb"], Known("a100-40")),
    (&["a100"], Known("a100-80")),
    (&["a800"], Known("a800-80")),
    (&["v100", "32gb"], Known("v100-32")),
    (&["v100"], Known("v100-16")),
    (&["5090"], Known("rtx-5090")),
    (&["4090"], Known("rtx-4090")),
    (&["3090"], Known("rtx-3090")),
    (&["rtx a6000"], Known("a6000-48")),
    (&["l40s"], Known("l40s-48")),
    (&["l40 "], Known("l40-48")),
    (&["a40 "], Known("a40-48")),
    (&["tesla t4 "], Known("t4")),
    (&["nvidia t4 "], Known("t4")),
    (&["mi250x"], Known("mi250x")),
    (&["mi300x"], Known("mi300x")),
    (&["mi325x"], Known("mi325x")),
    (&["mi350x"], Known("mi350x")),
    (&["mi355x"], Known("mi355x")),
    (&["a10g"], Known("a10g-24")),
    (&["nvidia l4 "], Known("l4-24")),
];

/// The product that a name has the words of; each begins a word of it.
fn product(name: &str) -> Option<&'static Product> {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    // `8xH100` says how many.
    let bare = |word: &'_ str| match word.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('x') {
        Some(rest) if !rest.is_empty() && !word.starts_with('x') => rest.to_owned(),
        _ => word.to_owned(),
    };
    let name = words.fold(" ".to_owned(), |name, word| match word {
        // `40 GB` is `40GB`.
        "gb" => name.trim_end().to_owned() + "gb ",
        _ => name + &bare(word) + " ",
    });
    let has = |word: &&str| name.contains(&format!(" {word}"));
    PRODUCTS.iter().find(|(words, _)| words.iter().all(&has)).map(|(_, product)| product)
}

/// The accelerator that a driver's name means, such as `NVIDIA A100-SXM4-80GB`, or the table's own. None for one that isn't in the table, also where its
/// name is like one that is (`NVIDIA H200 NVL`), and for a text without a name.
pub fn named(name: &str) -> Option<&'static Accelerator> {
    if let Some(own) = ALL.iter().find(|gpu| gpu.name.eq_ignore_ascii_case(name.trim())) {
        return Some(own);
    }
    match product(name)? {
        Known(id) => find(id),
        Other(_) => None,
    }
}

/// The accelerator that a text means in the place of an id, if it is a name as tools print it. What is written like an id is one, and a slip in it
/// is to be named.
pub fn in_place_of_id(text: &str) -> Option<&'static Accelerator> {
    let is_printed = text.contains(|c: char| c.is_whitespace() || c.is_uppercase());
    named(text).filter(|_| is_printed)
}

/// What a person calls the product that a name means, if it isn't in the table though its name is like one that is.
pub fn other(name: &str) -> Option<&'static str> {
    match product(name)? {
        Known(_) => None,
        Other(name) => Some(name),
    }
}

/// Names that drivers give one product alone, though another is named like it; GeForce's are all of that kind.
const WHOLE: [&str; 2] = ["nvidia h200", "nvidia h20"];

/// What else a name fits that leaves out the form or the memory: `h100` fits the SXM module, the PCIe card and the NVL; in the table's words.
pub fn others(name: &str) -> Vec<&'static str> {
    let words = |name: &str| -> Vec<String> {
        let name = name.to_lowercase().replace(" gb", "gb");
        let words =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !MAKERS.contains(word));
        let plain = words.map(|word| match word {
            "hbm3" => "sxm".to_owned(),
            _ if word.starts_with("sxm") => "sxm".to_owned(),
            _ if word.starts_with("pci") => "pcie".to_owned(),
            _ => word
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .strip_prefix('x')
                .filter(|rest| rest.len() > 1)
                .unwrap_or(word)
                .to_owned(),
        });
        plain.collect()
    };
    let (Some(own), said) = (named(name), words(name)) else { return Vec::new() };
    let bare = name.trim().to_lowercase().replace(['-', '_'], " ");
    if WHOLE.contains(&bare.as_str())
        || bare.contains("geforce")
        || ALL.iter().any(|gpu| gpu.name.eq_ignore_ascii_case(name.trim()))
    {
        return Vec::new();
    }
    let family = |candidate: &str| words(candidate).first() == words(own.name).first();
    let fits = |candidate: &&'static str| {
        let has = words(candidate);
        family(candidate) && said.iter().all(|word| has.contains(word))
    };
    let similar = PRODUCTS.iter().filter_map(|(_, product)| match product {
        Other(name) => Some(*name),
        Known(_) => None,
    });
    ALL.iter().map(|gpu| gpu.name).filter(|name| *name != own.name).chain(similar).filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_fits_several() {
        for (name, also) in [
            ("h100", &["H100 PCIe 80 GB", "H100 NVL 94 GB"][..]),
            ("8xH100", &["H100 PCIe 80 GB", "H100 NVL 94 GB"]),
            ("nvidia-h100-80gb", &["H100 PCIe 80 GB"]),
            ("h100_80gb_hbm3", &[]),
            ("NVIDIA H100 80GB HBM3", &[]),
            ("NVIDIA-H100-80GB-HBM3", &[]),
            ("NVIDIA H100 PCIe", &[]),
            ("H100 SXM 80 GB", &[]),
            ("a100", &["A100 PCIe 40 GB", "A100 PCIe 80 GB", "A100 SXM 40 GB", "A100 64 GB"]),
            ("a100-sxm4-40gb", &[]),
            ("a100_80gb", &["A100 PCIe 80 GB"]),
            ("v100", &["V100 SXM2 32 GB", "V100 PCIe"]),
            ("h200", &["H200 NVL"]),
            ("NVIDIA H200", &[]),
            ("NVIDIA-H200", &[]),
            ("b200", &[]),
            ("l40s", &[]),
            ("mi300x", &[]),
            ("NVIDIA GeForce RTX 4090", &[]),
            ("Tesla V100-SXM2-16GB", &[]),
            ("one GPU", &[]),
        ] {
            assert_eq!(others(name), also, "{name}");
        }
    }

    #[test]
    fn a_name_means_one_product() {
        for (name, is) in [
            ("NVIDIA A10G", Some("a10g-24")),
            ("NVIDIA A800-SXM4-80GB", Some("a800-80")),
            ("NVIDIA A800 80GB PCIe", None),
            ("H20", Some("h20-96")),
            ("NVIDIA H20", Some("h20-96")),
            ("NVIDIA H20-3e", None),
            ("NVIDIA H200", Some("h200-141")),
            ("NVIDIA H200 NVL", None),
            ("NVIDIA L4", Some("l4-24")),
            ("NVIDIA L40S", Some("l40s-48")),
            ("NVIDIA L40", Some("l40-48")),
            ("AMD Instinct MI300X", Some("mi300x")),
            ("AMD Instinct MI350X", Some("mi350x")),
            ("NVIDIA GB300", Some("gb300")),
            ("NVIDIA B300 SXM6 AC", Some("b300")),
            ("NVIDIA GB200", Some("gb200")),
            ("NVIDIA H100 NVL", Some("h100-nvl-94")),
            ("NVIDIA H100 PCIe", Some("h100-pcie-80")),
            ("NVIDIA H100 80GB HBM3", Some("h100-80")),
            ("A100-PCIE-40GB", Some("a100-pcie-40")),
            ("NVIDIA A100-PCIE-40GB", Some("a100-pcie-40")),
            ("NVIDIA A100 80GB PCIe", Some("a100-pcie-80")),
            ("NVIDIA A100-SXM4-40GB", Some("a100-40")),
            ("NVIDIA A100-SXM4-80GB", Some("a100-80")),
            ("NVIDIA A100-SXM-64GB", None),
            ("NVIDIA GH200 480GB", None),
            ("Tesla T4", Some("t4")),
            ("NVIDIA T400 4GB", None),
            ("Tesla V100-PCIE-16GB", None),
            ("Tesla V100-SXM2-16GB", Some("v100-16")),
            ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
            ("NVIDIA GeForce RTX 4090", Some("rtx-4090")),
            ("8xH100", Some("h100-80")),
            ("NVIDIA A40 (UUID: GPU-0a100b2c)", Some("a40-48")),
            ("one GPU", None),
        ] {
            assert_eq!(named(name).map(|gpu| gpu.id), is, "{name}");
        }
        assert!(ALL.iter().all(|gpu| named(gpu.name) == Some(gpu)));
        assert_eq!(named("A100 40 GB").map(|gpu| gpu.id), Some("a100-40"));
        assert_eq!((in_place_of_id("h100-8"), in_place_of_id("H20").map(|gpu| gpu.id)), (None, Some("h20-96")));
        let is_known = |product: &Product| !matches!(product, Known(id) if find(id).is_none());
        assert!(PRODUCTS.iter().all(|(_, product)| is_known(product)));
        assert_eq!(
            (other("NVIDIA H200 NVL"), other("NVIDIA H100 80GB HBM3"), other("")),
            (Some("H200 NVL"), None, None)
        );
    }
}
