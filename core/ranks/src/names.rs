//! How names of the host and their lines travel through the interpreter.

/// What `from torch.distributed import *` brings.
const DIST: &[&str] = &[
    "all_gather",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "irecv",
    "isend",
    "new_group",
    "P2POp",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "ReduceOp",
    "send",
];
/// What `torch.cuda` has.
const CUDA: &[&str] = &["set_device"];
/// What `from ringside import *` brings.
const RINGSIDE: &[&str] =
    &["alive", "compute", "expect", "exists", "randn", "rank", "step", "submit", "tag", "world_size"];

/// Methods of tensors and work handles that no list, string, dict or set has. A call of one carries its line.
const METHODS: &[&str] = &[
    "abs",
    "abs_",
    "add_",
    "all",
    "allclose",
    "any",
    "argmax",
    "bfloat16",
    "bmm",
    "chunk",
    "clamp",
    "clamp_",
    "clone",
    "contiguous",
    "copy_",
    "cos",
    "cpu",
    "cuda",
    "cumsum",
    "detach",
    "div",
    "div_",
    "equal",
    "exp",
    "exp_",
    "fill_",
    "flatten",
    "float",
    "gather",
    "gelu",
    "index_add_",
    "index_select",
    "is_completed",
    "isfinite",
    "isinf",
    "isnan",
    "item",
    "log",
    "logsumexp",
    "long",
    "masked_fill",
    "masked_fill_",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mm",
    "mul",
    "mul_",
    "narrow",
    "neg",
    "norm",
    "permute",
    "pow",
    "relu",
    "repeat",
    "reshape",
    "rsqrt",
    "scatter_add_",
    "sigmoid",
    "silu",
    "sin",
    "softmax",
    "sqrt",
    "square",
    "squeeze",
    "sub",
    "sub_",
    "sum",
    "t",
    "tanh",
    "to",
    "tolist",
    "topk",
    "transpose",
    "tril",
    "triu",
    "unsqueeze",
    "var",
    "view",
    "wait",
    "zero_",
];

/// What a star import of a name space brings.
pub(crate) fn of(space: &str) -> &'static [&'static str] {
    match space {
        "dist" => DIST,
        "cuda" => CUDA,
        "ringside" => RINGSIDE,
        _ => &[],
    }
}

/// Whether a method's call carries its line.
pub(crate) fn is_method(name: &str) -> bool {
    METHODS.contains(&name)
}

/// The name of a host function, with the line that names it.
pub(crate) fn host(space: &str, member: &str, line: u32) -> String {
    format!("_rsL{line}_{space}_{member}")
}

/// The name of a method, with its line.
pub(crate) fn method(name: &str, line: u32) -> String {
    format!("{name}__L{line}")
}

/// A host function's name space, name and line.
pub(crate) fn read_host(name: &str) -> Option<(&str, &str, u32)> {
    let (line, rest) = name.strip_prefix("_rsL")?.split_once('_')?;
    let (space, member) = rest.split_once('_')?;
    Some((space, member, line.parse().ok()?))
}

/// A method's name and line.
pub(crate) fn read_method(name: &str) -> (&str, Option<u32>) {
    match name.rsplit_once("__L") {
        Some((method, line)) => match line.parse() {
            Ok(line) => (method, Some(line)),
            Err(_) => (name, None),
        },
        None => (name, None),
    }
}

/// What a learner called, by the name of the host's function: `all_reduce`; empty for an operator or a subscript.
pub(crate) fn called(name: &str) -> String {
    match read_host(name) {
        Some((_, member, _)) => member.to_owned(),
        None if name.starts_with("_rs_") => String::new(),
        None => read_method(name).0.to_owned(),
    }
}

/// A text of the interpreter as a learner reads it: names without what they carry.
pub(crate) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_rs") {
        let (before, tail) = rest.split_at(at);
        out += before;
        let end = tail.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        match read_host(word) {
            Some(("ringside", member, _)) => out += member,
            Some((space, member, _)) => {
                out += space;
                out.push('.');
                out += member;
            }
            None => out += word.strip_prefix("_rs_").unwrap_or(word),
        }
        rest = after;
    }
    out += rest;
    // A method's line: `matmul__L12`.
    while let Some(at) = out.find("__L") {
        let digits = out.get(at + 3..).map_or(0, |t| t.chars().take_while(char::is_ascii_digit).count());
        if digits == 0 {
            break;
        }
        out.replace_range(at..at + 3 + digits, "");
    }
    out
}
