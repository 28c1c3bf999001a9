//! Every kernel is read by naga, which must find just what its descriptor says.

use naga::valid::{Capabilities, GlobalUse, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ScalarKind, ShaderStage, StorageAccess, TypeInner};
use ringside_core::coalescing::measured::{Gather, Order};
use ringside_core::kernels::config::{Config, Numbers, WORKGROUP_MEMORY};
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{MAX_SIZE, Work, attention, decode, matmul, stream, tuner};
use ringside_shaders::attention::SUBGROUPS;
use ringside_shaders::descriptor::{Parameter, Pass, Resource, uniform};
use ringside_shaders::{Kernel, Problem};

/// WebGPU's default limits.
const STORAGE_BUFFERS: usize = 8;
const INVOCATIONS: u32 = 256;
const WORKGROUPS: u64 = 65_535;

/// The problems whose kernels differ in more than sizes.
fn problems(family: &str) -> Vec<Problem> {
    match family {
        "matmul" => [[33, 65, 17], [33, 64, 20]].map(|[m, n, k]| Problem::Matmul(matmul::Sizes { m, n, k })).to_vec(),
        tuner::FAMILY => {
            let shape = |numbers| tuner::SPACE.iter().map(move |shape| Config { numbers, ..shape.config });
            let sizes = matmul::Sizes { m: 33, n: 65, k: 17 };
            let fits = |config: &Config| config.workgroup_memory() <= WORKGROUP_MEMORY;
            Numbers::ALL.into_iter().flat_map(shape).filter(fits).map(|config| Problem::Tuned(sizes, config)).collect()
        }
        "decode" => {
            let sizes =
                |(head_dim, heads, kv_heads)| decode::Sizes { keys: 777, head_dim, heads, kv_heads, chunk: 128 };
            [(32, 8, 8), (64, 12, 2), (128, 8, 1)].map(sizes).map(Problem::Decode).to_vec()
        }
        "attention" => attention::HEAD_DIMS
            .map(|head_dim| attention::Sizes { seq: 33, head_dim, heads: 4, kv_heads: 2, causal: true })
            .map(Problem::Attention)
            .to_vec(),
        "copy" => vec![Problem::Copy(stream::Copy { rows: 33, cols: 17 })],
        "gather" => vec![Problem::Gather(Gather { n: 64, order: Order::Strided, stride: 8, offset: 3 })],
        "sum" => vec![Problem::Sum(stream::Sum { n: 4097 })],
        "intensity" => vec![Problem::Intensity(stream::Intensity { n: 33, fma: 17 })],
        other => {
            let op = Op::find(other).unwrap_or_else(|| panic!("{other}: no problem"));
            vec![Problem::Rows(op, rows::Sizes { rows: 33, cols: 17 })]
        }
    }
}

fn every(test: impl Fn(&Kernel, &Problem, &Module, &naga::valid::ModuleInfo)) {
    for kernel in ringside_shaders::all() {
        for problem in problems(kernel.family) {
            if matches!(problem, Problem::Tuned(_, config) if config.numbers.id() != kernel.id) {
                continue;
            }
            // Chromium wants the word, naga does not know it.
            let source = kernel.wgsl(&problem.dims()).replacen(SUBGROUPS, "", 1);
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|e| panic!("{} {}", kernel.id, e.emit_to_string(&source)));
            let mut known = Capabilities::empty();
            known.set(Capabilities::SHADER_FLOAT16, kernel.f16);
            known.set(Capabilities::SUBGROUP, kernel.subgroups);
            let info = Validator::new(ValidationFlags::all(), known)
                .subgroup_stages(ShaderStages::COMPUTE)
                .subgroup_operations(SubgroupOperationSet::all())
                .validate(&module)
                .unwrap_or_else(|e| panic!("{} {}", kernel.id, e.emit_to_string(&source)));
            test(kernel, &problem, &module, &info);
        }
    }
}

