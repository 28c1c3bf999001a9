//! Tensors: numbers with a shape, a type and strides, and what a transformer layer and its backward need of them.
//!
//! Elements are held as `f32` and rounded to the tensor's type after each operation. Sums run in order, in `f32`; matrix
//! products are accumulated in `f32` as well. A slice, a transpose or a reshape of contiguous elements is a view of the same
//! storage, as in PyTorch.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ringside_core::float::{BF16, Overflow, Rounding};
use ringside_core::program::Kind;
use serde::{Deserialize, Serialize};

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DType {
    F32,
    Bf16,
    Int,
    Bool,
}

impl DType {
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::Bf16 => 2,
            Self::Int => 8,
            Self::Bool => 1,
        }
    }

    /// Its name in PyTorch.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "torch.float32",
            Self::Bf16 => "torch.bfloat16",
            Self::Int => "torch.int64",
            Self::Bool => "torch.bool",
        }
    }

    pub fn read(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("torch.").unwrap_or(name) {
            "float32" | "float" => Self::F32,
            "bfloat16" => Self::Bf16,
            "int64" | "long" | "int32" => Self::Int,
            "bool" => Self::Bool,
            _ => return None,
        })
    }

    fn round(self, x: f32) -> f32 {
        match self {
            Self::F32 => x,
            Self::Bf16 => BF16.round(f64::from(x), Rounding::NearestEven, Overflow::Special) as f32,
            Self::Int => x.trunc(),
            Self::Bool => f32::from(u8::from(x != 0.0)),
        }
    }

    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::F32, _) | (_, Self::F32) => Self::F32,
            (Self::Bf16, _) | (_, Self::Bf16) => Self::Bf16,
            (Self::Int, _) | (_, Self::Int) => Self::Int,
            _ => Self::Bool,
        }
    }

    /// The type of a number beside a tensor of this type: its own, unless a whole number would lose its fraction.
    pub fn float_or(self, op: &str) -> Self {
        if matches!(self, Self::Int | Self::Bool) && !matches!(op, "==" | "!=") { Self::F32 } else { self }
    }

    fn floating(self) -> Self {
        if matches!(self, Self::Int | Self::Bool) { Self::F32 } else { self }
    }
}

/// The last communication that a tensor's values depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct After {
    /// Its number on this rank.
    pub order: u64,
    pub line: u32,
    pub call: &'static str,
}

/// A message under way that uses a storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Busy {
    /// Whether it writes the storage; else it reads it.
    pub writes: bool,
    pub line: u32,
    pub call: &'static str,
    /// The transfer.
    pub transfer: usize,
}

/// Elements that several tensors may share.
#[derive(Debug)]
pub(crate) struct Storage {
    pub values: RefCell<Vec<f32>>,
    pub dtype: DType,
    pub kind: Cell<Kind>,
    pub after: Cell<Option<After>>,
}

impl Storage {
    pub fn bytes(&self) -> u64 {
        self.values.borrow().len() as u64 * self.dtype.bytes()
    }
}

/// A tensor.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    pub storage: Rc<Storage>,
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
}

/// A result and the FLOPs that it took, or why there is none.
pub(crate) type Made = Result<(Tensor, f64), String>;

fn packed(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        if let (Some(next), Some(size)) = (strides.get(i).copied(), shape.get(i)) {
            strides[i - 1] = next * size.max(&1);
        }
    }
    strides
}

/// A shape as PyTorch prints it.
pub(crate) fn shown(shape: &[usize]) -> String {
    let inner: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("[{}]", inner.join(", "))
}

/// A dimension that may be counted from the end.
pub(crate) fn dimension(dim: i64, dims: usize) -> Result<usize, String> {
    let at = if dim < 0 { dim + dims as i64 } else { dim };
    usize::try_from(at)
        .ok()
        .filter(|at| *at < dims.max(1))
        .ok_or_else(|| format!("Dimension out of range: got {dim} for a tensor with {dims} dimensions"))
}

/// How many elements a shape has. None if there are too many to count.
pub(crate) fn numel(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |n, d| n.checked_mul(*d))
}

/// Most elements of one tensor.
const MOST: usize = 1 << 24;

/// A shape, unless it has too many elements to work on.
pub(crate) fn fits(shape: Vec<usize>) -> Result<Vec<usize>, String> {
    match numel(&shape) {
        Some(n) if n <= MOST => Ok(shape),
        _ => Err(format!("a tensor of shape {} has more than {MOST} elements; use smaller ones", shown(&shape))),
    }
}

