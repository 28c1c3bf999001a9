//! What a learner wrote, as the interpreter takes it.
//!
//! The interpreter never tells its host of `a + b`, `a[i]` or `a < b` where an operand is a tensor, and knows no import of torch.
//! So the parsed program is edited in place, token by token: an operator becomes a call of a function of the prelude, which
//! does what Python would and asks the host only where Python raises a TypeError; a name of `torch`, `torch.distributed`
//! or `ringside` becomes a host function whose name carries its line. Edits never add or remove a line, operands are
//! evaluated once and in their order, and whatever needs no host behaves as before.
//!
//! Conditions and loops ask a tensor what it is worth and what its rows are: to the interpreter every object of the host is true, and
//! none is iterable. Values that are unpacked into elements or attributes go through names of their own, which the interpreter takes.
//!
//! Three things differ from Python: chained comparisons of tensors; a `del` of a name, after which the name is None; and the value of `t and x`
//! where `t` is a tensor of 0, which is False.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::helpers::any_over_expr;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameter, walk_stmt};
use ruff_python_ast::{self as ast, CmpOp, Expr, ExprContext, InterpolatedStringElement, Operator, Stmt, UnaryOp};
use ruff_python_parser::{Parsed, parse_module};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::names;

/// A program ready for the interpreter.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The prelude and the program.
    pub text: String,
    /// Lines of the prelude.
    pub offset: u32,
    /// What the program imports from the host by name: a name, its name space, and its name there.
    pub members: BTreeMap<String, (&'static str, String)>,
}

/// A text that is no program: where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unreadable {
    pub line: u32,
    pub message: String,
}

