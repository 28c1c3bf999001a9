//! A small language: one function of whole numbers, truth values and lists of whole numbers, which may call itself.

mod parse;
mod run;
mod scan;

pub use parse::{Program, arguments, parse};
pub use run::{FUEL, Run, Stop};
pub use scan::{Scanned, Sign, scan};

use std::fmt;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A whole number of 64 bits.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// Whole numbers.
    List(Vec<i64>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::List(list) => {
                let all: Vec<String> = list.iter().map(i64::to_string).collect();
                write!(f, "[{}]", all.join(", "))
            }
        }
    }
}

/// What two values make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Or,
    And,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Different,
    Add,
    Subtract,
    Multiply,
    Divide,
    Rest,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
enum Expr {
    Int(i64),
    Bool(bool),
    Name(String),
    List(Vec<Expr>),
    Minus(Box<Expr>),
    Not(Box<Expr>),
    Pair(Op, Box<[Expr; 2]>),
    If(Box<[Expr; 3]>),
    Let(String, Box<[Expr; 2]>),
    Call(String, Vec<Expr>),
}