/// The shape that two broadcast to.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, String> {
    let n = a.len().max(b.len());
    let at = |s: &[usize], i: usize| (i + s.len()).checked_sub(n).and_then(|i| s.get(i)).copied().unwrap_or(1);
    let shape: Result<Vec<usize>, String> = (0..n)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => Err(format!("shapes {} and {} don't broadcast", shown(a), shown(b))),
        })
        .collect();
    fits(shape?)
}

impl Tensor {
    /// A new tensor of these elements, which are rounded to its type.
    pub fn new(shape: Vec<usize>, mut values: Vec<f32>, dtype: DType) -> Self {
        if dtype != DType::F32 {
            for value in &mut values {
                *value = dtype.round(*value);
            }
        }
        let storage =
            Storage { values: RefCell::new(values), dtype, kind: Cell::new(Kind::default()), after: Cell::new(None) };
        Self { storage: Rc::new(storage), offset: 0, strides: packed(&shape), shape }
    }

    pub fn scalar(value: f32) -> Self {
        Self::new(Vec::new(), vec![value], DType::F32)
    }

    pub fn dtype(&self) -> DType {
        self.storage.dtype
    }

    pub fn numel(&self) -> usize {
        self.shape.iter().product()
    }

    pub fn bytes(&self) -> u64 {
        self.numel() as u64 * self.dtype().bytes()
    }

    /// The type of a sum of its elements: truth values are counted.
    pub fn dtype_of_sum(&self) -> DType {
        if self.dtype() == DType::Bool { DType::Int } else { self.dtype() }
    }

    pub fn dims(&self) -> usize {
        self.shape.len()
    }

    fn view(&self, offset: usize, shape: Vec<usize>, strides: Vec<usize>) -> Self {
        Self { storage: Rc::clone(&self.storage), offset, shape, strides }
    }

    pub fn contiguous(&self) -> bool {
        self.numel() <= 1
            || packed(&self.shape).iter().zip(&self.strides).zip(&self.shape).all(|((p, s), d)| *d == 1 || p == s)
    }

