//! Signs into a program.

use super::scan::{Scanned, Sign, scan};
use super::{Expr, Op, Value};

/// Words that are no names.
const WORDS: [&str; 10] = ["if", "then", "else", "let", "in", "and", "or", "not", "true", "false"];

/// Expressions within expressions, at most.
const DEEPEST: u32 = 40;

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    pub(super) body: Expr,
}

/// Why a text is no program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The line, from 1.
    pub line: usize,
    /// A sentence.
    pub why: String,
}

/// Reads `name(a, b) = expression`.
///
/// # Errors
/// Where it stops being a program, and what would be one.
pub fn parse(text: &str) -> Result<Program, Refused> {
    Parser::over(text).and_then(|mut parser| parser.program()).map_err(|(at, why)| refused(text, at, why))
}

/// Reads values with commas between them.
///
/// # Errors
/// Where they stop being values.
pub fn arguments(text: &str) -> Result<Vec<Value>, Refused> {
    Parser::over(text).and_then(|mut parser| parser.values()).map_err(|(at, why)| refused(text, at, why))
}

fn refused(text: &str, at: usize, why: String) -> Refused {
    let line = 1 + text.get(..at).unwrap_or(text).matches('\n').count();
    Refused { line, why }
}

type Parsed<T> = Result<T, (usize, String)>;

struct Parser {
    signs: Vec<Scanned>,
    at: usize,
    end: usize,
    depth: u32,
}

impl Parser {
    fn over(text: &str) -> Parsed<Self> {
        Ok(Self { signs: scan(text)?, at: 0, end: text.len(), depth: 0 })
    }

    fn sign(&self) -> Option<&Sign> {
        self.signs.get(self.at).map(|scanned| &scanned.sign)
    }

    /// Where it is, in the text.
    fn place(&self) -> usize {
        self.signs.get(self.at).map_or(self.end, |scanned| scanned.from)
    }

    fn fail<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.sign() {
            None => "the program ends".to_owned(),
            Some(Sign::Int(n)) => format!("“{n}” stands there"),
            Some(Sign::Name(name)) => format!("“{name}” stands there"),
            Some(Sign::Mark(mark)) => format!("“{mark}” stands there"),
        };
        Err((self.place(), format!("Expected {wanted}, but {found}.")))
    }

    fn is(&mut self, text: &str) -> bool {
        let found = match self.sign() {
            Some(Sign::Mark(mark)) => *mark == text,
            Some(Sign::Name(name)) => name == text,
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn must(&mut self, text: &str) -> Parsed<()> {
        if self.is(text) { Ok(()) } else { self.fail(&format!("“{text}”")) }
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        match self.sign() {
            Some(Sign::Name(name)) if !WORDS.contains(&name.as_str()) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.fail(what),
        }
    }

    fn program(&mut self) -> Parsed<Program> {
        let name = self.name("the name of a function, as in sum(xs) = 0")?;
        self.must("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            if !parameters.is_empty() {
                self.must(",")?;
            }
            parameters.push(self.name("the name of a parameter")?);
        }
        self.must("=")?;
        let body = self.expression()?;
        if self.at < self.signs.len() {
            return self.fail("the end of the program");
        }
        Ok(Program { name, parameters, body })
    }

    fn values(&mut self) -> Parsed<Vec<Value>> {
        let mut all = Vec::new();
        while self.at < self.signs.len() {
            if !all.is_empty() {
                self.must(",")?;
            }
            let place = self.place();
            let value = constant(&self.expression()?);
            all.push(value.ok_or_else(|| (place, "Expected a number, true, false or a list of numbers.".to_owned()))?);
        }
        Ok(all)
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.place(), format!("Expressions may be nested {DEEPEST} deep.")));
        }
        let all = self.outermost();
        self.depth -= 1;
        all
    }

    fn outermost(&mut self) -> Parsed<Expr> {
        if self.is("if") {
            let condition = self.expression()?;
            self.must("then")?;
            let yes = self.expression()?;
            self.must("else")?;
            return Ok(Expr::If(Box::new([condition, yes, self.expression()?])));
        }
        if self.is("let") {
            let name = self.name("a name")?;
            self.must("=")?;
            let value = self.expression()?;
            self.must("in")?;
            return Ok(Expr::Let(name, Box::new([value, self.expression()?])));
        }
        self.pairs(0)
    }

    /// Operators of a level and those that bind more strongly.
    fn pairs(&mut self, level: usize) -> Parsed<Expr> {
        const LEVELS: [&[(&str, Op)]; 5] = [
            &[("or", Op::Or)],
            &[("and", Op::And)],
            &[
                ("<=", Op::LessOrEqual),
                (">=", Op::GreaterOrEqual),
                ("==", Op::Equal),
                ("!=", Op::Different),
                ("<", Op::Less),
                (">", Op::Greater),
            ],
            &[("+", Op::Add), ("-", Op::Subtract)],
            &[("*", Op::Multiply), ("/", Op::Divide), ("%", Op::Rest)],
        ];
        let Some(operators) = LEVELS.get(level) else { return self.single() };
        let mut left = self.pairs(level + 1)?;
        let mut length = 0;
        while let Some((_, op)) = operators.iter().find(|(text, _)| self.is(text)) {
            length += 1;
            if length > DEEPEST {
                return Err((self.place(), format!("At most {DEEPEST} operators may follow one another.")));
            }
            left = Expr::Pair(*op, Box::new([left, self.pairs(level + 1)?]));
        }
        Ok(left)
    }

    fn single(&mut self) -> Parsed<Expr> {
        if self.is("-") {
            return Ok(Expr::Minus(Box::new(self.nested()?)));
        }
        if self.is("not") {
            return Ok(Expr::Not(Box::new(self.nested()?)));
        }
        if self.is("(") {
            let inner = self.expression()?;
            self.must(")")?;
            return Ok(inner);
        }
        if self.is("[") {
            return Ok(Expr::List(self.list("]")?));
        }
        if self.is("true") {
            return Ok(Expr::Bool(true));
        }
        if self.is("false") {
            return Ok(Expr::Bool(false));
        }
        if let Some(Sign::Int(n)) = self.sign() {
            let n = *n;
            self.at += 1;
            return Ok(Expr::Int(n));
        }
        let name = self.name("a value")?;
        if self.is("(") { Ok(Expr::Call(name, self.list(")")?)) } else { Ok(Expr::Name(name)) }
    }

    fn nested(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.place(), format!("Expressions may be nested {DEEPEST} deep.")));
        }
        let all = self.single();
        self.depth -= 1;
        all
    }

    fn list(&mut self, end: &str) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        while !self.is(end) {
            if !all.is_empty() {
                self.must(",")?;
            }
            all.push(self.expression()?);
        }
        Ok(all)
    }
}

/// The value of what is one without running.
fn constant(expr: &Expr) -> Option<Value> {
    Some(match expr {
        Expr::Int(n) => Value::Int(*n),
        Expr::Bool(b) => Value::Bool(*b),
        Expr::Minus(inner) => match constant(inner)? {
            Value::Int(n) => Value::Int(n.checked_neg()?),
            _ => return None,
        },
        Expr::List(all) => {
            let int = |expr: &Expr| match constant(expr) {
                Some(Value::Int(n)) => Some(n),
                _ => None,
            };
            Value::List(all.iter().map(int).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