/// Operators and the functions that they become. Each does what Python does, and asks the host where Python has no answer.
const BINARY: [(&str, &str); 7] =
    [("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("pow", "**"), ("floordiv", "//"), ("mod", "%")];
const COMPARISONS: [(&str, &str); 4] = [("lt", "<"), ("gt", ">"), ("le", "<="), ("ge", ">=")];

/// The functions that a program's operators became, with those that they call: by name, each after what it calls.
fn functions() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut def = |name: &str, parameters: &str, body: &str| {
        all.push((format!("_rs_{name}("), format!("def _rs_{name}({parameters}):\n{body}")));
    };
    let tried = |op: &str, does: &str, host: &str| {
        format!("    try:\n{does}    except TypeError:\n        pass\n    return _rs_host('{op}', {host}, l)\n")
    };
    def("get", "x, k, l", "    if hasattr(x, 'dtype'):\n        return _rs_host_get(x, k, l)\n    return x[k]\n");
    def(
        "cut",
        "x, a, b, c, l",
        "    if hasattr(x, 'dtype'):\n        return _rs_host_get(x, (_rs_SL, a, b, c), l)\n    return x[a:b:c]\n",
    );
    // The interpreter has no assignment to a slice of a list.
    def(
        "set",
        "x, k, v, l",
        "    if hasattr(x, 'dtype'):\n        _rs_host_set(x, k, v, l)\n    elif type(k) is tuple and len(k) == 4 and k[0] == \
         _rs_SL:\n        y = ([] if k[1] is None else x[:k[1]]) + list(v) + ([] if k[2] is None else x[k[2]:])\n        \
         x.clear()\n        x.extend(y)\n    else:\n        x[k] = v\n",
    );
    // No value of Python's own has a matrix product.
    def("matmul", "a, b, l", "    return _rs_host('@', a, b, l)\n");
    def("imatmul", "a, b, l", "    return _rs_host('@', a, b, l)\n");
    def("smatmul", "x, k, b, l", "    _rs_set(x, k, _rs_host('@', _rs_get(x, k, l), b, l), l)\n");
    for (name, op) in BINARY {
        def(name, "a, b, l", &tried(op, &format!("        return a {op} b\n"), "a, b"));
        let place = format!("{op}=");
        def(
            &format!("i{name}"),
            "a, b, l",
            &tried(&place, &format!("        a {place} b\n        return a\n"), "a, b"),
        );
        let body = format!(
            "    if hasattr(x, 'dtype'):\n        _rs_host_set(x, k, _rs_host('{op}', _rs_host_get(x, k, l), b, l), l)\n    \
             else:\n        x[k] = _rs_i{name}(x[k], b, l)\n"
        );
        def(&format!("s{name}"), "x, k, b, l", &body);
    }
    for (name, op) in COMPARISONS {
        def(name, "a, b, l", &tried(op, &format!("        return a {op} b\n"), "a, b"));
    }
    for (name, op) in [("eq", "=="), ("ne", "!=")] {
        let body = format!(
            "    if hasattr(a, 'dtype') or hasattr(b, 'dtype'):\n        return _rs_host('{op}', a, b, l)\n    return a {op} b\n"
        );
        def(name, "a, b, l", &body);
    }
    def("neg", "a, l", &tried("neg", "        return -a\n", "a, None"));
    def("item", "x, l", "    return _rs_host_one(x, l) if hasattr(x, 'dtype') else x\n");
    // A tensor is true to the interpreter.
    def("operand", "x, l", "    return (x if _rs_host_one(x, l) != 0 else False) if hasattr(x, 'dtype') else x\n");
    def("rows", "x, l", "    return range(x.shape[0]) if hasattr(x, 'dtype') else x\n");
    def("true", "x, l", "    return _rs_host_one(x, l) != 0 if hasattr(x, 'dtype') else x\n");
    def(
        "iter",
        "x, l",
        "    return [_rs_host_get(x, i, l) for i in range(x.shape[0])] if hasattr(x, 'dtype') else x\n",
    );
    def("bools", "x, l", "    return [_rs_true(y, l) for y in _rs_iter(x, l)]\n");
    def("del", "x, k", "    x.pop(k)\n");
    def("str", "x", "    return _rs_host_str(x) if hasattr(x, 'dtype') else x\n");
    // The built-in adds without asking the host.
    def("sum", "xs, start=0", "    for x in xs:\n        start = _rs_add(start, x, 0)\n    return start\n");
    all
}

/// What a program needs of [`functions`].
fn prelude(program: &str) -> String {
    let mut needed: Vec<String> = Vec::new();
    for (call, text) in functions().into_iter().rev() {
        if program.contains(&call) || needed.iter().any(|n| n.contains(&call)) {
            needed.push(text);
        }
    }
    needed.push("_rs_SL = '_rs_slice'\n".to_owned());
    needed.reverse();
    needed.concat()
}

/// The program with its prelude.
///
/// # Errors
/// If it does not parse.
pub(crate) fn rewrite(program: &str) -> Result<Source, Unreadable> {
    let parsed = parse_module(program).map_err(|error| {
        let at = usize::from(error.location.start()).min(program.len());
        Unreadable { line: line_of(program, at), message: error.error.to_string() }
    })?;
    let mut bound = Bound::default();
    for stmt in parsed.suite() {
        bound.visit_stmt(stmt);
    }
    let mut editor = Editor { program, parsed: &parsed, bound: &bound, edits: Vec::new() };
    for stmt in parsed.suite() {
        editor.visit_stmt(stmt);
    }
    let edited = editor.apply();
    let prelude = prelude(&edited);
    let offset = prelude.matches('\n').count() as u32;
    Ok(Source { text: prelude + &edited, offset, members: bound.members })
}

fn line_of(text: &str, at: usize) -> u32 {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() as u32 + 1
}

/// Names that the program binds, and what it imports from where.
#[derive(Debug, Default)]
struct Bound {
    names: BTreeSet<String>,
    /// Modules of Python's own, whose functions keep their names.
    imported: BTreeSet<String>,
    methods: BTreeSet<String>,
    /// A name and the module that it stands for.
    modules: BTreeMap<String, &'static str>,
    /// A name and the function that it stands for.
    members: BTreeMap<String, (&'static str, String)>,
}

/// The name space of a module that the host answers for.
fn space(module: &str) -> Option<&'static str> {
    match module {
        "torch" | "torch.nn.functional" | "torch.nn" => Some("torch"),
        "torch.distributed" => Some("dist"),
        "torch.cuda" => Some("cuda"),
        "ringside" => Some("ringside"),
        _ => None,
    }
}

fn hosted(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Import(import) => !import.names.is_empty() && import.names.iter().all(|a| space(&a.name).is_some()),
        Stmt::ImportFrom(import) => import.module.as_ref().is_some_and(|m| space(m).is_some()),
        _ => false,
    }
}

