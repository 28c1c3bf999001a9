//! What a program can call: `torch`, `torch.distributed`, `ringside`, and the methods of tensors.

use std::collections::BTreeSet;
use std::rc::Rc;

use monty_types::{DictPairs, ExcType, MontyClassInstance, MontyClassType, MontyObject, MontyUuid};
use ringside_core::mix::Stream;
use ringside_core::program::{At, Diagnosis, Kind, Submitted, Verdict};

use crate::names;
use crate::tensor::{After, Busy, DType, Made, Tensor, broadcast, dimension, fits, shown};
use crate::world::{Block, Expected, Fault, Op, Saved, Side, Work, World};

/// What a call gives.
#[derive(Debug)]
pub(crate) enum Reply {
    Value(MontyObject),
    /// It waits; then it gives None.
    Wait(Block),
}

/// What the identity of a tensor, work handle or group begins with.
const MARK: [u8; 7] = *b"ringsid";
const TENSOR: u8 = b'T';
const WORK: u8 = b'W';
const GROUP: u8 = b'G';

fn identity(kind: u8, id: u64) -> MontyUuid {
    let mut bytes = [0; 16];
    for (slot, byte) in bytes.iter_mut().zip(MARK.into_iter().chain([kind]).chain(id.to_be_bytes())) {
        *slot = byte;
    }
    MontyUuid::from_bytes(bytes)
}

fn read_identity(uuid: &MontyUuid, kind: u8) -> Option<u64> {
    let (mark, rest) = uuid.as_bytes().split_first_chunk::<7>()?;
    let (found, id) = rest.split_first()?;
    (*mark == MARK && *found == kind).then(|| id.try_into().ok().map(u64::from_be_bytes)).flatten()
}

/// The tensors that a paused program still holds, read from the interpreter's own snapshot of it: it frees what nothing refers
/// to, as CPython does, but tells nobody.
pub(crate) fn held_in(snapshot: &[u8]) -> BTreeSet<u64> {
    let mut held = BTreeSet::new();
    let mut rest = snapshot;
    while let Some(at) = rest.iter().position(|b| *b == MARK[0]) {
        rest = &rest[at..];
        if let Some((chunk, _)) = rest.split_first_chunk::<16>()
            && let Some(id) = read_identity(&MontyUuid::from_bytes(*chunk), TENSOR)
        {
            held.insert(id);
        }
        rest = &rest[1..];
    }
    held
}

fn object(name: &str, kind: u8, id: u64, attributes: Vec<(&str, MontyObject)>) -> MontyObject {
    let pairs: Vec<_> = attributes.into_iter().map(|(k, v)| (MontyObject::String(k.to_owned()), v)).collect();
    MontyObject::ClassInstance(Box::new(MontyClassInstance {
        class_type: MontyClassType {
            name: name.to_owned(),
            id: identity(b'C', u64::from(kind)),
            host_defined: true,
            is_dataclass: false,
            attrs: DictPairs::from(Vec::new()),
        },
        instance_id: identity(kind, id),
        attrs: DictPairs::from(pairs),
    }))
}

fn real(value: f32) -> MontyObject {
    MontyObject::Float(f64::from(value))
}

fn ints(values: &[usize]) -> MontyObject {
    MontyObject::Tuple(values.iter().map(|v| MontyObject::Int(*v as i64)).collect())
}

fn type_error(message: impl Into<String>) -> Fault {
    Fault::Raise(ExcType::TypeError, message.into())
}

fn value_error(message: impl Into<String>) -> Fault {
    Fault::Raise(ExcType::ValueError, message.into())
}

/// What Python calls a value's type.
fn type_name(value: &MontyObject) -> String {
    match value {
        MontyObject::None => "NoneType".into(),
        MontyObject::Bool(_) => "bool".into(),
        MontyObject::Int(_) | MontyObject::BigInt(_) => "int".into(),
        MontyObject::Float(_) => "float".into(),
        MontyObject::String(_) => "str".into(),
        MontyObject::List(_) => "list".into(),
        MontyObject::Tuple(_) => "tuple".into(),
        MontyObject::Dict(_) => "dict".into(),
        MontyObject::Function { .. } => "function".into(),
        MontyObject::ClassInstance(instance) => instance.class_type.name.clone(),
        _ => "object".into(),
    }
}

fn number(value: &MontyObject) -> Option<f64> {
    match value {
        MontyObject::Int(n) => Some(*n as f64),
        MontyObject::Float(x) => Some(*x),
        MontyObject::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}

fn whole(value: &MontyObject) -> Option<i64> {
    match value {
        MontyObject::Int(n) => Some(*n),
        MontyObject::Bool(b) => Some(i64::from(*b)),
        _ => None,
    }
}

/// Numbers in lists in lists, with their shape.
fn nested(value: &MontyObject, depth: usize) -> Result<(Vec<usize>, Vec<f32>, bool), Fault> {
    if depth > 8 {
        return Err(value_error("a tensor has at most eight dimensions"));
    }
    match value {
        MontyObject::List(items) | MontyObject::Tuple(items) => {
            let mut shape = vec![items.len()];
            let (mut values, mut integral) = (Vec::new(), !items.is_empty());
            for (i, item) in items.iter().enumerate() {
                let (inner, part, int) = nested(item, depth + 1)?;
                if i == 0 {
                    shape.extend(&inner);
                } else if shape.get(1..) != Some(inner.as_slice()) {
                    return Err(value_error("the rows of a tensor need the same length"));
                }
                values.extend(part);
                integral &= int;
            }
            Ok((shape, values, integral))
        }
        other => match number(other) {
            Some(x) => Ok((Vec::new(), vec![x as f32], matches!(other, MontyObject::Int(_)))),
            None => Err(type_error(format!("a tensor holds numbers, not {}", type_name(other)))),
        },
    }
}

/// The arguments of a call.
struct Args<'c> {
    call: &'c str,
    positional: &'c [MontyObject],
    keywords: &'c [(MontyObject, MontyObject)],
}

impl Args<'_> {
    fn get(&self, at: usize, name: &str) -> Option<&MontyObject> {
        let keyword = self.keywords.iter().find(|(k, _)| matches!(k, MontyObject::String(k) if k == name));
        keyword.map(|(_, v)| v).or_else(|| self.positional.get(at)).filter(|v| !matches!(v, MontyObject::None))
    }

    fn need(&self, at: usize, name: &str) -> Result<&MontyObject, Fault> {
        let given = || {
            let keyword = self.keywords.iter().any(|(k, _)| matches!(k, MontyObject::String(k) if k == name));
            keyword || self.positional.len() > at
        };
        self.get(at, name).ok_or_else(|| {
            if given() {
                return nothing(&format!("{}(): '{name}'", self.call));
            }
            type_error(format!("{}() needs the argument '{name}'", self.call))
        })
    }

    fn int(&self, at: usize, name: &str) -> Result<Option<i64>, Fault> {
        self.get(at, name)
            .map(|v| whole(v).ok_or_else(|| type_error(format!("{}(): '{name}' must be a whole number", self.call))))
            .transpose()
    }

    fn float(&self, at: usize, name: &str) -> Result<Option<f64>, Fault> {
        self.get(at, name)
            .map(|v| number(v).ok_or_else(|| type_error(format!("{}(): '{name}' must be a number", self.call))))
            .transpose()
    }

    fn text(&self, at: usize, name: &str) -> Result<Option<&str>, Fault> {
        self.get(at, name)
            .map(|v| match v {
                MontyObject::String(s) => Ok(s.as_str()),
                _ => Err(type_error(format!("{}(): '{name}' must be a string", self.call))),
            })
            .transpose()
    }

    fn flag(&self, at: usize, name: &str) -> bool {
        self.get(at, name).is_some_and(|v| matches!(v, MontyObject::Bool(true)))
    }

    fn list(&self, at: usize, name: &str) -> Result<&[MontyObject], Fault> {
        let given = self.get(at, name);
        match given.ok_or_else(|| type_error(format!("{}() needs a list as '{name}'", self.call)))? {
            MontyObject::List(items) | MontyObject::Tuple(items) => Ok(items),
            other => Err(type_error(format!("{}(): '{name}' must be a list, not {}", self.call, type_name(other)))),
        }
    }

    /// Whole numbers from a place on, or in one list there.
    fn sizes(&self, from: usize, name: &str) -> Result<Vec<i64>, Fault> {
        let wrong = || type_error(format!("{}(): sizes must be whole numbers", self.call));
        if let Some(MontyObject::List(items) | MontyObject::Tuple(items)) = self.get(from, name) {
            return items.iter().map(|v| whole(v).ok_or_else(wrong)).collect();
        }
        self.positional.iter().skip(from).map(|v| whole(v).ok_or_else(wrong)).collect()
    }

    fn dtype(&self, at: usize) -> Result<Option<DType>, Fault> {
        self.text(at, "dtype")?
            .map(|name| DType::read(name).ok_or_else(|| value_error(format!("tensors here have no type {name}"))))
            .transpose()
    }

    fn known(&self, names: &[&str]) -> Result<(), Fault> {
        let unknown =
            self.keywords.iter().find(|(k, _)| !matches!(k, MontyObject::String(k) if names.contains(&k.as_str())));
        match unknown {
            Some((name, _)) => Err(type_error(format!("{}() has no argument '{name}' here", self.call))),
            None => Ok(()),
        }
    }
}

/// The rows that a tensor names: those of a mask's ones, or its numbers.
fn named_rows(by: &Tensor) -> Vec<i64> {
    let values = by.values();
    match by.dtype() {
        DType::Bool => values.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(i, _)| i as i64).collect(),
        _ => values.iter().map(|v| *v as i64).collect(),
    }
}

