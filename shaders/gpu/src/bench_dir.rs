//! Our kernels in the descriptor format of a benchmark page that times them beside other libraries (see ARCHITECTURE.md, Speed).

use std::fs;
use std::io;
use std::path::Path;

use ringside_core::kernels::config::WORKGROUP_MEMORY as DEFAULT;
use ringside_shaders::descriptor::{Dims, Parameter, Resource, Size};
use ringside_shaders::{Kernel, Problem};
use serde_json::{Value, json};

/// The head dimension that the bench measures.
const HEAD_DIM: u64 = 64;
/// A size of its matrices: all are multiples of the tiles.
const SIDE: u64 = 1024;

/// Writes a text and a descriptor of each kernel into a folder; says how many kernels.
///
/// # Errors
/// Those of writing files.
pub fn write_all(folder: &Path) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    // The bench has no other operations.
    let kernels: Vec<_> =
        ringside_shaders::all().filter(|kernel| ["matmul", "attention"].contains(&kernel.family)).collect();
    for kernel in &kernels {
        let name = format!("{}-{}", kernel.family, kernel.id);
        let dims = dims();
        fs::write(folder.join(format!("{name}.wgsl")), kernel.wgsl(&dims))?;
        fs::write(folder.join(format!("{name}.json")), format!("{:#}\n", descriptor(kernel, &name, &dims)))?;
    }
    Ok(kernels.len())
}

fn dims() -> Dims {
    Dims(vec![("head_dim", HEAD_DIM), ("m", SIDE), ("n", SIDE), ("k", SIDE)])
}

fn descriptor(kernel: &Kernel, name: &str, dims: &Dims) -> Value {
    let scratch: serde_json::Map<String, Value> =
        kernel.scratch.iter().map(|(name, size)| ((*name).to_owned(), formula(size, dims).into())).collect();
    let passes: Vec<Value> = kernel
        .passes
        .iter()
        .map(|pass| {
            let bindings: Vec<Value> = pass
                .bindings
                .iter()
                .map(|binding| match binding.resource {
                    Resource::Read(buffer) => {
                        json!({"binding": binding.number, "type": "read-only-storage", "buffer": there(kernel, buffer)})
                    }
                    Resource::Write(buffer) => {
                        json!({"binding": binding.number, "type": "storage", "buffer": there(kernel, buffer)})
                    }
                    Resource::Parameters(list) => {
                        let fields: Vec<[String; 2]> = list.iter().map(field).collect();
                        json!({"binding": binding.number, "type": "uniform", "fields": fields})
                    }
                })
                .collect();
            let workgroups = pass.grid.each_ref().map(|size| formula(size, dims));
            // Whether the sizes are multiples of a tile, in JavaScript.
            let constants: serde_json::Map<String, Value> = kernel
                .fits
                .iter()
                .map(|fit| (fit.name.to_owned(), format!("{}%{}==0?1:0", dim(fit.size), (fit.side)(dims)).into()))
                .collect();
            json!({
                "wgsl": format!("{name}.wgsl"),
                "entryPoint": pass.entry,
                "bindings": bindings,
                "constants": constants,
                "workgroups": workgroups,
            })
        })
        .collect();
    let require: Vec<String> = match kernel.family {
        "attention" => vec![format!("d=={HEAD_DIM}")],
        // Its text is for rows that are whole vectors.
        _ if !kernel.fits.is_empty() => vec!["K%4==0".to_owned(), "N%4==0".to_owned()],
        _ => Vec::new(),
    };
    let features: Vec<&str> = [("shader-f16", kernel.f16), ("subgroups", kernel.subgroups)]
        .into_iter()
        .filter_map(|(feature, needed)| needed.then_some(feature))
        .collect();
    let problem = match kernel.family {
        "attention" => Problem::read(kernel.family, &[SIDE, HEAD_DIM, 1, 1, 0]),
        _ => Problem::read(kernel.family, &[SIDE; 3]),
    };
    let shared = problem.and_then(|problem| problem.needs(kernel.id)).map_or(0, |needs| needs.workgroup_memory);
    json!({
        "name": format!("ours: {}", kernel.id),
        "op": kernel.family,
        "require": require,
        "features": features,
        "limits": if shared > DEFAULT { json!({"maxComputeWorkgroupStorageSize": shared}) } else { json!({}) },
        "scratch": scratch,
        "passes": passes,
    })
}

/// The bench's name of a buffer: inputs and output are capitals, scratch is as it is.
fn there(kernel: &Kernel, buffer: &str) -> String {
    let ours = kernel.scratch.iter().any(|(name, _)| *name == buffer);
    if ours { buffer.to_owned() } else { buffer.to_uppercase() }
}

fn field(parameter: &Parameter) -> [String; 2] {
    match parameter {
        Parameter::Dim(name) => ["u32".to_owned(), dim(name).to_owned()],
        Parameter::First => ["u32".to_owned(), "0".to_owned()],
        Parameter::RootInverse(name) => ["f32".to_owned(), format!("1/sqrt({})", dim(name))],
    }
}

/// The bench's name of a size. It has one head and no mask.
fn dim(name: &str) -> &'static str {
    match name {
        "m" => "M",
        "n" => "N",
        "k" => "K",
        "seq" => "N",
        "head_dim" => "d",
        "heads" | "kv_heads" => "1",
        _ => "0",
    }
}

/// A size in JavaScript.
fn formula(size: &Size, dims: &Dims) -> String {
    match size {
        Size::Of(number) => number.to_string(),
        Size::Dim(name) => dim(name).to_owned(),
        Size::Tiles(name, side) => format!("ceil({}/{side})", dim(name)),
        Size::TilesBy(name, side) => format!("ceil({}/{})", dim(name), side(dims)),
        Size::By(number) => number(dims).to_string(),
        Size::Product(factors) => factors.iter().map(|f| formula(f, dims)).collect::<Vec<_>>().join("*"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_described_as_the_bench_reads_it() {
        let kernel = ringside_shaders::find("attention", "flash-2").expect("there");
        let value = descriptor(kernel, "x", &dims());
        assert_eq!(value["passes"][0]["workgroups"], json!(["1", "ceil(N/32)", "1"]));
        assert_eq!(
            value["passes"][0]["bindings"][0],
            json!({"binding": 0, "type": "read-only-storage", "buffer": "Q"})
        );
        let fields = &value["passes"][0]["bindings"][4]["fields"];
        assert_eq!(fields[6], json!(["f32", "1/sqrt(d)"]));
        let packed = ringside_shaders::find("matmul", "packed").expect("there");
        let value = descriptor(packed, "x", &dims());
        assert_eq!((&value["scratch"]["packed_a"], &value["limits"]), (&json!("8*ceil(M/8)*K"), &json!({})));
        let deep = ringside_shaders::find("matmul", "pipelined-deep").expect("there");
        assert_eq!(descriptor(deep, "x", &dims())["limits"], json!({}), "no more than every GPU has");
        let pipelined = ringside_shaders::find("matmul", "pipelined").expect("there");
        let value = descriptor(pipelined, "x", &dims());
        assert_eq!(value["passes"][0]["constants"]["FIT_ROWS"], json!("M%128==0?1:0"));
    }
}
