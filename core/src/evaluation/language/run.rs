//! A program, run on fuel.

use super::{Expr, Op, Program, Value};

/// Steps that a call may take. One for each expression, and one for each number of a list that is made.
pub const FUEL: u32 = 4000;

/// Expressions within expressions while it runs, those of the calls included.
const DEEPEST: u32 = 320;

/// Why a program stopped without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It used all of its fuel: what a time limit is elsewhere.
    Fuel,
    /// It called itself too deep.
    Depth,
    /// Anything else that a program can do wrong: a sentence.
    Error(String),
}

impl Stop {
    /// A sentence.
    pub fn why(&self) -> String {
        match self {
            Stop::Fuel => format!("It used {FUEL} steps and was stopped."),
            Stop::Depth => "It called itself too deep and was stopped.".to_owned(),
            Stop::Error(why) => why.clone(),
        }
    }
}

/// A run of a program.
#[derive(Debug)]
pub struct Run<'a> {
    program: &'a Program,
    fuel: u32,
    depth: u32,
}

type Names<'a> = Vec<(&'a str, Value)>;

fn error<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Error(why.into()))
}

impl<'a> Run<'a> {
    /// Calls the program with these arguments: its value or why there is none, and the steps taken.
    pub fn call(program: &'a Program, arguments: &[Value]) -> (Result<Value, Stop>, u32) {
        let mut run = Self { program, fuel: FUEL, depth: 0 };
        let value = run.enter(arguments.to_vec());
        (value, FUEL - run.fuel)
    }

    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        let left = u32::try_from(steps).ok().and_then(|steps| self.fuel.checked_sub(steps));
        self.fuel = left.unwrap_or(0);
        left.map(|_| ()).ok_or(Stop::Fuel)
    }

    fn enter(&mut self, arguments: Vec<Value>) -> Result<Value, Stop> {
        let program = self.program;
        if arguments.len() != program.parameters.len() {
            return error(format!(
                "{} takes {} values and was given {}.",
                program.name,
                program.parameters.len(),
                arguments.len()
            ));
        }
        let mut names: Names<'a> = program.parameters.iter().map(String::as_str).zip(arguments).collect();
        self.value(&program.body, &mut names)
    }

    fn value(&mut self, expr: &'a Expr, names: &mut Names<'a>) -> Result<Value, Stop> {
        self.spend(1)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Stop::Depth);
        }
        let value = self.of(expr, names)?;
        self.depth -= 1;
        Ok(value)
    }

    fn of(&mut self, expr: &'a Expr, names: &mut Names<'a>) -> Result<Value, Stop> {
        match expr {
            Expr::Int(n) => Ok(Value::Int(*n)),
            Expr::Bool(b) => Ok(Value::Bool(*b)),
            Expr::Name(name) => {
                let found = names.iter().rev().find(|(known, _)| known == name);
                found.map_or_else(|| error(format!("name “{name}” is not defined.")), |(_, value)| Ok(value.clone()))
            }
            Expr::List(all) => {
                let mut list = Vec::new();
                for one in all {
                    list.push(int(self.value(one, names)?)?);
                }
                Ok(Value::List(list))
            }
            Expr::Minus(inner) => checked(int(self.value(inner, names)?)?.checked_neg()),
            Expr::Not(inner) => Ok(Value::Bool(!truth(self.value(inner, names)?)?)),
            Expr::Pair(op, sides) => self.pair(*op, sides, names),
            Expr::If(parts) => {
                let [condition, yes, no] = &**parts;
                let way = if truth(self.value(condition, names)?)? { yes } else { no };
                self.value(way, names)
            }
            Expr::Let(name, parts) => {
                let [value, rest] = &**parts;
                let value = self.value(value, names)?;
                names.push((name, value));
                let result = self.value(rest, names);
                names.pop();
                result
            }
            Expr::Call(name, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.value(argument, names)?);
                }
                if *name == self.program.name { self.enter(values) } else { self.known(name, values) }
            }
        }
    }

    fn pair(&mut self, op: Op, sides: &'a [Expr; 2], names: &mut Names<'a>) -> Result<Value, Stop> {
        let [left, right] = sides;
        let left = self.value(left, names)?;
        // The second is not looked at where the first decides.
        match (op, &left) {
            (Op::And, Value::Bool(false)) | (Op::Or, Value::Bool(true)) => return Ok(left),
            _ => {}
        }
        let right = self.value(right, names)?;
        match (op, left, right) {
            (Op::And | Op::Or, Value::Bool(_), right) => truth(right).map(Value::Bool),
            (Op::Equal, a, b) => Ok(Value::Bool(a == b)),
            (Op::Different, a, b) => Ok(Value::Bool(a != b)),
            (Op::Add, Value::List(mut a), Value::List(b)) => {
                self.spend(a.len() + b.len())?;
                a.extend(b);
                Ok(Value::List(a))
            }
            (op, Value::Int(a), Value::Int(b)) => arithmetic(op, a, b),
            (_, a, b) => error(format!("unsupported operand types: {} and {}.", kind(&a), kind(&b))),
        }
    }

    /// The functions that are there.
    fn known(&mut self, name: &str, values: Vec<Value>) -> Result<Value, Stop> {
        match (name, values.as_slice()) {
            ("len", [Value::List(list)]) => Ok(Value::Int(list.len() as i64)),
            ("head", [Value::List(list)]) => list
                .first()
                .map_or_else(|| error("list index out of range: head of an empty list."), |n| Ok(Value::Int(*n))),
            ("tail", [Value::List(list)]) => {
                self.spend(list.len())?;
                let Some((_, rest)) = list.split_first() else {
                    return error("list index out of range: tail of an empty list.");
                };
                Ok(Value::List(rest.to_vec()))
            }
            ("abs", [Value::Int(n)]) => checked(n.checked_abs()),
            ("min", [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.min(b))),
            ("max", [Value::Int(a), Value::Int(b)]) => Ok(Value::Int(*a.max(b))),
            ("len" | "head" | "tail" | "abs" | "min" | "max", values) => {
                let kinds: Vec<&str> = values.iter().map(kind).collect();
                error(format!("{name} does not take ({}).", kinds.join(", ")))
            }
            _ => error(format!("name “{name}” is not defined.")),
        }
    }
}