/// What to say of a name that a module has elsewhere or nowhere.
pub(crate) fn absent(module: &str, member: &str) -> String {
    let advice = match member {
        _ if module == "torch.cuda" => "; each rank has one device of its own, so leave it out",
        "device" => "; there are no devices to choose, so leave it out",
        "no_grad" | "inference_mode" | "enable_grad" => "; there is no autograd, so leave it out",
        _ => "",
    };
    format!("module '{module}' has no attribute '{member}' here{advice}")
}

/// What to say where a tensor is asked for and None was given.
fn nothing(what: &str) -> Fault {
    type_error(format!(
        "{what} is None; recv, all_reduce and others write into the tensor that they are given and return nothing, so don't assign \
         what they return"
    ))
}

/// A constant of a name space.
pub(crate) fn constant(space: &str, name: &str) -> Option<MontyObject> {
    let text = |s: &str| Some(MontyObject::String(s.to_owned()));
    match (space, name) {
        ("torch", "inf") => Some(MontyObject::Float(f64::INFINITY)),
        ("torch", "nan") => Some(MontyObject::Float(f64::NAN)),
        ("torch", "float32" | "bfloat16" | "int64" | "long" | "float" | "bool") => {
            DType::read(name).and_then(|d| text(d.name()))
        }
        ("op", "SUM") => text("sum"),
        ("op", "AVG") => text("avg"),
        ("op", "MAX") => text("max"),
        ("op", "MIN") => text("min"),
        ("op", "PRODUCT") => text("product"),
        _ => None,
    }
}

/// Functions of `torch` that are no methods of their first argument.
const TORCH: &[&str] = &[
    "allclose",
    "arange",
    "cat",
    "empty",
    "empty_like",
    "equal",
    "eye",
    "full",
    "full_like",
    "gelu",
    "load",
    "manual_seed",
    "one_hot",
    "ones",
    "ones_like",
    "outer",
    "rand",
    "randn",
    "randn_like",
    "save",
    "silu",
    "stack",
    "tensor",
    "where",
    "zeros",
    "zeros_like",
    "split",
    "chunk",
];

/// Arguments that calls of `torch.distributed` take by name.
const KEYWORDS: &[&str] = &[
    "tensor",
    "src",
    "dst",
    "group",
    "tag",
    "op",
    "async_op",
    "peer",
    "p2p_op_list",
    "tensor_list",
    "output_tensor",
    "input_tensor",
    "output",
    "input",
    "input_list",
    "output_tensor_list",
    "input_tensor_list",
    "output_split_sizes",
    "input_split_sizes",
];
/// What `ReduceOp` has.
const REDUCTIONS: &[&str] = &["sum", "avg", "max", "min", "product"];

/// Whether a name space has this function.
pub(crate) fn knows(space: &str, name: &str) -> bool {
    match space {
        "torch" => TORCH.contains(&name) || names::is_method(name),
        "" => matches!(name, "host" | "host_get" | "host_set" | "host_str" | "host_one"),
        other => names::of(other).contains(&name),
    }
}