impl<'a> Visitor<'a> for Bound {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) if hosted(stmt) => {
                for alias in &import.names {
                    let Some(space) = space(&alias.name) else { continue };
                    let (name, space) = match &alias.asname {
                        Some(name) => (name.to_string(), space),
                        None => ("torch".to_owned(), if space == "dist" { "torch" } else { space }),
                    };
                    self.modules.insert(name, space);
                }
                return;
            }
            Stmt::ImportFrom(import) if hosted(stmt) => {
                let Some(module) = import.module.as_ref().and_then(|m| space(m)) else { return };
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
                    let whole = import.module.as_ref().map(|m| format!("{m}.{}", alias.name));
                    if let Some(space) = whole.as_deref().and_then(space) {
                        self.modules.insert(name, space);
                    } else if &*alias.name != "*" {
                        self.members.insert(name, (module, alias.name.to_string()));
                    } else {
                        for member in names::of(module) {
                            self.members.insert((*member).to_owned(), (module, (*member).to_owned()));
                        }
                    }
                }
                return;
            }
            Stmt::Import(import) => {
                self.imported.extend(import.names.iter().map(|a| a.asname.as_ref().unwrap_or(&a.name).to_string()));
                self.names.extend(import.names.iter().map(|a| a.asname.as_ref().unwrap_or(&a.name).to_string()));
            }
            Stmt::ImportFrom(import) => {
                self.names.extend(import.names.iter().map(|a| a.asname.as_ref().unwrap_or(&a.name).to_string()));
            }
            Stmt::FunctionDef(def) => {
                self.names.insert(def.name.to_string());
                self.methods.insert(def.name.to_string());
            }
            Stmt::ClassDef(def) => {
                self.names.insert(def.name.to_string());
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_parameter(&mut self, parameter: &'a ast::Parameter) {
        self.names.insert(parameter.name.to_string());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.names.insert(name.to_string());
        }
        ast::visitor::walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx == ExprContext::Store
        {
            self.names.insert(name.id.to_string());
        }
        if let Expr::Attribute(attribute) = expr
            && attribute.ctx == ExprContext::Store
        {
            self.methods.insert(attribute.attr.to_string());
        }
        walk_expr(self, expr);
    }
}

struct Edit {
    range: TextRange,
    text: String,
}

struct Editor<'a> {
    program: &'a str,
    parsed: &'a Parsed<ast::ModModule>,
    bound: &'a Bound,
    edits: Vec<Edit>,
}

impl<'a> Editor<'a> {
    fn line(&self, at: TextSize) -> u32 {
        line_of(self.program, at.into())
    }

    fn insert(&mut self, at: TextSize, text: impl Into<String>) {
        self.edits.push(Edit { range: TextRange::empty(at), text: text.into() });
    }

    fn replace(&mut self, range: TextRange, text: impl Into<String>) {
        self.edits.push(Edit { range, text: text.into() });
    }

    /// The first token of one of these kinds between two places.
    fn token(&self, kinds: &[TokenKind], from: TextSize, to: TextSize) -> Option<TextRange> {
        let tokens = self.parsed.tokens().iter();
        tokens.filter(|t| t.start() >= from && t.end() <= to).find(|t| kinds.contains(&t.kind())).map(|t| t.range())
    }