fn passes<'a>(kernel: &'a Kernel, module: &'a Module) -> impl Iterator<Item = (&'a Pass, usize)> {
    let index = |pass: &Pass| module.entry_points.iter().position(|e| e.name == pass.entry);
    kernel.passes.iter().map(move |pass| (pass, index(pass).unwrap_or_else(|| panic!("{}: {}", kernel.id, pass.entry))))
}

#[test]
fn entry_points_and_workgroups_are_as_described() {
    every(|kernel, problem, module, _| {
        assert_eq!(module.entry_points.len(), kernel.passes.len(), "{}", kernel.id);
        for (pass, index) in passes(kernel, module) {
            let entry = &module.entry_points[index];
            assert_eq!(entry.stage, ShaderStage::Compute);
            let described = match problem {
                Problem::Tuned(_, config) if pass.entry == "main" => [config.lanes() as u32, 1, 1],
                _ => pass.workgroup,
            };
            assert_eq!(entry.workgroup_size, described, "{} {}", kernel.id, pass.entry);
            assert!(pass.workgroup.iter().product::<u32>() <= INVOCATIONS && pass.workgroup[2] <= 64);
        }
    });
}

#[test]
fn each_pass_binds_just_what_it_uses() {
    every(|kernel, problem, module, info| {
        let mut known: Vec<&str> = problem.inputs().into_iter().map(|(name, _)| name).collect();
        known.push(problem.output().0);
        known.extend(kernel.scratch.iter().map(|(name, _)| *name));
        for (pass, index) in passes(kernel, module) {
            let uses = info.get_entry_point(index);
            let mut found: Vec<(u32, &str)> = Vec::new();
            for (handle, variable) in module.global_variables.iter() {
                let Some(binding) = variable.binding.filter(|_| uses[handle] != GlobalUse::empty()) else { continue };
                assert_eq!(binding.group, 0);
                found.push((
                    binding.binding,
                    match variable.space {
                        AddressSpace::Uniform => "uniform",
                        AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => "write",
                        AddressSpace::Storage { .. } => "read",
                        other => panic!("{}: a binding in {other:?}", kernel.id),
                    },
                ));
            }
            let mut described: Vec<(u32, &str)> = Vec::new();
            for binding in pass.bindings {
                let kind = match binding.resource {
                    Resource::Parameters(_) => "uniform",
                    Resource::Read(name) | Resource::Write(name) => {
                        assert!(known.contains(&name), "{}: there is no buffer {name}", kernel.id);
                        if matches!(binding.resource, Resource::Read(_)) { "read" } else { "write" }
                    }
                };
                described.push((binding.number, kind));
            }
            found.sort_unstable();
            described.sort_unstable();
            assert_eq!(found, described, "{} {}", kernel.id, pass.entry);
            assert!(described.iter().filter(|(_, kind)| *kind != "uniform").count() <= STORAGE_BUFFERS);
        }
    });
}

#[test]
fn parameters_lie_where_the_kernel_reads_them() {
    every(|kernel, problem, module, _| {
        let dims = problem.dims();
        for binding in kernel.passes.iter().flat_map(|p| p.bindings) {
            let Resource::Parameters(parameters) = binding.resource else { continue };
            let variable = module
                .global_variables
                .iter()
                .find(|(_, v)| v.binding.is_some_and(|b| b.binding == binding.number))
                .unwrap_or_else(|| panic!("{}: nothing is bound at {}", kernel.id, binding.number))
                .1;
            let TypeInner::Struct { members, span } = &module.types[variable.ty].inner else {
                panic!("{}: the parameters are no structure", kernel.id)
            };
            let found: Vec<_> = members
                .iter()
                .map(|m| (m.name.as_deref().unwrap_or(""), m.offset, module.types[m.ty].inner.scalar_kind()))
                .collect();
            let kind = |p: &Parameter| match p {
                Parameter::RootInverse(_) => ScalarKind::Float,
                _ => ScalarKind::Uint,
            };
            let described: Vec<_> = parameters.iter().zip(0..).map(|(p, i)| (p.name(), 4 * i, Some(kind(p)))).collect();
            assert_eq!(found, described, "{}", kernel.id);
            for parameter in parameters.iter() {
                if let Parameter::Dim(name) | Parameter::RootInverse(name) = parameter {
                    assert!(dims.0.iter().any(|(known, _)| known == name), "{}: no size {name}", kernel.id);
                }
            }
            assert!(uniform(parameters, &dims, 7).len() >= *span as usize);
        }
    });
}