impl World<'_> {
    fn tensor(&self, rank: usize, value: &MontyObject, call: &str) -> Result<Tensor, Fault> {
        let instance = match value {
            MontyObject::ClassInstance(instance) => instance,
            MontyObject::None => return Err(nothing(&format!("the tensor of {call}"))),
            _ => return Err(type_error(format!("{call} needs a tensor, not {}", type_name(value)))),
        };
        read_identity(&instance.instance_id, TENSOR)
            .and_then(|id| self.seats.get(rank)?.tensors.get(&id).cloned())
            .ok_or_else(|| type_error(format!("{call} needs a tensor, not {}", type_name(value))))
    }

    /// A tensor or number, and whether it is a number.
    fn operand(&self, rank: usize, value: &MontyObject, call: &str) -> Result<(Tensor, bool), Fault> {
        match number(value) {
            Some(x) => Ok((Tensor::scalar(x as f32), true)),
            None => Ok((self.tensor(rank, value, call)?, false)),
        }
    }

    fn tensors(&self, rank: usize, values: &[MontyObject], call: &str) -> Result<Vec<Tensor>, Fault> {
        values.iter().map(|v| self.tensor(rank, v, call)).collect()
    }

    /// Gives the program a tensor. If it has a storage of its own, that is counted.
    fn give(&mut self, rank: usize, line: u32, tensor: Tensor) -> Result<MontyObject, Fault> {
        let limit = self.job.limits.memory;
        let Some(seat) = self.seats.get_mut(rank) else { return Err("this rank is gone".into()) };
        let id = seat.next;
        seat.next += 1;
        seat.stale += 1;
        let attributes = vec![
            ("shape", ints(&tensor.shape)),
            ("dtype", MontyObject::String(tensor.dtype().name().to_owned())),
            ("ndim", MontyObject::Int(tensor.dims() as i64)),
        ];
        seat.tensors.insert(id, tensor);
        let total: u64 = self.held(rank).iter().sum();
        if total > limit {
            let sentence = format!(
                "Rank {rank}'s tensors take more than {} at line {line}. Use smaller tensors, or drop those you no longer need.",
                ringside_core::quantity::bytes_binary(limit as f64)
            );
            return Err(Fault::Stop(Diagnosis { verdict: Verdict::Limit, sentence, at: vec![At { rank, line }] }));
        }
        Ok(object("Tensor", TENSOR, id, attributes))
    }

    /// Frees what the program no longer holds: what its snapshot does not name, before the number `first`.
    pub fn sweep(&mut self, rank: usize, snapshot: &[u8], first: u64) {
        let held = held_in(snapshot);
        if let Some(seat) = self.seats.get_mut(rank) {
            seat.tensors.retain(|id, _| *id >= first || held.contains(id));
            seat.stale = 0;
        }
    }

    fn computed(&mut self, rank: usize, line: u32, call: &str, flops: f64) -> Result<(), Fault> {
        let limit = self.job.limits.flops;
        let Some(seat) = self.seats.get_mut(rank) else { return Ok(()) };
        seat.flops += flops;
        if seat.flops > limit {
            let sentence = format!(
                "Rank {rank} computes more than {} FLOPs; it stopped at line {line}. Use smaller tensors or fewer steps.",
                ringside_core::quantity::number(limit)
            );
            return Err(Fault::Stop(Diagnosis { verdict: Verdict::Limit, sentence, at: vec![At { rank, line }] }));
        }
        if self.clock.is_none() {
            seat.log.push(Op::Compute { flops, line, label: call.to_owned() });
        }
        Ok(())
    }

    /// The result of an operation on `from`.
    fn made(&mut self, rank: usize, line: u32, call: &str, from: &[&Tensor], made: Made) -> Result<MontyObject, Fault> {
        let (tensor, flops) = made.map_err(Fault::from)?;
        let after = from.iter().filter_map(|t| t.storage.after.get()).max();
        if tensor.storage.after.get().is_none() {
            tensor.storage.after.set(after);
        }
        if flops > 0.0 {
            self.computed(rank, line, call, flops)?;
        }
        self.give(rank, line, tensor)
    }

    fn written(
        &mut self,
        rank: usize,
        line: u32,
        call: &str,
        to: &Tensor,
        from: &Tensor,
        flops: f64,
    ) -> Result<(), Fault> {
        to.storage.after.set(to.storage.after.get().max(from.storage.after.get()));
        self.computed(rank, line, call, flops)
    }

    /// Answers a call of a rank.
    ///
    /// # Errors
    /// With an exception for the program, or the end of the run.
    pub fn call(
        &mut self,
        rank: usize,
        name: &str,
        receiver: Option<&MontyUuid>,
        positional: &[MontyObject],
        keywords: &[(MontyObject, MontyObject)],
    ) -> Result<Reply, Fault> {
        let seat_line = self.seats.get(rank).map_or(0, |s| s.line);
        let (space, member, line) = match (receiver, names::read_host(name)) {
            (None, Some((space, member, line))) => (space, member, if line > 0 { line } else { seat_line }),
            (None, None) => ("", name.strip_prefix("_rs_").unwrap_or(name), seat_line),
            (Some(_), _) => {
                let (method, line) = names::read_method(name);
                ("method", method, line.unwrap_or(seat_line))
            }
        };
        // The prelude hands the line on as its last argument.
        let line = match (space, positional.last()) {
            ("", Some(MontyObject::Int(line))) if member != "host_str" && *line > 0 => *line as u32,
            _ => line,
        };
        if let Some(seat) = self.seats.get_mut(rank) {
            seat.line = line;
        }
        let args = Args { call: member, positional, keywords };
        let value = match space {
            "" => self.prelude(rank, member, line, &args)?,
            "ringside" => return self.ringside(rank, member, line, &args),
            "dist" => return self.dist(rank, member, line, &args),
            "torch" => self.torch(rank, member, line, &args)?,
            // Each rank has a device of its own, whichever it asks for.
            "cuda" if knows(space, member) => args.need(0, "device").map(|_| MontyObject::None)?,
            "cuda" => return Err(Fault::Raise(ExcType::AttributeError, absent("torch.cuda", member))),
            "method" => {
                let Some(uuid) = receiver else { return Err("no receiver".into()) };
                if let Some(id) = read_identity(uuid, WORK) {
                    return self.work(rank, id, member, line);
                }
                let found = read_identity(uuid, TENSOR).and_then(|id| self.seats.get(rank)?.tensors.get(&id).cloned());
                let Some(tensor) = found else {
                    return Err(Fault::Raise(ExcType::AttributeError, format!("this object has no method '{member}'")));
                };
                let this = object("Tensor", TENSOR, read_identity(uuid, TENSOR).unwrap_or(0), Vec::new());
                self.method(rank, member, line, &tensor, Some(this), &args, 0)?
            }
            _ => return Err(Fault::Raise(ExcType::NameError, format!("name '{member}' is not defined"))),
        };
        Ok(Reply::Value(value))
    }

    /// What operators, subscripts and printing come to.
    fn prelude(&mut self, rank: usize, member: &str, line: u32, args: &Args<'_>) -> Result<MontyObject, Fault> {
        let none = MontyObject::None;
        let at = |i: usize| args.positional.get(i).unwrap_or(&none);
        match member {
            "host" => {
                let op = args.text(0, "op")?.unwrap_or_default();
                let (left, right) = (at(1), at(2));
                let is = |v: &MontyObject| self.tensor(rank, v, "").is_ok();
                if op == "neg" {
                    let Ok(tensor) = self.tensor(rank, left, "") else {
                        return Err(type_error(format!("bad operand type for unary -: '{}'", type_name(left))));
                    };
                    self.free_to(rank, &tensor, line, false)?;
                    return self.made(rank, line, "neg", &[&tensor], tensor.map(|x| -x));
                }
                if !is(left) && !is(right) {
                    let (a, b) = (type_name(left), type_name(right));
                    return Err(type_error(match op {
                        "<" | ">" | "<=" | ">=" => format!("'{op}' not supported between instances of '{a}' and '{b}'"),
                        _ => format!("unsupported operand type(s) for {op}: '{a}' and '{b}'"),
                    }));
                }
                let what = format!("a tensor's {op}");
                let (a, scalar) = self.operand(rank, left, &what)?;
                let (b, number) = self.operand(rank, right, &what)?;
                self.free_to(rank, &a, line, false)?;
                self.free_to(rank, &b, line, false)?;
                if let Some(op) = op.strip_suffix('=').filter(|o| !matches!(*o, "<" | ">" | "=" | "!")) {
                    if scalar {
                        return self.made(rank, line, op_name(op), &[&a, &b], operate(&a, op, &b, scalar, number));
                    }
                    self.free_to(rank, &a, line, true)?;
                    self.cost(rank, line, op, &a, &b)?;
                    let flops = a.update(op, &b, number)?;
                    self.written(rank, line, op_name(op), &a, &b, flops)?;
                    return Ok(left.clone());
                }
                self.cost(rank, line, op, &a, &b)?;
                self.made(rank, line, op_name(op), &[&a, &b], operate(&a, op, &b, scalar, number))
            }
            "host_get" => {
                let tensor = self.tensor(rank, at(0), "a subscript")?;
                let view = self.index(rank, &tensor, at(1))?;
                self.give(rank, line, view)
            }
            // The number that a condition, float() or int() asks for.
            "host_one" => {
                let tensor = self.tensor(rank, at(0), "a condition")?;
                self.free_to(rank, &tensor, line, false)?;
                let values = tensor.values();
                let [value] = values.as_slice() else {
                    return Err(format!(
                        "a tensor with {} elements is neither true nor false and no single number; use any() or all(), or one element",
                        values.len()
                    )
                    .into());
                };
                Ok(match tensor.dtype() {
                    DType::Int => MontyObject::Int(*value as i64),
                    DType::Bool => MontyObject::Bool(*value != 0.0),
                    _ => real(*value),
                })
            }
            "host_set" => {
                let tensor = self.tensor(rank, at(0), "a subscript")?;
                let view = self.index(rank, &tensor, at(1))?;
                if !Rc::ptr_eq(&view.storage, &tensor.storage) {
                    let rows = self.rows_of(rank, at(1))?.ok_or_else(|| {
                        type_error(
                            "rows by a list and other indices can be read but not assigned to; assign to each row",
                        )
                    })?;
                    let (value, _) = self.operand(rank, at(2), "a subscript")?;
                    self.free_to(rank, &value, line, false)?;
                    self.free_to(rank, &tensor, line, true)?;
                    let spread = value.expand(&view.shape)?;
                    for (i, row) in rows.into_iter().enumerate() {
                        tensor.select(0, row)?.write(&spread.select(0, i as i64)?.values());
                    }
                    self.written(rank, line, "copy", &tensor, &value, 0.0)?;
                    return Ok(MontyObject::None);
                }
                let (value, _) = self.operand(rank, at(2), "a subscript")?;
                self.free_to(rank, &value, line, false)?;
                self.free_to(rank, &view, line, true)?;
                let spread = value.expand(&view.shape)?;
                view.write(&spread.values());
                self.written(rank, line, "copy", &view, &value, 0.0)?;
                Ok(MontyObject::None)
            }
            "host_str" => {
                let tensor = self.tensor(rank, at(0), "print")?;
                self.free_to(rank, &tensor, line, false)?;
                Ok(MontyObject::String(tensor.text()))
            }
            _ => Err(Fault::Raise(ExcType::NameError, format!("name '{member}' is not defined"))),
        }
    }

    /// Refuses a product that would take the browser too long, before it is computed.
    fn cost(&self, rank: usize, line: u32, op: &str, a: &Tensor, b: &Tensor) -> Result<(), Fault> {
        if op != "@" {
            return Ok(());
        }
        let columns = if b.dims() > 1 { b.shape.last().copied().unwrap_or(1) } else { 1 };
        let batch: usize = b.shape.iter().rev().skip(2).product();
        let flops = 2.0 * a.numel() as f64 * columns as f64 * if a.dims() > 2 { 1.0 } else { batch as f64 };
        let used = self.seats.get(rank).map_or(0.0, |s| s.flops);
        if used + flops > self.job.limits.flops {
            let sentence = format!(
                "Rank {rank} computes more than {} FLOPs; it stopped at line {line}. Use smaller tensors or fewer steps.",
                ringside_core::quantity::number(self.job.limits.flops)
            );
            return Err(Fault::Stop(Diagnosis { verdict: Verdict::Limit, sentence, at: vec![At { rank, line }] }));
        }
        Ok(())
    }

    /// The rows that an index names if it is one list, tensor of numbers, or mask.
    fn rows_of(&self, rank: usize, key: &MontyObject) -> Result<Option<Vec<i64>>, Fault> {
        match key {
            MontyObject::List(items) => Ok(items.iter().map(whole).collect()),
            MontyObject::ClassInstance(_) => Ok(Some(named_rows(&self.tensor(rank, key, "a subscript")?))),
            _ => Ok(None),
        }
    }

    /// What an index selects: a view, or a copy where it is a list of rows.
    fn index(&self, rank: usize, tensor: &Tensor, key: &MontyObject) -> Result<Tensor, Fault> {
        let is_slice = |v: &MontyObject| matches!(v, MontyObject::Tuple(items) if items.len() == 4 && matches!(items.first(), Some(MontyObject::String(s)) if s == "_rs_slice"));
        let keys: Vec<MontyObject> = match key {
            MontyObject::Tuple(items) if !is_slice(key) => items.clone(),
            other => vec![other.clone()],
        };
        let mut view = tensor.clone();
        let mut dim = 0;
        let given = keys.iter().filter(|k| !matches!(k, MontyObject::None | MontyObject::Ellipsis)).count();
        for key in &keys {
            match key {
                MontyObject::Ellipsis => dim += tensor.dims().saturating_sub(given),
                MontyObject::None => {
                    view = view.unsqueeze(dim as i64)?;
                    dim += 1;
                }
                MontyObject::Tuple(items) if is_slice(key) => {
                    let size = view.shape.get(dim).copied().ok_or("too many indices for this tensor")? as i64;
                    let bound = |v: Option<&MontyObject>, default: i64| match v {
                        None | Some(MontyObject::None) => Ok(default),
                        Some(v) => whole(v)
                            .map(|i| if i < 0 { i.saturating_add(size) } else { i }.clamp(0, size))
                            .ok_or_else(|| type_error("slices of tensors need whole numbers")),
                    };
                    let (start, end) = (bound(items.get(1), 0)?, bound(items.get(2), size)?);
                    let step = match items.get(3) {
                        None | Some(MontyObject::None) => 1,
                        Some(v) => {
                            whole(v).filter(|s| *s > 0).ok_or_else(|| value_error("a slice's step must be positive"))?
                        }
                    };
                    view = view.narrow(dim, start as usize, end.max(start) as usize, step.min(1 << 30) as usize);
                    dim += 1;
                }
                MontyObject::List(items) => {
                    let indices: Option<Vec<i64>> = items.iter().map(whole).collect();
                    view =
                        view.rows(dim, &indices.ok_or_else(|| type_error("a list of indices needs whole numbers"))?)?;
                    dim += 1;
                }
                MontyObject::ClassInstance(_) => {
                    let by = self.tensor(rank, key, "a subscript")?;
                    view = match (by.dtype(), by.dims()) {
                        (_, 1) => {
                            dim += 1;
                            view.rows(dim - 1, &named_rows(&by))?
                        }
                        (DType::Bool, _) => {
                            return Err("a mask in a subscript needs one dimension; use torch.where for others".into());
                        }
                        (_, 0) => view.select(dim, by.values().first().copied().unwrap_or_default() as i64)?,
                        _ => return Err("indices in a subscript need one dimension".into()),
                    };
                }
                other => {
                    let at = whole(other)
                        .ok_or_else(|| type_error(format!("a tensor's index can't be {}", type_name(other))))?;
                    view = view.select(dim, at).map_err(|m| Fault::Raise(ExcType::IndexError, m))?;
                }
            }
        }
        Ok(view)
    }

    fn ringside(&mut self, rank: usize, member: &str, line: u32, args: &Args<'_>) -> Result<Reply, Fault> {
        let value = match member {
            "rank" => MontyObject::Int(rank as i64),
            "world_size" => MontyObject::Int(self.size as i64),
            "randn" => {
                args.known(&["seed", "dtype"])?;
                let seed = args.int(usize::MAX, "seed")?.unwrap_or(0);
                let mut stream = Stream::new(seed as u64);
                let tensor = self.filled(args, 0, &mut || stream.normal() as f32)?;
                self.give(rank, line, tensor)?
            }
            "tag" => {
                let tensor = self.tensor(rank, args.need(0, "tensor")?, "tag")?;
                let name = args.text(1, "kind")?.unwrap_or_default();
                let Some(kind) = Kind::ALL.iter().find(|k| k.id() == name) else {
                    let known: Vec<&str> = Kind::ALL.iter().map(|k| k.id()).collect();
                    return Err(value_error(format!(
                        "tag: there is no kind '{name}'; use one of {}",
                        known.join(", ")
                    )));
                };
                tensor.storage.kind.set(*kind);
                args.need(0, "tensor")?.clone()
            }
            "compute" => {
                let flops = args.float(0, "flops")?.unwrap_or(0.0);
                if !(flops.is_finite() && flops >= 0.0) {
                    return Err(value_error("compute needs a number of FLOPs"));
                }
                // Pretended FLOPs take no time of the browser's.
                if let Some(seat) = self.seats.get_mut(rank).filter(|_| self.clock.is_none()) {
                    seat.log.push(Op::Compute { flops, line, label: "compute".to_owned() });
                }
                MontyObject::None
            }
            "submit" => {
                let name = args.text(0, "name")?.unwrap_or_default().to_owned();
                let (tensor, _) = self.operand(rank, args.need(1, "tensor")?, "submit")?;
                self.free_to(rank, &tensor, line, false)?;
                let values = tensor.values();
                let shown = values.iter().take(256).map(|v| f64::from(*v)).collect();
                let submitted = Submitted { name, line, shape: tensor.shape.clone(), values: shown };
                let after = tensor.storage.after.get();
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.submitted.push((submitted, values, after));
                }
                MontyObject::None
            }
            "expect" if self.reference => {
                let to = args.int(0, "rank")?.unwrap_or(0);
                let name = args.text(1, "name")?.unwrap_or_default().to_owned();
                let (tensor, _) = self.operand(rank, args.need(2, "tensor")?, "expect")?;
                let (shape, values) = (tensor.shape.clone(), tensor.values());
                self.expected.push(Expected { rank: usize::try_from(to).unwrap_or(0), name, shape, values });
                MontyObject::None
            }
            "step" => {
                let number = args.int(0, "number")?.unwrap_or(0);
                if self.job.fault.is_some_and(|f| f.rank == rank && f.step == number) && !self.reference {
                    return Err(Fault::Die);
                }
                MontyObject::None
            }
            "alive" => {
                let heard = |rank: usize| self.wire.as_ref().is_some_and(|wire| wire.heard_of(rank));
                let alive = (0..self.size).filter(|r| self.seats.get(*r).is_none_or(|s| !s.dead) && !heard(*r));
                MontyObject::List(alive.map(|r| MontyObject::Int(r as i64)).collect())
            }
            "exists" => MontyObject::Bool(self.files.contains_key(args.text(0, "path")?.unwrap_or_default())),
            _ => return Err(Fault::Raise(ExcType::NameError, format!("name '{member}' is not defined"))),
        };
        Ok(Reply::Value(value))
    }

    /// A tensor of the sizes that a call names, filled element by element.
    fn filled(&self, args: &Args<'_>, from: usize, fill: &mut dyn FnMut() -> f32) -> Result<Tensor, Fault> {
        let sizes = args.sizes(from, "size")?;
        let shape: Result<Vec<usize>, Fault> = sizes
            .into_iter()
            .map(|n| usize::try_from(n).map_err(|_| value_error(format!("{}(): a size can't be negative", args.call))))
            .collect();
        let dtype = args.dtype(usize::MAX)?.unwrap_or(DType::F32);
        let shape = self.room(shape?, dtype, args.call)?;
        let values = (0..shape.iter().product()).map(|_| fill()).collect();
        Ok(Tensor::new(shape, values, dtype))
    }

    /// A shape that a rank has room for.
    fn room(&self, shape: Vec<usize>, dtype: DType, call: &str) -> Result<Vec<usize>, Fault> {
        let shape = fits(shape)?;
        let bytes = shape.iter().product::<usize>() as u64 * dtype.bytes();
        if bytes > self.job.limits.memory {
            let limit = ringside_core::quantity::bytes_binary(self.job.limits.memory as f64);
            return Err(Fault::Raise(
                ExcType::MemoryError,
                format!("{call}: a tensor of shape {} doesn't fit into the {limit} of a rank", shown(&shape)),
            ));
        }
        Ok(shape)
    }

    fn torch(&mut self, rank: usize, member: &str, line: u32, args: &Args<'_>) -> Result<MontyObject, Fault> {
        let like = |world: &Self, fill: f32| -> Result<Tensor, Fault> {
            let tensor = world.tensor(rank, args.need(0, "input")?, args.call)?;
            let dtype = args.dtype(usize::MAX)?.unwrap_or(tensor.dtype());
            Ok(Tensor::new(tensor.shape.clone(), vec![fill; tensor.numel()], dtype))
        };
        let tensor = match member {
            "tensor" => {
                args.known(&["dtype", "data"])?;
                let value = args.need(0, "data")?;
                let (shape, values, integral) = nested(value, 0)?;
                let dtype = args.dtype(1)?.unwrap_or(if integral { DType::Int } else { DType::F32 });
                Tensor::new(self.room(shape, dtype, member)?, values, dtype)
            }
            "zeros" | "empty" => self.filled(args, 0, &mut || 0.0)?,
            "ones" => self.filled(args, 0, &mut || 1.0)?,
            "full" => {
                let value = args.float(1, "fill_value")?.unwrap_or(0.0) as f32;
                let one = Args {
                    call: member,
                    positional: args.positional.get(..1).unwrap_or_default(),
                    keywords: args.keywords,
                };
                self.filled(&one, 0, &mut || value)?
            }
            "zeros_like" | "empty_like" => like(self, 0.0)?,
            "ones_like" => like(self, 1.0)?,
            "full_like" => like(self, args.float(1, "fill_value")?.unwrap_or(0.0) as f32)?,
            "randn" | "rand" | "randn_like" => {
                let mut random = self.seats.get(rank).map_or(Stream::new(0), |s| s.random.clone());
                let mut next = || if member == "rand" { random.unit() as f32 } else { random.normal() as f32 };
                let tensor = if member == "randn_like" {
                    let shape = self.tensor(rank, args.need(0, "input")?, member)?.shape;
                    let values = (0..shape.iter().product()).map(|_| next()).collect();
                    Tensor::new(shape, values, DType::F32)
                } else {
                    self.filled(args, 0, &mut next)?
                };
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.random = random;
                }
                tensor
            }
            "manual_seed" => {
                let seed = args.int(0, "seed")?.unwrap_or(0);
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.random = Stream::new(seed as u64);
                }
                return Ok(MontyObject::None);
            }
            "eye" => {
                let n = args.int(0, "n")?.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
                let shape = self.room(vec![n, n], DType::F32, member)?;
                let values = (0..n * n).map(|i| f32::from(u8::from(i / n.max(1) == i % n.max(1)))).collect();
                Tensor::new(shape, values, DType::F32)
            }
            "arange" => {
                let numbers: Option<Vec<f64>> = args.positional.iter().map(number).collect();
                let numbers = numbers.ok_or_else(|| type_error("arange needs numbers"))?;
                let (start, end, step) = match numbers.as_slice() {
                    [end] => (0.0, *end, 1.0),
                    [start, end] => (*start, *end, 1.0),
                    [start, end, step] if *step != 0.0 => (*start, *end, *step),
                    _ => return Err(type_error("arange needs one to three numbers and a step that isn't zero")),
                };
                let n = ((end - start) / step).ceil().max(0.0);
                let integral = args.positional.iter().all(|v| matches!(v, MontyObject::Int(_)));
                let dtype = args.dtype(usize::MAX)?.unwrap_or(if integral { DType::Int } else { DType::F32 });
                if n.is_nan() {
                    return Err(value_error("arange needs finite numbers"));
                }
                let shape = self.room(vec![n.min(1e15) as usize], dtype, member)?;
                let n = n as usize;
                Tensor::new(shape, (0..n).map(|i| (start + i as f64 * step) as f32).collect(), dtype)
            }
            "cat" | "stack" => {
                let parts = self.tensors(rank, args.list(0, "tensors")?, member)?;
                for part in &parts {
                    self.free_to(rank, part, line, false)?;
                }
                let dim = args.int(1, "dim")?.unwrap_or(0);
                let dims = parts.first().map_or(1, Tensor::dims);
                let total = parts.iter().map(Tensor::numel).fold(0_usize, usize::saturating_add);
                self.room(vec![total], DType::F32, member)?;
                let (parts, dim) = if member == "stack" {
                    let dim = dimension(dim, dims + 1)?;
                    let spread: Result<Vec<Tensor>, String> = parts.iter().map(|p| p.unsqueeze(dim as i64)).collect();
                    (spread?, dim)
                } else {
                    (parts, dimension(dim, dims)?)
                };
                let refs: Vec<&Tensor> = parts.iter().collect();
                let made = Tensor::cat(&parts, dim).map(|t| (t, 0.0));
                return self.made(rank, line, member, &refs, made);
            }
            "where" => {
                let mask = self.tensor(rank, args.need(0, "condition")?, member)?;
                let (a, _) = self.operand(rank, args.need(1, "input")?, member)?;
                let (b, _) = self.operand(rank, args.need(2, "other")?, member)?;
                for tensor in [&mask, &a, &b] {
                    self.free_to(rank, tensor, line, false)?;
                }
                let shape = broadcast(&broadcast(&mask.shape, &a.shape)?, &b.shape)?;
                let (m, x, y) = (mask.expand(&shape)?.values(), a.expand(&shape)?.values(), b.expand(&shape)?.values());
                let values: Vec<f32> =
                    m.into_iter().zip(x.into_iter().zip(y)).map(|(m, (x, y))| if m != 0.0 { x } else { y }).collect();
                let flops = values.len() as f64;
                let dtype = if a.dims() > 0 { a.dtype() } else { b.dtype() };
                return self.made(rank, line, member, &[&mask, &a, &b], Ok((Tensor::new(shape, values, dtype), flops)));
            }
            "outer" => {
                let a = self.tensor(rank, args.need(0, "input")?, member)?;
                let b = self.tensor(rank, args.need(1, "vec2")?, member)?;
                let made = a.unsqueeze(1).and_then(|a| a.operator("*", &b, false));
                return self.made(rank, line, member, &[&a, &b], made);
            }
            "one_hot" => {
                let classes = args.int(1, "num_classes")?.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
                let input = self.tensor(rank, args.need(0, "input")?, member)?;
                let shape = self.room([input.shape.as_slice(), &[classes]].concat(), DType::F32, member)?;
                let rows = input.values();
                if rows.iter().any(|r| *r < 0.0 || *r as usize >= classes) {
                    return Err(value_error(format!("one_hot: a class isn't between 0 and {classes}")));
                }
                let values = rows
                    .iter()
                    .flat_map(|r| (0..classes).map(move |c| f32::from(u8::from(c == *r as usize))))
                    .collect();
                return self.made(rank, line, member, &[&input], Ok((Tensor::new(shape, values, DType::Int), 0.0)));
            }
            "save" | "load" if self.wire.is_some() => {
                let text = format!("{member}: workers share no files, so this program runs only in one worker");
                return Err(Fault::Raise(ExcType::OSError, text));
            }
            "save" => {
                let tensor = self.tensor(rank, args.need(0, "obj")?, member)?;
                self.free_to(rank, &tensor, line, false)?;
                let path = args.text(1, "f")?.unwrap_or_default().to_owned();
                if self.files.len() >= 4096 && !self.files.contains_key(&path) {
                    return Err(Fault::Raise(ExcType::OSError, "save: the disk is full at 4,096 files".to_owned()));
                }
                self.files.insert(
                    path,
                    Saved { shape: tensor.shape.clone(), values: tensor.values(), dtype: tensor.dtype() },
                );
                return Ok(MontyObject::None);
            }
            "load" => {
                let path = args.text(0, "f")?.unwrap_or_default();
                let Some(saved) = self.files.get(path) else {
                    return Err(Fault::Raise(ExcType::FileNotFoundError, format!("load: there is no file '{path}'")));
                };
                Tensor::new(saved.shape.clone(), saved.values.clone(), saved.dtype)
            }
            _ => {
                let is = args.get(0, "input").is_some_and(|first| self.tensor(rank, first, member).is_ok());
                if !is && !names::is_method(member) {
                    return Err(Fault::Raise(ExcType::AttributeError, absent("torch", member)));
                }
                let first = args.need(0, "input")?;
                let tensor = self.tensor(rank, first, member)?;
                return self.method(rank, member, line, &tensor, Some(first.clone()), args, 1);
            }
        };
        self.give(rank, line, tensor)
    }

    /// A method of a tensor; its arguments begin at `from`.
    #[expect(clippy::too_many_arguments, reason = "a receiver, its arguments, and who calls where")]
    fn method(
        &mut self,
        rank: usize,
        member: &str,
        line: u32,
        tensor: &Tensor,
        this: Option<MontyObject>,
        args: &Args<'_>,
        from: usize,
    ) -> Result<MontyObject, Fault> {
        let this = this.unwrap_or(MontyObject::None);
        let dim = args.int(from, "dim");
        let keep = args.flag(from + 1, "keepdim");
        let float = if matches!(tensor.dtype(), DType::Int | DType::Bool) { DType::F32 } else { tensor.dtype() };
        // Views, which read nothing.
        let view = match member {
            "t" => Some(if tensor.dims() < 2 { Ok(tensor.clone()) } else { tensor.transpose(-2, -1) }),
            "transpose" => {
                Some(tensor.transpose(args.int(from, "dim0")?.unwrap_or(0), args.int(from + 1, "dim1")?.unwrap_or(1)))
            }
            "permute" => {
                let dims: Result<Vec<usize>, String> =
                    args.sizes(from, "dims")?.into_iter().map(|d| dimension(d, tensor.dims())).collect();
                Some(dims.and_then(|dims| tensor.permute(&dims)))
            }
            "unsqueeze" => Some(tensor.unsqueeze(dim.as_ref().ok().copied().flatten().unwrap_or(0))),
            "squeeze" => Some(tensor.squeeze(args.int(from, "dim")?)),
            "detach" => Some(Ok(tensor.clone())),
            "contiguous" if tensor.contiguous() => return Ok(this),
            "narrow" => {
                let at = dimension(args.int(from, "dim")?.unwrap_or(0), tensor.dims())?;
                let start = args.int(from + 1, "start")?.unwrap_or(0).max(0) as usize;
                let length = args.int(from + 2, "length")?.unwrap_or(0).max(0) as usize;
                let size = tensor.shape.get(at).copied().unwrap_or(0);
                if start.saturating_add(length) > size {
                    return Err(
                        format!("narrow: {start} to {} is out of bounds for a size of {size}", start + length).into()
                    );
                }
                Some(Ok(tensor.narrow(at, start, start + length, 1)))
            }
            "expand" => {
                let sizes = args.sizes(from, "size")?;
                let lead = sizes.len().saturating_sub(tensor.dims());
                let shape: Vec<usize> = sizes
                    .iter()
                    .enumerate()
                    .map(|(i, d)| {
                        usize::try_from(*d).unwrap_or_else(|_| {
                            i.checked_sub(lead).and_then(|i| tensor.shape.get(i)).copied().unwrap_or(1)
                        })
                    })
                    .collect();
                Some(tensor.expand(&shape))
            }
            _ => None,
        };
        if let Some(view) = view {
            return self.give(rank, line, view?);
        }
        match member {
            "size" => {
                return Ok(match args.int(from, "dim")? {
                    Some(d) => {
                        MontyObject::Int(tensor.shape.get(dimension(d, tensor.dims())?).copied().unwrap_or(0) as i64)
                    }
                    None => ints(&tensor.shape),
                });
            }
            "dim" => return Ok(MontyObject::Int(tensor.dims() as i64)),
            "numel" | "nelement" => return Ok(MontyObject::Int(tensor.numel() as i64)),
            "element_size" => return Ok(MontyObject::Int(tensor.dtype().bytes() as i64)),
            "is_contiguous" => return Ok(MontyObject::Bool(tensor.contiguous())),
            "data_ptr" => return Ok(MontyObject::Int(0)),
            _ => {}
        }
        let in_place = member.ends_with('_');
        self.free_to(rank, tensor, line, in_place)?;
        let operand = |world: &Self, at: usize, name: &str| -> Result<(Tensor, bool), Fault> {
            let (other, number) = world.operand(rank, args.need(from + at, name)?, member)?;
            world.free_to(rank, &other, line, false)?;
            Ok((other, number))
        };
        let binary = |name: &str| {
            Some(match name {
                "add" => "+",
                "sub" => "-",
                "mul" => "*",
                "div" => "/",
                "pow" => "**",
                "matmul" | "mm" | "bmm" => "@",
                "maximum" => "max",
                "minimum" => "min",
                "eq" => "==",
                "ne" => "!=",
                "lt" => "<",
                "gt" => ">",
                "le" => "<=",
                "ge" => ">=",
                _ => return None,
            })
        };
        if in_place {
            let base = member.trim_end_matches('_');
            if let Some(op) = binary(base) {
                let (other, number) = operand(self, 0, "other")?;
                let alpha = args.float(usize::MAX, "alpha")?;
                let (other, number) = match alpha {
                    Some(alpha) => (other.operator("*", &Tensor::scalar(alpha as f32), true)?.0, number),
                    None => (other, number),
                };
                let flops = tensor.update(op, &other, number)?;
                self.written(rank, line, base, tensor, &other, flops)?;
                return Ok(this);
            }
            let result = match base {
                "zero" => vec![0.0; tensor.numel()],
                "fill" => vec![args.float(from, "value")?.unwrap_or(0.0) as f32; tensor.numel()],
                "copy" => {
                    let (other, _) = operand(self, 0, "src")?;
                    let values = other.expand(&tensor.shape)?.values();
                    tensor.storage.after.set(other.storage.after.get());
                    values
                }
                "exp" => tensor.values().into_iter().map(f32::exp).collect(),
                "abs" => tensor.values().into_iter().map(f32::abs).collect(),
                "clamp" => self.clamp(tensor, args, from)?.0.values(),
                "masked_fill" => {
                    let (mask, _) = operand(self, 0, "mask")?;
                    let value = args.float(from + 1, "value")?.unwrap_or(0.0) as f32;
                    let mask = mask.expand(&tensor.shape)?.values();
                    tensor.values().into_iter().zip(mask).map(|(x, m)| if m != 0.0 { value } else { x }).collect()
                }
                "index_add" => {
                    let at = dimension(args.int(from, "dim")?.unwrap_or(0), tensor.dims())?;
                    let (index, _) = operand(self, 1, "index")?;
                    let (source, _) = operand(self, 2, "source")?;
                    for (i, row) in index.values().iter().enumerate() {
                        let to = tensor.select(at, *row as i64)?;
                        let add = source.select(at, i as i64)?;
                        to.update("+", &add, false)?;
                    }
                    self.written(rank, line, base, tensor, &source, source.numel() as f64)?;
                    return Ok(this);
                }
                _ => {
                    return Err(Fault::Raise(
                        ExcType::AttributeError,
                        format!("tensors have no method '{member}' here"),
                    ));
                }
            };
            tensor.write(&result);
            self.computed(rank, line, base, result.len() as f64)?;
            return Ok(this);
        }
        if let Some(op) = binary(member) {
            let (other, number) = operand(self, 0, "other")?;
            self.cost(rank, line, op, tensor, &other)?;
            return self.made(rank, line, member, &[tensor, &other], tensor.operator(op, &other, number));
        }
        let sum = |row: &[f32]| row.iter().sum::<f32>();
        let mean = |row: &[f32]| row.iter().sum::<f32>() / row.len() as f32;
        let most = |row: &[f32]| row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let bit = |b: bool| f32::from(u8::from(b));
        let mask = |f: &dyn Fn(f32) -> bool| {
            let values = tensor.values().into_iter().map(|x| bit(f(x))).collect();
            Ok((Tensor::new(tensor.shape.clone(), values, DType::Bool), tensor.numel() as f64))
        };
        let made: Made = match member {
            "item" => {
                let values = tensor.values();
                let [value] = values.as_slice() else {
                    return Err(format!(
                        "a tensor with {} elements can't become one number; item() needs exactly one",
                        values.len()
                    )
                    .into());
                };
                return Ok(match tensor.dtype() {
                    DType::Int => MontyObject::Int(*value as i64),
                    DType::Bool => MontyObject::Bool(*value != 0.0),
                    _ => real(*value),
                });
            }
            "tolist" => {
                if tensor.numel() > 1 << 16 {
                    return Err("tolist: more than 65,536 elements are too many for a list here".into());
                }
                return Ok(list(&tensor.shape, &tensor.values(), tensor.dtype()));
            }
            "equal" | "allclose" => {
                let (other, _) = operand(self, 0, "other")?;
                let (near, far) = if member == "equal" {
                    (0.0, 0.0)
                } else {
                    (args.float(from + 1, "rtol")?.unwrap_or(1e-5), args.float(from + 2, "atol")?.unwrap_or(1e-8))
                };
                let close = tensor.shape == other.shape
                    && tensor
                        .values()
                        .iter()
                        .zip(other.values())
                        .all(|(a, b)| *a == b || f64::from((*a - b).abs()) <= far + near * f64::from(b.abs()));
                return Ok(MontyObject::Bool(close));
            }
            "sum" => tensor.reduce(dim?, keep, if float == DType::Bf16 { float } else { tensor.dtype_of_sum() }, sum),
            "mean" => tensor.reduce(dim?, keep, float, mean),
            "var" => tensor.reduce(dim?, keep, float, |row| {
                let mean = mean(row);
                row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / (row.len() as f32 - 1.0).max(1.0)
            }),
            "norm" => tensor.reduce(None, false, float, |row| row.iter().map(|x| x * x).sum::<f32>().sqrt()),
            "logsumexp" => tensor.reduce(dim?, keep, float, |row| {
                let most = most(row);
                most + row.iter().map(|x| (x - most).exp()).sum::<f32>().ln()
            }),
            "max" | "amax" => {
                if let Some(MontyObject::ClassInstance(_)) = args.get(from, "other") {
                    let (other, _) = operand(self, 0, "other")?;
                    tensor.operator("max", &other, false)
                } else {
                    let dim = dim?;
                    let values = tensor.reduce(dim, keep, tensor.dtype(), most);
                    if member == "max" && dim.is_some() {
                        let places = tensor.reduce(dim, keep, DType::Int, argmax)?.0;
                        let values = self.made(rank, line, member, &[tensor], values)?;
                        let places = self.give(rank, line, places)?;
                        return Ok(MontyObject::NamedTuple {
                            type_name: "max".into(),
                            field_names: vec!["values".into(), "indices".into()],
                            values: vec![values, places],
                        });
                    }
                    values
                }
            }
            "min" | "amin" => {
                tensor.reduce(dim?, keep, tensor.dtype(), |row| row.iter().copied().fold(f32::INFINITY, f32::min))
            }
            "argmax" => tensor.reduce(dim?, keep, DType::Int, argmax),
            "all" => tensor.reduce(dim?, keep, DType::Bool, |row| bit(row.iter().all(|x| *x != 0.0))),
            "any" => tensor.reduce(dim?, keep, DType::Bool, |row| bit(row.iter().any(|x| *x != 0.0))),
            "softmax" => tensor.softmax(dim?.unwrap_or(-1)),
            "exp" => tensor.map(f32::exp),
            "log" => tensor.map(f32::ln),
            "sqrt" => tensor.map(f32::sqrt),
            "rsqrt" => tensor.map(|x| 1.0 / x.sqrt()),
            "square" => tensor.map(|x| x * x),
            "abs" => tensor.map(f32::abs),
            "neg" => tensor.map(|x| -x),
            "sin" => tensor.map(f32::sin),
            "cos" => tensor.map(f32::cos),
            "tanh" => tensor.map(f32::tanh),
            "sigmoid" => tensor.map(|x| 1.0 / (1.0 + (-x).exp())),
            "silu" => tensor.map(|x| x / (1.0 + (-x).exp())),
            "relu" => tensor.map(|x| x.max(0.0)),
            "gelu" => tensor.map(|x| 0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())),
            "clamp" => self.clamp(tensor, args, from),
            "isfinite" => mask(&f32::is_finite),
            "isnan" => mask(&f32::is_nan),
            "isinf" => mask(&f32::is_infinite),
            "tril" | "triu" => tensor.triangle(member == "tril", args.int(from, "diagonal")?.unwrap_or(0)),
            "clone" | "contiguous" => Ok((Tensor::new(tensor.shape.clone(), tensor.values(), tensor.dtype()), 0.0)),
            "float" => Ok((Tensor::new(tensor.shape.clone(), tensor.values(), DType::F32), tensor.numel() as f64)),
            "bfloat16" => Ok((Tensor::new(tensor.shape.clone(), tensor.values(), DType::Bf16), tensor.numel() as f64)),
            "long" => Ok((Tensor::new(tensor.shape.clone(), tensor.values(), DType::Int), tensor.numel() as f64)),
            // A rank's tensors are where it computes.
            "cpu" | "cuda" => return Ok(this),
            "to" => {
                let device = match args.get(from, "device") {
                    Some(MontyObject::Int(_)) => true,
                    Some(MontyObject::String(name)) => name == "cpu" || name.starts_with("cuda"),
                    _ => false,
                };
                let dtype = args.dtype(from + usize::from(device))?.unwrap_or(tensor.dtype());
                if dtype == tensor.dtype() {
                    return Ok(this);
                }
                Ok((Tensor::new(tensor.shape.clone(), tensor.values(), dtype), tensor.numel() as f64))
            }
            "reshape" | "view" => tensor.reshape(&args.sizes(from, "shape")?).map(|t| (t, 0.0)),
            "flatten" => tensor.reshape(&[-1]).map(|t| (t, 0.0)),
            "masked_fill" => {
                let (mask, _) = operand(self, 0, "mask")?;
                let value = args.float(from + 1, "value")?.unwrap_or(0.0) as f32;
                mask.expand(&broadcast(&mask.shape, &tensor.shape)?)
                    .and_then(|mask| tensor.zip(&mask, tensor.dtype(), |x, m| if m != 0.0 { value } else { x }))
            }
            "chunk" | "split" => {
                let at = dimension(args.int(from + 1, "dim")?.unwrap_or(0), tensor.dims())?;
                let size = tensor.shape.get(at).copied().unwrap_or(0);
                let cuts: Vec<usize> = if let Some(MontyObject::List(items) | MontyObject::Tuple(items)) =
                    args.get(from, "split_size_or_sections")
                {
                    let cuts: Option<Vec<usize>> =
                        items.iter().map(|v| whole(v).and_then(|v| usize::try_from(v).ok())).collect();
                    cuts.filter(|c| c.iter().try_fold(0_usize, |n, c| n.checked_add(*c)) == Some(size))
                        .ok_or_else(|| value_error(format!("split: the sections must add up to {size}")))?
                } else {
                    let n = args.int(from, "chunks")?.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
                    let n = n.ok_or_else(|| value_error(format!("{member} needs a number above zero")))?;
                    let step = if member == "chunk" { size.div_ceil(n) } else { n }.max(1);
                    (0..size.div_ceil(step)).map(|i| step.min(size - i * step)).collect()
                };
                let mut start = 0;
                let mut parts = Vec::new();
                for cut in cuts {
                    let part = tensor.narrow(at, start, start + cut, 1);
                    start += cut;
                    parts.push(self.give(rank, line, part)?);
                }
                return Ok(MontyObject::Tuple(parts));
            }
            "repeat" => {
                let times = args.sizes(from, "repeats")?;
                let total = times.iter().fold(tensor.numel(), |n, t| n.saturating_mul((*t).max(0) as usize));
                fits(vec![total])?;
                let mut out = tensor.clone();
                while out.dims() < times.len() {
                    out = out.unsqueeze(0)?;
                }
                for (d, n) in times.iter().enumerate() {
                    out = Tensor::cat(&vec![out.clone(); usize::try_from(*n).unwrap_or(0).max(1)], d)?;
                }
                Ok((out.like(tensor), 0.0))
            }
            "index_select" => {
                let at = dimension(args.int(from, "dim")?.unwrap_or(0), tensor.dims())?;
                let (index, _) = operand(self, 1, "index")?;
                let indices: Vec<i64> = index.values().iter().map(|v| *v as i64).collect();
                fits(vec![indices.len(), tensor.numel()]).and_then(|_| tensor.rows(at, &indices)).map(|t| (t, 0.0))
            }
            "gather" => {
                let at = dimension(args.int(from, "dim")?.unwrap_or(0), tensor.dims())?;
                let (index, _) = operand(self, 1, "index")?;
                pick(tensor, at, &index)
            }
            "topk" => {
                let k = args.int(from, "k")?.and_then(|k| usize::try_from(k).ok()).unwrap_or(0);
                let size = tensor.shape.last().copied().unwrap_or(1);
                if k == 0 || k > size {
                    return Err(value_error(format!("topk: k must be between 1 and {size}")));
                }
                let rows = tensor.values();
                let (mut values, mut places) = (Vec::new(), Vec::new());
                for row in rows.chunks(size) {
                    let mut order: Vec<usize> = (0..row.len()).collect();
                    order.sort_by(|a, b| row[*b].total_cmp(&row[*a]).then(a.cmp(b)));
                    for i in order.into_iter().take(k) {
                        values.push(row[i]);
                        places.push(i as f32);
                    }
                }
                let mut shape = tensor.shape.clone();
                if let Some(last) = shape.last_mut() {
                    *last = k;
                }
                let values = Ok((Tensor::new(shape.clone(), values, tensor.dtype()), tensor.numel() as f64));
                let values = self.made(rank, line, member, &[tensor], values)?;
                let places = self.give(rank, line, Tensor::new(shape, places, DType::Int))?;
                return Ok(MontyObject::NamedTuple {
                    type_name: "topk".into(),
                    field_names: vec!["values".into(), "indices".into()],
                    values: vec![values, places],
                });
            }
            "cumsum" => {
                let at = dimension(dim?.unwrap_or(0), tensor.dims())?;
                let out = Tensor::new(tensor.shape.clone(), tensor.values(), tensor.dtype());
                for i in 1..tensor.shape.get(at).copied().unwrap_or(0) {
                    out.select(at, i as i64)?.update("+", &out.select(at, i as i64 - 1)?, false)?;
                }
                Ok((out, tensor.numel() as f64))
            }
            _ => return Err(Fault::Raise(ExcType::AttributeError, format!("tensors have no method '{member}' here"))),
        };
        self.made(rank, line, member, &[tensor], made)
    }

    fn clamp(&self, tensor: &Tensor, args: &Args<'_>, from: usize) -> Made {
        let bound = |at: usize, name: &str| args.float(at, name).ok().flatten().map(|x| x as f32);
        let (low, high) = (bound(from, "min"), bound(from + 1, "max"));
        tensor.map(|x| {
            let x = low.map_or(x, |low| x.max(low));
            high.map_or(x, |high| x.min(high))
        })
    }

    fn work(&mut self, rank: usize, id: u64, member: &str, line: u32) -> Result<Reply, Fault> {
        let Some(work) = self.seats.get(rank).and_then(|s| s.works.get(&id).cloned()) else {
            return Err("this handle is not known".into());
        };
        match member {
            "wait" => {
                if let Some(seat) = self.seats.get_mut(rank) {
                    seat.busy.retain(|(_, busy)| !work.transfers.contains(&busy.transfer));
                }
                Ok(Reply::Wait(Block {
                    transfers: work.transfers,
                    line,
                    call: format!("wait for the {} of line {}", work.call, work.line),
                }))
            }
            "is_completed" => Err(Fault::Raise(
                ExcType::NotImplementedError,
                "is_completed() depends on timing, so it isn't available here; call wait()".to_owned(),
            )),
            _ => Err(Fault::Raise(ExcType::AttributeError, format!("a work handle has no method '{member}'"))),
        }
    }

    fn handle(
        &mut self,
        rank: usize,
        line: u32,
        call: &'static str,
        transfer: usize,
        uses: Vec<(Tensor, bool)>,
    ) -> MontyObject {
        let Some(seat) = self.seats.get_mut(rank) else { return MontyObject::None };
        for (tensor, writes) in uses {
            seat.busy.push((tensor, Busy { writes, line, call, transfer }));
        }
        let id = seat.next;
        seat.next += 1;
        seat.works.insert(id, Work { transfers: vec![transfer], call, line });
        object("Work", WORK, id, Vec::new())
    }

    fn group_of(&self, args: &Args<'_>, at: usize) -> Result<usize, Fault> {
        match args.get(at, "group") {
            None => Ok(0),
            Some(MontyObject::ClassInstance(instance)) => read_identity(&instance.instance_id, GROUP)
                .map(|id| id as usize)
                .ok_or_else(|| type_error("'group' must be what new_group returned")),
            Some(other) => {
                Err(type_error(format!("'group' must be what new_group returned, not {}", type_name(other))))
            }
        }
    }

    fn dist(&mut self, rank: usize, member: &str, line: u32, args: &Args<'_>) -> Result<Reply, Fault> {
        let value = |v: MontyObject| Ok(Reply::Value(v));
        if !matches!(member, "init_process_group" | "destroy_process_group" | "new_group" | "barrier") {
            args.known(KEYWORDS)?;
        }
        match member {
            "init_process_group" | "destroy_process_group" => value(MontyObject::None),
            "get_rank" => {
                let group = self.group_of(args, 0)?;
                let place = self.groups.get(group).and_then(|g| g.ranks.iter().position(|r| *r == rank));
                value(MontyObject::Int(place.map_or(-1, |p| p as i64)))
            }
            "get_world_size" => {
                let group = self.group_of(args, 0)?;
                value(MontyObject::Int(self.groups.get(group).map_or(0, |g| g.ranks.len()) as i64))
            }
            "new_group" => {
                let ranks: Option<Vec<usize>> =
                    args.list(0, "ranks")?.iter().map(|v| whole(v).and_then(|r| usize::try_from(r).ok())).collect();
                let ranks = ranks.filter(|r| !r.is_empty() && r.iter().all(|r| *r < self.size));
                let ranks =
                    ranks.ok_or_else(|| value_error(format!("new_group needs ranks from 0 to {}", self.size - 1)))?;
                let id = self.group(rank, ranks);
                value(object("ProcessGroup", GROUP, id as u64, Vec::new()))
            }
            "P2POp" => {
                let call = match args.get(0, "op") {
                    Some(MontyObject::Function { name, .. }) => {
                        names::read_host(name).map(|(_, member, _)| member.to_owned())
                    }
                    _ => None,
                };
                let Some(call) = call.filter(|c| c == "isend" || c == "irecv") else {
                    return Err(type_error("P2POp: 'op' must be dist.isend or dist.irecv"));
                };
                let tensor = args.need(1, "tensor")?;
                self.tensor(rank, tensor, "P2POp")?;
                let peer = args.int(2, "peer")?.ok_or_else(|| type_error("P2POp needs a peer"))?;
                let tag = args.int(4, "tag")?.unwrap_or(0);
                value(MontyObject::Tuple(vec![
                    MontyObject::String(call),
                    tensor.clone(),
                    MontyObject::Int(peer),
                    MontyObject::Int(i64::from(line)),
                    MontyObject::Int(tag),
                ]))
            }
            "batch_isend_irecv" => {
                let mut works = Vec::new();
                for op in args.list(0, "p2p_op_list")? {
                    let MontyObject::Tuple(parts) = op else {
                        return Err(type_error("batch_isend_irecv needs a list of P2POp"));
                    };
                    let [
                        MontyObject::String(call),
                        tensor,
                        MontyObject::Int(peer),
                        MontyObject::Int(at),
                        MontyObject::Int(tag),
                    ] = parts.as_slice()
                    else {
                        return Err(type_error("batch_isend_irecv needs a list of P2POp"));
                    };
                    let sends = call == "isend";
                    let call = if sends { "isend" } else { "irecv" };
                    let tensor = self.tensor(rank, tensor, call)?;
                    let at = u32::try_from(*at).unwrap_or(line);
                    let transfer = self.message(rank, at, call, *peer, *tag, &tensor)?;
                    works.push(self.handle(rank, at, call, transfer, vec![(tensor, !sends)]));
                }
                value(MontyObject::List(works))
            }
            "send" | "recv" | "isend" | "irecv" => {
                let (call, sends, waits) = match member {
                    "send" => ("send", true, true),
                    "isend" => ("isend", true, false),
                    "recv" => ("recv", false, true),
                    _ => ("irecv", false, false),
                };
                let tensor = self.tensor(rank, args.need(0, "tensor")?, call)?;
                let peer = args.int(1, if sends { "dst" } else { "src" })?;
                let peer = peer.ok_or_else(|| type_error(format!("{call} needs the other rank")))?;
                let tag = args.int(3, "tag")?.unwrap_or(0);
                let transfer = self.message(rank, line, call, peer, tag, &tensor)?;
                if waits {
                    let call = format!("{call} {} rank {peer}", if sends { "to" } else { "from" });
                    return Ok(Reply::Wait(Block { transfers: vec![transfer], line, call }));
                }
                let work = self.handle(rank, line, call, transfer, vec![(tensor, !sends)]);
                value(work)
            }
            _ => self.collective_call(rank, member, line, args),
        }
    }

    fn collective_call(&mut self, rank: usize, member: &str, line: u32, args: &Args<'_>) -> Result<Reply, Fault> {
        let tensor = |world: &Self, at: usize, name: &str| world.tensor(rank, args.need(at, name)?, member);
        let parts = |whole: &Tensor, n: usize, what: &str| -> Result<Vec<Tensor>, Fault> {
            let rows = whole.shape.first().copied().unwrap_or(1);
            if n == 0 || !rows.is_multiple_of(n) {
                return Err(value_error(format!(
                    "{member}: the first dimension of {what}, {rows}, must be a multiple of the {n} ranks"
                )));
            }
            Ok((0..n).map(|i| whole.narrow(0, i * (rows / n), (i + 1) * (rows / n), 1)).collect())
        };
        let reduce = |at: usize| match args.get(at, "op") {
            None => Ok("sum".to_owned()),
            Some(MontyObject::String(op)) if REDUCTIONS.contains(&op.as_str()) => Ok(op.clone()),
            Some(_) => Err(type_error(format!(
                "{member}: 'op' must be dist.ReduceOp.SUM, AVG, MAX, MIN or PRODUCT; name other arguments, such as group="
            ))),
        };
        let size = |group: usize| self.groups.get(group).map_or(1, |g| g.ranks.len());
        // What is read, what is written, who is the root, how it is reduced, what all must agree on, and the whole buffer.
        let (call, group, input, output, root, op, elements, whole): (_, _, Vec<Tensor>, Vec<Tensor>, _, _, _, u64) =
            match member {
                "barrier" => ("barrier", self.group_of(args, 0)?, vec![], vec![], None, String::new(), 0, 0),
                "all_reduce" => {
                    let t = tensor(self, 0, "tensor")?;
                    let n = (t.numel(), t.bytes());
                    ("all_reduce", self.group_of(args, 2)?, vec![t.clone()], vec![t], None, reduce(1)?, n.0, n.1)
                }
                "broadcast" | "reduce" => {
                    let t = tensor(self, 0, "tensor")?;
                    let name = if member == "broadcast" { "src" } else { "dst" };
                    let group = self.group_of(args, if member == "broadcast" { 2 } else { 3 })?;
                    let root = args.int(1, name)?.and_then(|r| usize::try_from(r).ok()).unwrap_or(usize::MAX);
                    if !self.groups.get(group).is_some_and(|g| g.ranks.contains(&root)) {
                        return Err(value_error(format!("{member}: '{name}' must be a rank of the group")));
                    }
                    let (n, op) = ((t.numel(), t.bytes()), if member == "reduce" { reduce(2)? } else { String::new() });
                    let call = if member == "reduce" { "reduce" } else { "broadcast" };
                    (call, group, vec![t.clone()], vec![t], Some(root), op, n.0, n.1)
                }
                "all_gather" | "all_gather_into_tensor" => {
                    let t = tensor(self, 1, if member == "all_gather" { "tensor" } else { "input_tensor" })?;
                    let group = self.group_of(args, 2)?;
                    let n = size(group);
                    let out = if member == "all_gather" {
                        self.tensors(rank, args.list(0, "tensor_list")?, member)?
                    } else {
                        parts(&tensor(self, 0, "output_tensor")?, n, "the output")?
                    };
                    let fits = out.len() == n && out.iter().all(|o| o.numel() == t.numel());
                    if !fits {
                        return Err(value_error(format!(
                            "{member}: the output must have room for {n} tensors of {} elements",
                            t.numel()
                        )));
                    }
                    let (e, b) = (t.numel(), t.bytes() * n as u64);
                    ("all_gather", group, vec![t], out, None, String::new(), e, b)
                }
                "reduce_scatter" | "reduce_scatter_tensor" => {
                    let t = tensor(self, 0, "output")?;
                    let group = self.group_of(args, 3)?;
                    let n = size(group);
                    let input = if member == "reduce_scatter" {
                        self.tensors(rank, args.list(1, "input_list")?, member)?
                    } else {
                        parts(&tensor(self, 1, "input")?, n, "the input")?
                    };
                    if input.len() != n || !input.iter().all(|i| i.numel() == t.numel()) {
                        return Err(value_error(format!(
                            "{member}: the input must be {n} tensors of {} elements",
                            t.numel()
                        )));
                    }
                    let (e, b) = (t.numel(), t.bytes() * n as u64);
                    ("reduce_scatter", group, input, vec![t], None, reduce(2)?, e, b)
                }
                "all_to_all" | "all_to_all_single" => {
                    let (out, input, group) = if member == "all_to_all" {
                        let out = self.tensors(rank, args.list(0, "output_tensor_list")?, member)?;
                        (out, self.tensors(rank, args.list(1, "input_tensor_list")?, member)?, self.group_of(args, 2)?)
                    } else {
                        let group = self.group_of(args, 4)?;
                        let n = size(group);
                        let (out, input) = (tensor(self, 0, "output")?, tensor(self, 1, "input")?);
                        let cut = |t: &Tensor, at: usize, name: &str, what: &str| match args.get(at, name) {
                            None => parts(t, n, what),
                            Some(MontyObject::List(items)) => {
                                let rows = t.shape.first().copied().unwrap_or(0);
                                let cuts: Option<Vec<usize>> = items.iter().map(whole_size).collect();
                                let cuts = cuts.filter(|c| {
                                    c.len() == n && c.iter().try_fold(0_usize, |s, c| s.checked_add(*c)) == Some(rows)
                                });
                                let cuts = cuts.ok_or_else(|| {
                                    value_error(format!("{member}: '{name}' must be {n} sizes that add up to {rows}"))
                                })?;
                                let mut start = 0;
                                Ok(cuts
                                    .into_iter()
                                    .map(|c| {
                                        start += c;
                                        t.narrow(0, start - c, start, 1)
                                    })
                                    .collect())
                            }
                            Some(_) => Err(type_error(format!("{member}: '{name}' must be a list"))),
                        };
                        (
                            cut(&out, 2, "output_split_sizes", "the output")?,
                            cut(&input, 3, "input_split_sizes", "the input")?,
                            group,
                        )
                    };
                    let n = size(group);
                    if out.len() != n || input.len() != n {
                        return Err(value_error(format!(
                            "{member}: the lists must have one tensor for each of the {n} ranks"
                        )));
                    }
                    let b = input.iter().map(Tensor::bytes).sum();
                    ("all_to_all", group, input, out, None, String::new(), 0, b)
                }
                _ => {
                    return Err(Fault::Raise(
                        ExcType::AttributeError,
                        format!("module 'torch.distributed' has no attribute '{member}' here"),
                    ));
                }
            };
        let waits = !args.flag(usize::MAX, "async_op");
        for t in &input {
            self.free_to(rank, t, line, false)?;
        }
        for t in &output {
            self.free_to(rank, t, line, true)?;
        }
        let dtype = input.first().map_or(DType::F32, Tensor::dtype);
        let order = self.order(rank);
        let side =
            Side { rank, order, line, input: input.iter().map(Tensor::values).collect(), output: output.clone() };
        let transfer = self.collective(group, call, root, &op, dtype, elements, whole, side)?;
        if waits {
            return Ok(Reply::Wait(Block { transfers: vec![transfer], line, call: call.to_owned() }));
        }
        let uses = input.into_iter().map(|t| (t, false)).chain(output.into_iter().map(|t| (t, true))).collect();
        Ok(Reply::Value(self.handle(rank, line, call, transfer, uses)))
    }
}