    /// The program with all edits: those at one place in the order in which they were made.
    fn apply(mut self) -> String {
        self.edits.sort_by_key(|edit| edit.range.start());
        let mut out = String::with_capacity(self.program.len() * 2);
        let mut at = 0;
        for edit in &self.edits {
            let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
            out += self.program.get(at..start).unwrap_or_default();
            out += &edit.text;
            at = end.max(at);
        }
        out += self.program.get(at..).unwrap_or_default();
        out
    }

    /// What a name or a chain of attributes means to the host: its name there, the line, and the part of the text.
    fn host_name(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(name) => {
                let id = name.id.as_str();
                if self.bound.names.contains(id) {
                    return None;
                }
                let (space, member) = self.bound.members.get(id)?;
                Some(names::host(space, member, self.line(expr.start())))
            }
            Expr::Attribute(attribute) => {
                let space = self.module(&attribute.value)?;
                if &*attribute.attr == "ReduceOp" || self.submodule(space, &attribute.attr).is_some() {
                    return None;
                }
                Some(names::host(space, &attribute.attr, self.line(expr.start())))
            }
            _ => None,
        }
    }

    fn submodule(&self, space: &'static str, attr: &str) -> Option<&'static str> {
        match (space, attr) {
            ("torch", "distributed") => Some("dist"),
            ("torch", "cuda") => Some("cuda"),
            ("torch", "nn" | "functional") => Some("torch"),
            _ => None,
        }
    }

    /// The name space that an expression is.
    fn module(&self, expr: &Expr) -> Option<&'static str> {
        match expr {
            Expr::Name(name) if !self.bound.names.contains(name.id.as_str()) => {
                let id = name.id.as_str();
                if self.bound.members.get(id).is_some_and(|(_, member)| member == "ReduceOp") {
                    return Some("op");
                }
                self.bound.modules.get(id).copied()
            }
            Expr::Attribute(attribute) => {
                let space = self.module(&attribute.value)?;
                if space == "dist" && &*attribute.attr == "ReduceOp" {
                    return Some("op");
                }
                self.submodule(space, &attribute.attr)
            }
            _ => None,
        }
    }

    fn calls(&mut self, range: TextRange, function: &str) {
        self.insert(range.start(), format!("_rs_{function}("));
    }

    fn ends(&mut self, range: TextRange) {
        let line = self.line(range.start());
        self.insert(range.end(), format!(", {line})"));
    }

    /// `a:b:c` with its colons as commas and None for what is left out.
    fn slice_parts(&mut self, slice: &'a ast::ExprSlice) {
        let range = slice.range;
        let none = |editor: &mut Self, at| editor.insert(at, "None");
        match &slice.lower {
            Some(lower) => self.visit_expr(lower),
            None => none(self, range.start()),
        }
        let from = slice.lower.as_ref().map_or(range.start(), |e| e.end());
        let first = self.token(&[TokenKind::Colon], from, range.end()).unwrap_or(TextRange::empty(range.end()));
        self.replace(first, ", ");
        match &slice.upper {
            Some(upper) => self.visit_expr(upper),
            None => none(self, first.end()),
        }
        let from = slice.upper.as_ref().map_or(first.end(), |e| e.end());
        let second = self.token(&[TokenKind::Colon], from, range.end());
        match second {
            Some(second) => self.replace(second, ", "),
            None => self.insert(range.end(), ", "),
        }
        match &slice.step {
            Some(step) => self.visit_expr(step),
            None => none(self, range.end()),
        }
    }

    /// An index, with slices as tuples that begin with a mark.
    fn index(&mut self, index: &'a Expr) {
        match index {
            Expr::Slice(slice) => {
                self.insert(index.start(), "(_rs_SL, ");
                self.slice_parts(slice);
                self.insert(index.end(), ")");
            }
            Expr::Tuple(tuple) => {
                if !tuple.parenthesized {
                    self.insert(index.start(), "(");
                }
                for element in &tuple.elts {
                    self.index(element);
                }
                if !tuple.parenthesized {
                    self.insert(index.end(), ")");
                }
            }
            _ => self.visit_expr(index),
        }
    }

    fn subscript(&mut self, subscript: &'a ast::ExprSubscript) {
        let range = subscript.range;
        let close = TextRange::new(range.end() - TextSize::from(1), range.end());
        let Some(open) = self.token(&[TokenKind::Lsqb], subscript.value.end(), range.end()) else { return };
        let line = self.line(range.start());
        if let Expr::Slice(slice) = &*subscript.slice {
            self.calls(range, "cut");
            self.visit_expr(&subscript.value);
            self.replace(open, ", ");
            self.slice_parts(slice);
        } else {
            self.calls(range, "get");
            self.visit_expr(&subscript.value);
            self.replace(open, ", ");
            self.index(&subscript.slice);
        }
        self.replace(close, format!(", {line})"));
    }

    /// An expression of which only the truth counts: a tensor's is that of its one element.
    fn condition(&mut self, expr: &'a Expr) {
        match expr {
            Expr::BoolOp(op) => op.values.iter().for_each(|value| self.condition(value)),
            Expr::UnaryOp(op) if op.op == UnaryOp::Not => self.condition(&op.operand),
            _ if certain(expr) => self.visit_expr(expr),
            _ => self.wrapped("true", expr),
        }
    }

    /// An expression in a function of the prelude that takes a line.
    fn wrapped(&mut self, function: &str, expr: &'a Expr) {
        self.calls(expr.range(), function);
        self.visit_expr(expr);
        self.ends(expr.range());
    }

    /// What a loop runs over: a tensor's rows.
    fn iterated(&mut self, expr: &'a Expr) {
        let range = |expr: &Expr| match expr {
            Expr::Call(call) => call.func.as_name_expr().is_some_and(|n| matches!(n.id.as_str(), "range" | "reversed")),
            _ => false,
        };
        if plain(expr) || range(expr) || matches!(expr, Expr::Generator(_)) {
            self.visit_expr(expr);
        } else {
            self.wrapped("iter", expr);
        }
    }

    /// Values that are assigned to several targets, of which some are no plain names: names of their own get them first. Whether it could
    /// be done.
    fn unpack(&mut self, assign: &'a ast::StmtAssign) -> bool {
        let mut targets: Vec<&'a Expr> = Vec::new();
        for target in &assign.targets {
            match target {
                Expr::Tuple(tuple) => targets.extend(&tuple.elts),
                Expr::List(list) => targets.extend(&list.elts),
                other => targets.push(other),
            }
        }
        if targets.iter().all(|target| target.is_name_expr() || target.is_starred_expr()) {
            return false;
        }
        let text =
            |expr: &Expr| self.program.get(usize::from(expr.start())..usize::from(expr.end())).unwrap_or_default();
        let line = self.line(assign.range.start());
        let (mut edits, mut after) = (Vec::new(), String::new());
        for (i, target) in targets.iter().enumerate() {
            match target {
                Expr::Attribute(attribute) if repeatable(&attribute.value) => {
                    after += &format!("; {} = _rs_t{i}", text(target));
                }
                Expr::Subscript(subscript)
                    if repeatable(&subscript.value)
                        // Its text is written as it stands.
                        && !any_over_expr(&subscript.slice, |e| e.is_slice_expr() || self.module(e).is_some()) =>
                {
                    let (of, at) = (text(&subscript.value), text(&subscript.slice));
                    after += &format!("; _rs_set({of}, ({at}), _rs_t{i}, {line})");
                }
                // Targets are filled from left to right: a name may stand in the next one's index.
                Expr::Name(_) => after += &format!("; {} = _rs_t{i}", text(target)),
                Expr::Starred(starred) if starred.value.is_name_expr() => {
                    after += &format!("; {} = _rs_t{i}", text(&starred.value));
                    edits.push((starred.value.range(), format!("_rs_t{i}")));
                    continue;
                }
                _ => return false,
            }
            edits.push((target.range(), format!("_rs_t{i}")));
        }
        for (range, name) in edits {
            // A tensor is held as long as a name has it.
            after += &format!("; {name} = None");
            self.replace(range, name);
        }
        if assign.targets.iter().any(|t| t.is_tuple_expr() || t.is_list_expr()) {
            self.iterated(&assign.value);
        } else {
            self.visit_expr(&assign.value);
        }
        self.insert(assign.range.end(), after);
        true
    }

    /// `x[i] = v`, and `x[i] += v` with the function that does it.
    fn store(&mut self, stmt: TextRange, target: &'a ast::ExprSubscript, value: &'a Expr, function: &str) {
        let close = TextRange::new(target.range.end() - TextSize::from(1), target.range.end());
        let Some(open) = self.token(&[TokenKind::Lsqb], target.value.end(), target.range.end()) else { return };
        let after =
            self.parsed.tokens().iter().find(|t| t.start() >= target.range.end() && t.kind() != TokenKind::Rpar);
        let Some(equals) = after.map(|t| t.range()) else { return };
        self.calls(stmt, function);
        self.visit_expr(&target.value);
        self.replace(open, ", ");
        self.index(&target.slice);
        self.replace(close, "");
        self.replace(equals, ", (");
        self.visit_expr(value);
        let line = self.line(stmt.start());
        self.insert(stmt.end(), format!("), {line})"));
    }
}