/// Division rounds down and a rest has the divisor's sign, as in Python.
fn arithmetic(op: Op, a: i64, b: i64) -> Result<Value, Stop> {
    match op {
        Op::Less => Ok(Value::Bool(a < b)),
        Op::LessOrEqual => Ok(Value::Bool(a <= b)),
        Op::Greater => Ok(Value::Bool(a > b)),
        Op::GreaterOrEqual => Ok(Value::Bool(a >= b)),
        Op::Add => checked(a.checked_add(b)),
        Op::Subtract => checked(a.checked_sub(b)),
        Op::Multiply => checked(a.checked_mul(b)),
        Op::Divide | Op::Rest if b == 0 => error("division by zero."),
        Op::Divide => checked(a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q })),
        Op::Rest => checked(a.checked_rem_euclid(b).map(|r| if b < 0 && r != 0 { r + b } else { r })),
        Op::Or | Op::And | Op::Equal | Op::Different => error("unsupported operand types: number and number."),
    }
}

fn checked(n: Option<i64>) -> Result<Value, Stop> {
    n.map_or_else(|| error("a number left 64 bits."), |n| Ok(Value::Int(n)))
}

fn int(value: Value) -> Result<i64, Stop> {
    match value {
        Value::Int(n) => Ok(n),
        other => error(format!("expected a number, not {}.", kind(&other))),
    }
}

fn truth(value: Value) -> Result<bool, Stop> {
    match value {
        Value::Bool(b) => Ok(b),
        other => error(format!("expected true or false, not {}.", kind(&other))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => "number",
        Value::Bool(_) => "bool",
        Value::List(_) => "list",
    }
}