fn whole_size(value: &MontyObject) -> Option<usize> {
    whole(value).and_then(|v| usize::try_from(v).ok())
}

fn operate(a: &Tensor, op: &str, b: &Tensor, scalar: bool, number: bool) -> Made {
    if scalar {
        // A number on the left takes the tensor's type.
        let left = Tensor::new(
            vec![1; b.dims()],
            a.values(),
            if a.dtype() == DType::F32 { b.dtype().float_or(op) } else { b.dtype() },
        );
        return left.operator(op, b, false);
    }
    a.operator(op, b, number)
}

fn op_name(op: &str) -> &'static str {
    match op {
        "+" => "add",
        "-" => "sub",
        "*" => "mul",
        "/" => "div",
        "@" => "matmul",
        "**" => "pow",
        _ => "compare",
    }
}

fn argmax(row: &[f32]) -> f32 {
    let best =
        row.iter().enumerate().fold((0, f32::NEG_INFINITY), |best, (i, x)| if *x > best.1 { (i, *x) } else { best });
    best.0 as f32
}

fn list(shape: &[usize], values: &[f32], dtype: DType) -> MontyObject {
    let Some((size, rest)) = shape.split_first() else {
        let value = values.first().copied().unwrap_or_default();
        return match dtype {
            DType::Int => MontyObject::Int(value as i64),
            DType::Bool => MontyObject::Bool(value != 0.0),
            _ => real(value),
        };
    };
    let step: usize = rest.iter().product();
    MontyObject::List((0..*size).map(|i| list(rest, values.get(i * step..).unwrap_or_default(), dtype)).collect())
}

/// `gather`: the elements of a dimension that `index` names.
fn pick(tensor: &Tensor, dim: usize, index: &Tensor) -> Made {
    if index.dims() != tensor.dims() {
        return Err("gather: the index needs as many dimensions as the tensor".to_owned());
    }
    let places = Tensor::new(index.shape.clone(), (0..index.numel()).map(|i| i as f32).collect(), DType::F32);
    let mut out = Vec::with_capacity(index.numel());
    for (flat, row) in places.values().into_iter().zip(index.values()) {
        let mut rest = flat as usize;
        let mut view = tensor.clone();
        let mut at: Vec<usize> = Vec::new();
        for size in index.shape.iter().rev() {
            at.push(rest % (*size).max(1));
            rest /= (*size).max(1);
        }
        at.reverse();
        for (d, i) in at.into_iter().enumerate() {
            view = view.select(0, if d == dim { row as i64 } else { i as i64 })?;
        }
        out.extend(view.values());
    }
    let flops = out.len() as f64;
    Ok((Tensor::new(index.shape.clone(), out, tensor.dtype()), flops))
}

impl After {
    /// The communication in words: "all_reduce at line 9".
    pub fn in_words(self) -> String {
        format!("{} at line {}", self.call, self.line)
    }
}