/// Whether a condition that it is needs no look at tensors.
fn certain(expr: &Expr) -> bool {
    match expr {
        Expr::Compare(compare) => {
            compare.ops.iter().all(|op| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn))
        }
        _ => literal(expr),
    }
}

/// Whether evaluating it twice is the same as once.
fn repeatable(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_) => true,
        Expr::Attribute(attribute) => repeatable(&attribute.value),
        _ => false,
    }
}

fn operator(op: Operator) -> Option<&'static str> {
    Some(match op {
        Operator::Add => "add",
        Operator::Sub => "sub",
        Operator::Mult => "mul",
        Operator::Div => "truediv",
        Operator::MatMult => "matmul",
        Operator::Pow => "pow",
        Operator::FloorDiv => "floordiv",
        Operator::Mod => "mod",
        _ => return None,
    })
}

/// Whether it can be no tensor.
fn plain(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::StringLiteral(_)
            | Expr::FString(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::ListComp(_)
    )
}

fn literal(expr: &Expr) -> bool {
    matches!(expr, Expr::NumberLiteral(_)) || plain(expr)
}

impl<'a> Visitor<'a> for Editor<'a> {
    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let range = stmt.range();
        match stmt {
            _ if hosted(stmt) => self.replace(range, "pass"),
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Subscript(target)] => self.store(range, target, &assign.value, "set"),
                [Expr::Name(_) | Expr::Attribute(_)] => walk_stmt(self, stmt),
                _ if self.unpack(assign) => {}
                [Expr::Tuple(_) | Expr::List(_)] => self.iterated(&assign.value),
                _ => walk_stmt(self, stmt),
            },
            Stmt::If(choice) => {
                self.condition(&choice.test);
                self.visit_body(&choice.body);
                for clause in &choice.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.condition(test);
                    }
                    self.visit_body(&clause.body);
                }
            }
            Stmt::While(repeat) => {
                self.condition(&repeat.test);
                self.visit_body(&repeat.body);
                self.visit_body(&repeat.orelse);
            }
            Stmt::For(repeat) => {
                self.visit_expr(&repeat.target);
                self.iterated(&repeat.iter);
                self.visit_body(&repeat.body);
                self.visit_body(&repeat.orelse);
            }
            Stmt::Assert(assert) => {
                self.condition(&assert.test);
                if let Some(message) = &assert.msg {
                    self.visit_expr(message);
                }
            }
            Stmt::AugAssign(assign) => {
                let Some(name) = operator(assign.op) else { return walk_stmt(self, stmt) };
                match &*assign.target {
                    Expr::Subscript(target) => self.store(range, target, &assign.value, &format!("s{name}")),
                    target if repeatable(target) => {
                        let next = self.parsed.tokens().iter().find(|t| t.start() >= target.end());
                        let Some(op) = next.map(|t| t.range()) else { return };
                        let text = self.program.get(usize::from(target.start())..usize::from(target.end()));
                        self.replace(op, format!("= _rs_i{name}({}, ", text.unwrap_or_default()));
                        self.visit_expr(&assign.value);
                        self.ends(range);
                    }
                    _ => walk_stmt(self, stmt),
                }
            }
            Stmt::Delete(delete) => match delete.targets.as_slice() {
                [Expr::Subscript(target)] if !target.slice.is_slice_expr() => {
                    let close = TextRange::new(target.range.end() - TextSize::from(1), target.range.end());
                    let Some(open) = self.token(&[TokenKind::Lsqb], target.value.end(), target.range.end()) else {
                        return;
                    };
                    self.replace(TextRange::new(range.start(), target.range.start()), "_rs_del(");
                    self.visit_expr(&target.value);
                    self.replace(open, ", ");
                    self.visit_expr(&target.slice);
                    self.replace(close, ")");
                }
                targets if targets.iter().all(|t| t.is_name_expr()) => {
                    let names: Vec<&str> =
                        targets.iter().filter_map(Expr::as_name_expr).map(|n| n.id.as_str()).collect();
                    self.replace(range, format!("{} = None", names.join(" = ")));
                }
                _ => walk_stmt(self, stmt),
            },
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
        self.visit_expr(&comprehension.target);
        self.iterated(&comprehension.iter);
        for condition in &comprehension.ifs {
            self.condition(condition);
        }
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        let InterpolatedStringElement::Interpolation(part) = element else { return };
        if part.debug_text.is_some() {
            return;
        }
        let shown = part.format_spec.is_none() && part.conversion.is_none() && !literal(&part.expression);
        if shown {
            self.insert(part.expression.start(), "_rs_str(");
        }
        self.visit_expr(&part.expression);
        if shown {
            self.insert(part.expression.end(), ")");
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        let range = expr.range();
        if let Some(name) = self.host_name(expr) {
            self.replace(range, name);
            return;
        }
        match expr {
            Expr::BinOp(op) if !(plain(&op.left) || plain(&op.right) || literal(&op.left) && literal(&op.right)) => {
                let Some(name) = operator(op.op) else { return walk_expr(self, expr) };
                let kinds: Vec<TokenKind> = vec![
                    TokenKind::Plus,
                    TokenKind::Minus,
                    TokenKind::Star,
                    TokenKind::Slash,
                    TokenKind::At,
                    TokenKind::DoubleStar,
                    TokenKind::DoubleSlash,
                    TokenKind::Percent,
                ];
                let Some(sign) = self.token(&kinds, op.left.end(), op.right.start()) else { return };
                self.calls(range, name);
                self.visit_expr(&op.left);
                self.replace(sign, ",");
                self.visit_expr(&op.right);
                self.ends(range);
            }
            // Its value is one of its operands; only the last is never asked for its truth.
            Expr::BoolOp(op) => {
                let Some((last, first)) = op.values.split_last() else { return };
                for value in first {
                    if certain(value) {
                        self.visit_expr(value);
                    } else {
                        self.wrapped("operand", value);
                    }
                }
                self.visit_expr(last);
            }
            Expr::If(choice) => {
                self.visit_expr(&choice.body);
                self.condition(&choice.test);
                self.visit_expr(&choice.orelse);
            }
            Expr::UnaryOp(op) if op.op == UnaryOp::Not => self.condition(&op.operand),
            Expr::UnaryOp(op) if op.op == UnaryOp::USub && !literal(&op.operand) => {
                self.replace(TextRange::new(range.start(), range.start() + TextSize::from(1)), "_rs_neg(");
                self.visit_expr(&op.operand);
                self.ends(range);
            }
            Expr::Compare(compare) => {
                let ([op], [right]) = (&*compare.ops, &*compare.comparators) else { return walk_expr(self, expr) };
                let name = match op {
                    CmpOp::Lt => "lt",
                    CmpOp::Gt => "gt",
                    CmpOp::LtE => "le",
                    CmpOp::GtE => "ge",
                    CmpOp::Eq => "eq",
                    CmpOp::NotEq => "ne",
                    _ => return walk_expr(self, expr),
                };
                if plain(&compare.left) || plain(right) {
                    return walk_expr(self, expr);
                }
                let kinds = [
                    TokenKind::Less,
                    TokenKind::Greater,
                    TokenKind::LessEqual,
                    TokenKind::GreaterEqual,
                    TokenKind::EqEqual,
                    TokenKind::NotEqual,
                ];
                let Some(sign) = self.token(&kinds, compare.left.end(), right.start()) else { return };
                self.calls(range, name);
                self.visit_expr(&compare.left);
                self.replace(sign, ",");
                self.visit_expr(right);
                self.ends(range);
            }
            Expr::Subscript(subscript) if subscript.ctx == ExprContext::Load => self.subscript(subscript),
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load && &*attribute.attr == "T" => {
                self.visit_expr(&attribute.value);
                let line = self.line(attribute.attr.start());
                self.replace(attribute.attr.range(), format!("{}()", names::method("t", line)));
            }
            Expr::Call(call) => {
                match &*call.func {
                    Expr::Attribute(attribute)
                        if names::is_method(&attribute.attr)
                            && !self.bound.methods.contains(attribute.attr.as_str())
                            && !attribute
                                .value
                                .as_name_expr()
                                .is_some_and(|n| self.bound.imported.contains(n.id.as_str()))
                            && self.host_name(&call.func).is_none() =>
                    {
                        self.visit_expr(&attribute.value);
                        let line = self.line(attribute.attr.start());
                        self.replace(attribute.attr.range(), names::method(&attribute.attr, line));
                    }
                    func => self.visit_expr(func),
                }
                if call.func.as_name_expr().is_some_and(|n| n.id.as_str() == "sum") && !self.bound.names.contains("sum")
                {
                    self.insert(range.start(), "_rs_");
                }
                let builtin = call.func.as_name_expr().map(|n| n.id.as_str());
                let builtin = builtin.filter(|name| !self.bound.names.contains(*name)).unwrap_or_default();
                let print = builtin == "print";
                let takes = match builtin {
                    "list" | "tuple" | "enumerate" | "zip" | "reversed" | "sorted" | "sum" => Some("iter"),
                    "len" => Some("rows"),
                    "any" | "all" => Some("bools"),
                    "float" | "int" => Some("item"),
                    "bool" => Some("true"),
                    _ => None,
                };
                for (at, argument) in call.arguments.args.iter().enumerate() {
                    // What follows is where a sum starts, or an option.
                    if let Some(function) = takes.filter(|_| at == 0 || builtin == "zip") {
                        match argument {
                            // Each element is looked at as it comes.
                            Expr::Generator(ast::ExprGenerator { elt, generators, .. })
                            | Expr::ListComp(ast::ExprListComp { elt, generators, .. })
                                if function == "bools" =>
                            {
                                self.condition(elt);
                                generators.iter().for_each(|part| self.visit_comprehension(part));
                            }
                            Expr::List(_) if function == "bools" => self.wrapped(function, argument),
                            Expr::Generator(_) | Expr::Starred(_) => self.visit_expr(argument),
                            _ if literal(argument) => self.visit_expr(argument),
                            _ => self.wrapped(function, argument),
                        }
                        continue;
                    }
                    let shown = print && !literal(argument) && !argument.is_starred_expr();
                    if shown {
                        self.insert(argument.start(), "_rs_str(");
                    }
                    self.visit_expr(argument);
                    if shown {
                        self.insert(argument.end(), ")");
                    }
                }
                for keyword in &call.arguments.keywords {
                    self.visit_expr(&keyword.value);
                }
            }
            _ => walk_expr(self, expr),
        }
    }
}