#[test]
fn workgroup_memory_is_what_the_model_says_and_within_the_limit() {
    every(|kernel, problem, module, info| {
        let occupied = passes(kernel, module)
            .map(|(_, index)| {
                let uses = info.get_entry_point(index);
                let variables = module.global_variables.iter();
                let shared =
                    variables.filter(|(h, v)| v.space == AddressSpace::WorkGroup && uses[*h] != GlobalUse::empty());
                shared.map(|(_, v)| module.types[v.ty].inner.size(module.to_ctx())).sum::<u32>()
            })
            .max()
            .unwrap_or(0);
        let model = problem.needs(kernel.id).map(|needs| needs.workgroup_memory);
        assert_eq!(model, Some(u64::from(occupied)), "{}", kernel.id);
        // The plain form of every kernel keeps to what all GPUs have.
        assert!(u64::from(occupied) <= WORKGROUP_MEMORY, "{}", kernel.id);
    });
}

#[test]
fn the_largest_sizes_can_be_dispatched() {
    let n = MAX_SIZE - 1;
    let whole = rows::Sizes { rows: n, cols: n };
    let largest = [
        Problem::Rows(Op::Softmax, whole),
        Problem::Rows(Op::LayerNorm, whole),
        Problem::Rows(Op::Chain, whole),
        Problem::Copy(stream::Copy { rows: n, cols: 1 << 12 }),
        Problem::Copy(stream::Copy { rows: 1 << 12, cols: n }),
        Problem::Sum(stream::Sum { n: stream::MAX_VALUES }),
        Problem::Intensity(stream::Intensity { n: stream::MAX_VALUES, fma: n }),
        Problem::Matmul(matmul::Sizes { m: n, n, k: n }),
        Problem::Tuned(
            matmul::Sizes { m: n, n, k: n },
            Config { rows: 32, cols: 32, own_rows: 4, own_cols: 4, ..Config::SINGLE },
        ),
        Problem::Decode(decode::Sizes { keys: n, head_dim: 128, heads: 64, kv_heads: 64, chunk: 64 }),
        Problem::Attention(attention::Sizes { seq: n, head_dim: 128, heads: 128, kv_heads: 8, causal: false }),
    ];
    for kernel in ringside_shaders::all() {
        for problem in largest.iter().filter(|p| p.family() == kernel.family) {
            for pass in kernel.passes {
                let workgroups = pass.workgroups(&problem.dims());
                assert!(workgroups.iter().all(|n| (1..=WORKGROUPS).contains(n)), "{} {workgroups:?}", kernel.id);
            }
        }
    }
}

#[test]
fn the_kernels_are_those_of_the_models() {
    fn same<W: Work>() {
        let ids: Vec<&str> = ringside_shaders::all().filter(|k| k.family == W::NAME).map(|k| k.id).collect();
        assert_eq!(ids, W::KERNELS.iter().map(|k| k.id).collect::<Vec<_>>());
    }
    same::<matmul::Sizes>();
    same::<attention::Sizes>();
    same::<decode::Sizes>();
    for op in Op::ALL {
        let described = ringside_shaders::all().filter(|k| k.family == op.id()).map(|k| (k.id, k.passes.len()));
        assert!(described.eq(op.kernels().iter().map(|k| (k.id, k.launches.len()))), "{}", op.id());
    }
    let streams = ringside_shaders::stream::KERNELS.iter().map(|k| (k.family, k.id));
    assert!(streams.eq(stream::KERNELS.iter().map(|k| (k.family, k.id))));
}