    /// Where each element lies in the storage, in order.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (size, stride) in self.shape.iter().zip(&self.strides) {
            places = places.iter().flat_map(|p| (0..*size).map(move |i| p + i * stride)).collect();
        }
        places
    }

    /// Its elements in order.
    pub fn values(&self) -> Vec<f32> {
        let all = self.storage.values.borrow();
        if self.contiguous() {
            return all.get(self.offset..self.offset + self.numel()).unwrap_or_default().to_vec();
        }
        self.places().into_iter().map(|p| all.get(p).copied().unwrap_or_default()).collect()
    }

    /// Writes its elements in order.
    pub fn write(&self, values: &[f32]) {
        let places = self.places();
        let mut all = self.storage.values.borrow_mut();
        for (place, value) in places.into_iter().zip(values) {
            if let Some(slot) = all.get_mut(place) {
                *slot = self.dtype().round(*value);
            }
        }
    }

    /// Its elements spread over a larger shape.
    fn spread(&self, shape: &[usize]) -> Result<Vec<f32>, String> {
        Ok(if self.shape == shape { self.values() } else { self.expand(shape)?.values() })
    }

    pub fn expand(&self, shape: &[usize]) -> Result<Self, String> {
        let fits = broadcast(&self.shape, shape)?;
        if fits != shape {
            return Err(format!("a tensor of shape {} can't expand to {}", shown(&self.shape), shown(shape)));
        }
        let lead = shape.len() - self.dims();
        let strides = (0..shape.len()).map(|i| match i.checked_sub(lead) {
            Some(i) if self.shape.get(i) != Some(&1) => self.strides.get(i).copied().unwrap_or(0),
            _ => 0,
        });
        Ok(self.view(self.offset, shape.to_vec(), strides.collect()))
    }

    /// A new tensor with `f` of each element.
    pub fn map(&self, f: impl Fn(f32) -> f32) -> Made {
        let values: Vec<f32> = self.values().into_iter().map(f).collect();
        Ok((Self::new(self.shape.clone(), values, self.dtype().floating()), self.numel() as f64))
    }

    /// `f` of two tensors, broadcast.
    pub fn zip(&self, other: &Self, dtype: DType, f: impl Fn(f32, f32) -> f32) -> Made {
        let shape = broadcast(&self.shape, &other.shape)?;
        let (a, b) = (self.spread(&shape)?, other.spread(&shape)?);
        let values: Vec<f32> = a.into_iter().zip(b).map(|(x, y)| f(x, y)).collect();
        let flops = values.len() as f64;
        Ok((Self::new(shape, values, dtype), flops))
    }

    /// An operator by its sign. `other` is a number in a tensor of no dimensions where the program has a number.
    pub fn operator(&self, op: &str, other: &Self, number: bool) -> Made {
        let dtype = if number {
            if matches!(self.dtype(), DType::Int | DType::Bool) && other.values().iter().all(|x| x.fract() == 0.0) {
                DType::Int
            } else {
                self.dtype().floating()
            }
        } else {
            self.dtype().with(other.dtype())
        };
        let mask = |f: fn(&f32, &f32) -> bool| self.zip(other, DType::Bool, move |a, b| f32::from(u8::from(f(&a, &b))));
        match op {
            "+" => self.zip(other, dtype, |a, b| a + b),
            "-" => self.zip(other, dtype, |a, b| a - b),
            "*" => self.zip(other, dtype, |a, b| a * b),
            "/" => self.zip(other, dtype.floating(), |a, b| a / b),
            "//" => self.zip(other, dtype, |a, b| (a / b).floor()),
            "%" => self.zip(other, dtype, |a, b| a - (a / b).floor() * b),
            "**" => self.zip(other, dtype.floating(), |a, b| if b == 2.0 { a * a } else { a.powf(b) }),
            "<" => mask(|a, b| a < b),
            ">" => mask(|a, b| a > b),
            "<=" => mask(|a, b| a <= b),
            ">=" => mask(|a, b| a >= b),
            "==" => mask(|a, b| a == b),
            "!=" => mask(|a, b| a != b),
            "max" => self.zip(other, dtype, f32::max),
            "min" => self.zip(other, dtype, f32::min),
            "@" if number => Err("@ needs two tensors".to_owned()),
            "@" => self.matmul(other),
            _ => Err(format!("tensors have no operator {op}")),
        }
    }

    /// The same, written into this tensor.
    pub fn update(&self, op: &str, other: &Self, number: bool) -> Result<f64, String> {
        let (result, flops) = self.operator(op, other, number)?;
        if result.shape != self.shape {
            let (from, to) = (shown(&result.shape), shown(&self.shape));
            return Err(format!("a result of shape {from} doesn't fit in place into a tensor of shape {to}"));
        }
        self.write(&result.values());
        Ok(flops)
    }

    pub fn matmul(&self, other: &Self) -> Made {
        let wrong = || format!("matmul: shapes {} and {} don't match", shown(&self.shape), shown(&other.shape));
        if self.dims() == 0 || other.dims() == 0 {
            return Err(wrong());
        }
        let (a, b) = (
            if self.dims() == 1 { self.unsqueeze(0)? } else { self.clone() },
            if other.dims() == 1 { other.unsqueeze(1)? } else { other.clone() },
        );
        let (a_lead, a_last) = a.shape.split_at(a.dims() - 2);
        let (b_lead, b_last) = b.shape.split_at(b.dims() - 2);
        let ([m, k], [k2, n]) = (a_last, b_last) else { return Err(wrong()) };
        if k != k2 {
            return Err(wrong());
        }
        let lead = broadcast(a_lead, b_lead).map_err(|_| wrong())?;
        let (m, k, n) = (*m, *k, *n);
        let batch: usize = lead.iter().product();
        fits([lead.as_slice(), &[m, n]].concat())?;
        let left = a.expand(&[lead.as_slice(), &[m, k]].concat())?.values();
        let right = b.expand(&[lead.as_slice(), &[k, n]].concat())?.values();
        let mut out = vec![0.0_f32; batch * m * n];
        for i in 0..batch {
            let (l, r) = (&left[i * m * k..][..m * k], &right[i * k * n..][..k * n]);
            let o = &mut out[i * m * n..][..m * n];
            for row in 0..m {
                for inner in 0..k {
                    let x = l[row * k + inner];
                    for (sum, y) in o[row * n..][..n].iter_mut().zip(&r[inner * n..][..n]) {
                        *sum += x * y;
                    }
                }
            }
        }
        let mut shape = lead;
        if self.dims() > 1 {
            shape.push(m);
        }
        if other.dims() > 1 {
            shape.push(n);
        }
        let flops = 2.0 * batch as f64 * m as f64 * n as f64 * k as f64;
        Ok((Self::new(shape, out, self.dtype().with(other.dtype())), flops))
    }

    /// Folds a dimension, or all of them, with a function of its elements.
    pub fn reduce(&self, dim: Option<i64>, keep: bool, dtype: DType, f: impl Fn(&[f32]) -> f32) -> Made {
        let flops = self.numel() as f64;
        let Some(dim) = dim else {
            let shape = if keep { vec![1; self.dims()] } else { Vec::new() };
            return Ok((Self::new(shape, vec![f(&self.values())], dtype), flops));
        };
        let dim = dimension(dim, self.dims())?;
        let size = self.shape.get(dim).copied().unwrap_or(1);
        let mut order: Vec<usize> = (0..self.dims()).filter(|d| *d != dim).collect();
        order.push(dim);
        let rows = if self.dims() == 0 { self.values() } else { self.permute(&order)?.values() };
        let values = if size == 0 { Vec::new() } else { rows.chunks(size).map(f).collect() };
        let mut shape = self.shape.clone();
        if keep {
            if let Some(slot) = shape.get_mut(dim) {
                *slot = 1;
            }
        } else if dim < shape.len() {
            shape.remove(dim);
        }
        Ok((Self::new(shape, values, dtype), flops))
    }

    pub fn softmax(&self, dim: i64) -> Made {
        let float = self.dtype().floating();
        let (most, _) =
            self.reduce(Some(dim), true, float, |row| row.iter().copied().fold(f32::NEG_INFINITY, f32::max))?;
        let (shifted, _) = self.zip(&most, float, |x, m| (x - m).exp())?;
        let (sum, _) = shifted.reduce(Some(dim), true, float, |row| row.iter().sum())?;
        let (result, _) = shifted.zip(&sum, float, |x, s| x / s)?;
        Ok((result, 4.0 * self.numel() as f64))
    }

    pub fn permute(&self, order: &[usize]) -> Result<Self, String> {
        let mut seen: Vec<usize> = order.to_vec();
        seen.sort_unstable();
        if !seen.into_iter().eq(0..self.dims()) {
            return Err(format!("permute needs each of the {} dimensions once", self.dims()));
        }
        let pick = |from: &[usize]| order.iter().filter_map(|d| from.get(*d).copied()).collect();
        Ok(self.view(self.offset, pick(&self.shape), pick(&self.strides)))
    }

    pub fn transpose(&self, a: i64, b: i64) -> Result<Self, String> {
        let (a, b) = (dimension(a, self.dims())?, dimension(b, self.dims())?);
        let mut order: Vec<usize> = (0..self.dims()).collect();
        if a < order.len() && b < order.len() {
            order.swap(a, b);
        }
        self.permute(&order)
    }

    pub fn unsqueeze(&self, dim: i64) -> Result<Self, String> {
        let at = dimension(dim, self.dims() + 1)?;
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        shape.insert(at, 1);
        strides.insert(at, 0);
        Ok(self.view(self.offset, shape, strides))
    }

    pub fn squeeze(&self, dim: Option<i64>) -> Result<Self, String> {
        let only = dim.map(|d| dimension(d, self.dims())).transpose()?;
        let kept: Vec<usize> =
            (0..self.dims()).filter(|d| self.shape[*d] != 1 || only.is_some_and(|only| only != *d)).collect();
        let pick = |from: &[usize]| kept.iter().map(|d| from[*d]).collect();
        Ok(self.view(self.offset, pick(&self.shape), pick(&self.strides)))
    }

    /// A tensor of the same elements with another shape, in which one size may be −1: a view if they are contiguous.
    pub fn reshape(&self, shape: &[i64]) -> Result<Self, String> {
        let wrong = || format!("{} elements don't fit the shape {shape:?}", self.numel());
        let known: usize = shape.iter().filter(|d| **d >= 0).map(|d| *d as usize).product();
        if shape.iter().filter(|d| **d < 0).count() > 1 || shape.iter().any(|d| *d < -1) {
            return Err(wrong());
        }
        let rest = self.numel().checked_div(known).unwrap_or(0);
        let sizes: Vec<usize> = shape.iter().map(|d| usize::try_from(*d).unwrap_or(rest)).collect();
        if numel(&sizes) != Some(self.numel()) {
            return Err(wrong());
        }
        if self.contiguous() {
            let strides = packed(&sizes);
            return Ok(self.view(self.offset, sizes, strides));
        }
        Ok(Self::new(sizes, self.values(), self.dtype()).like(self))
    }

    /// The same tensor with another's kind and history.
    pub fn like(self, other: &Self) -> Self {
        self.storage.after.set(other.storage.after.get());
        self
    }

    /// Elements `start..end` of a dimension, each `step`th: a view.
    pub fn narrow(&self, dim: usize, start: usize, end: usize, step: usize) -> Self {
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        let stride = strides.get(dim).copied().unwrap_or(0);
        if let (Some(size), Some(slot)) = (shape.get_mut(dim), strides.get_mut(dim)) {
            *size = end.saturating_sub(start).div_ceil(step.max(1));
            *slot = stride * step.max(1);
        }
        self.view(self.offset + start * stride, shape, strides)
    }

    /// One element of a dimension, which is dropped: a view.
    pub fn select(&self, dim: usize, index: i64) -> Result<Self, String> {
        let size = self.shape.get(dim).copied().ok_or("too many indices for this tensor")?;
        let at = if index < 0 { index + size as i64 } else { index };
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < size) else {
            return Err(format!("index {index} is out of bounds for dimension {dim} with size {size}"));
        };
        let mut view = self.narrow(dim, at, at + 1, 1);
        view.shape.remove(dim);
        view.strides.remove(dim);
        Ok(view)
    }

    /// The rows of a dimension by number: a copy.
    pub fn rows(&self, dim: usize, indices: &[i64]) -> Result<Self, String> {
        let parts: Result<Vec<Self>, String> =
            indices.iter().map(|i| self.select(dim, *i)?.unsqueeze(dim as i64)).collect();
        let parts = parts?;
        if parts.is_empty() {
            let mut shape = self.shape.clone();
            if let Some(size) = shape.get_mut(dim) {
                *size = 0;
            }
            return Ok(Self::new(shape, Vec::new(), self.dtype()).like(self));
        }
        Ok(Self::cat(&parts, dim)?.like(self))
    }

    /// Tensors one after another along a dimension.
    pub fn cat(parts: &[Self], dim: usize) -> Result<Self, String> {
        let Some(first) = parts.first() else { return Err("cat needs at least one tensor".to_owned()) };
        let mut shape = first.shape.clone();
        let others =
            |t: &Self| t.dims() == first.dims() && (0..t.dims()).all(|d| d == dim || t.shape[d] == first.shape[d]);
        if dim >= shape.len() || !parts.iter().all(others) {
            let shapes: Vec<String> = parts.iter().map(|t| shown(&t.shape)).collect();
            return Err(format!("cat: shapes {} differ in more than dimension {dim}", shapes.join(", ")));
        }
        shape[dim] = parts.iter().map(|t| t.shape[dim]).sum();
        let outer: usize = shape[..dim].iter().product();
        let inner: usize = shape[dim + 1..].iter().product();
        let values: Vec<Vec<f32>> = parts.iter().map(Self::values).collect();
        let mut out = Vec::with_capacity(shape.iter().product());
        for row in 0..outer {
            for (part, values) in parts.iter().zip(&values) {
                let size = part.shape[dim] * inner;
                out.extend_from_slice(&values[row * size..][..size]);
            }
        }
        let dtype = parts.iter().map(Self::dtype).fold(first.dtype(), DType::with);
        Ok(Self::new(shape, out, dtype))
    }

    /// What lies below (or above) a diagonal of the last two dimensions; the rest is zero.
    pub fn triangle(&self, lower: bool, diagonal: i64) -> Made {
        let (Some(columns), true) = (self.shape.last().copied(), self.dims() > 1) else {
            return Err("tril and triu need a matrix".to_owned());
        };
        let rows = self.shape[self.dims() - 2];
        let keep = |i: usize| {
            let (row, column) = ((i / columns % rows) as i64, (i % columns) as i64);
            if lower { column - row <= diagonal } else { column - row >= diagonal }
        };
        let values = self.values().into_iter().enumerate().map(|(i, x)| if keep(i) { x } else { 0.0 }).collect();
        Ok((Self::new(self.shape.clone(), values, self.dtype()), self.numel() as f64))
    }

    /// As PyTorch prints it, at most 64 elements.
    pub fn text(&self) -> String {
        fn walk(shape: &[usize], values: &[f32], whole: bool, out: &mut String) {
            let Some((size, rest)) = shape.split_first() else {
                let value = values.first().copied().unwrap_or_default();
                if whole {
                    *out += &format!("{value:.0}");
                } else {
                    *out += &format!("{value:.4}");
                }
                return;
            };
            out.push('[');
            let step: usize = rest.iter().product();
            for i in 0..*size {
                if i > 0 {
                    *out += ", ";
                }
                walk(rest, values.get(i * step..).unwrap_or_default(), whole, out);
            }
            out.push(']');
        }
        if self.numel() > 64 {
            return format!("tensor of shape {} ({} elements)", shown(&self.shape), self.numel());
        }
        let values = self.values();
        let whole = values.iter().all(|v| v.fract() == 0.0 && v.abs() < 1e6);
        let mut out = String::from("tensor(");
        walk(&self.shape, &values, whole, &mut out);
        if self.dtype() == DType::Bf16 {
            out += ", dtype=torch.bfloat16";
        }
        out.push(')');
        out
    }
}
