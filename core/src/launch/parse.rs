//! A shell's text as commands: words with their quotes, lists, conditionals, and what only needs to be recognized.
//!
//! Everything here takes time in proportion to the text. Nothing is evaluated: that is [`super::shell`].

use std::sync::Arc;

/// Levels to which constructs may be nested.
pub const DEEPEST: usize = 40;

/// A word as it is written, quotes and all, and the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub raw: String,
    /// Its line, from 1.
    pub line: usize,
}

/// What joins a command to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// A line end or `;`.
    Then,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// `&`.
    Background,
}

/// A command with what it reads instead of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// Its words; those of redirections are not among them.
    pub words: Vec<Word>,
    /// The word behind `<` or `<<<`, and whether it is the text itself.
    pub input: Option<(Word, bool)>,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A command.
    Simple(Simple),
    /// `if`: conditions with what follows each, and what follows none.
    If(Vec<(Vec<Item>, Vec<Item>)>, Vec<Item>),
    /// `case`: its subject, and patterns with what follows each.
    Case(Word, Vec<(Vec<Word>, Vec<Item>)>),
    /// `{ … }`, or `( … )`, whose variables are its own.
    Group(Vec<Item>, bool),
    /// A function.
    Function(String, Arc<Vec<Item>>),
    /// A loop.
    Loop(Loop, Vec<Item>),
}

impl Step {
    /// What it may run: the bodies of branches, of a group, a loop or a function, without the conditions. A command has none.
    pub fn bodies(&self) -> Vec<&[Item]> {
        match self {
            Step::Simple(_) => Vec::new(),
            Step::If(arms, otherwise) => {
                arms.iter().map(|(_, body)| body).chain([otherwise]).map(Vec::as_slice).collect()
            }
            Step::Case(_, arms) => arms.iter().map(|(_, body)| body.as_slice()).collect(),
            Step::Group(body, _) | Step::Loop(_, body) => vec![body],
            Step::Function(_, body) => vec![body],
        }
    }
}

/// How a loop goes round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loop {
    /// The word that begins it.
    pub what: &'static str,
    /// The variable that it sets, or `((…))`; empty for none.
    pub name: String,
    /// The words behind `in`; none without it.
    pub words: Option<Vec<Word>>,
}

/// A step, its line, and what joins it to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What is done.
    pub step: Step,
    /// Its line.
    pub line: usize,
    /// What follows it.
    pub join: Join,
    /// Whether `!` stands before it.
    pub not: bool,
}

/// What a text says, as far as it could be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    /// Its steps.
    pub items: Vec<Item>,
    /// The first thing that could not be parsed: its line, and what is wrong.
    pub wrong: Option<(usize, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(Word),
    /// An operator, and its line.
    Op(&'static str, usize),
    /// A redirection: its operator.
    Redirect(&'static str, usize),
    /// The text of a here-document.
    Here(String, usize),
}

/// What a character stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// `"…"`.
    Quotes,
    /// `$(…)`, `(…)`.
    Parens,
    /// `${…}`.
    Braces,
    /// `` `…` ``.
    Ticks,
}

/// The place behind what began before `from`, whether it is closed, and how deep it goes.
pub fn behind(chars: &[char], from: usize, inside: Inside) -> (usize, bool, usize) {
    let (mut stack, mut i, mut deepest) = (vec![inside], from, 1);
    while let (Some(&c), Some(&top)) = (chars.get(i), stack.last()) {
        let next = chars.get(i + 1).copied();
        let push = match (c, next, top) {
            ('\\', ..) => {
                i += 2;
                continue;
            }
            ('"', _, Inside::Quotes)
            | (')', _, Inside::Parens)
            | ('}', _, Inside::Braces)
            | ('`', _, Inside::Ticks) => {
                stack.pop();
                None
            }
            ('\'', _, Inside::Parens | Inside::Ticks) => {
                i += 1;
                while chars.get(i).is_some_and(|c| *c != '\'') {
                    i += 1;
                }
                None
            }
            ('"', ..) => Some(Inside::Quotes),
            ('$', Some('('), _) => Some(Inside::Parens),
            ('$', Some('{'), _) => Some(Inside::Braces),
            ('`', ..) if !stack.contains(&Inside::Ticks) => Some(Inside::Ticks),
            ('(', _, Inside::Parens) => Some(Inside::Parens),
            ('#', _, Inside::Parens) if chars.get(i.wrapping_sub(1)).is_some_and(|c| c.is_whitespace()) => {
                while chars.get(i + 1).is_some_and(|c| *c != '\n') {
                    i += 1;
                }
                None
            }
            _ => None,
        };
        if let Some(push) = push {
            i += usize::from(c == '$');
            // Deeper levels are refused by who reads them; here they are only counted, up to a bound.
            if stack.len() <= 4 * DEEPEST {
                stack.push(push);
            }
            deepest = deepest.max(stack.len());
        }
        i += 1;
        if stack.is_empty() {
            return (i, true, deepest);
        }
    }
    (chars.len(), false, deepest)
}

const OPERATORS: [&str; 11] = [";;&", ";;", ";&", "&&", "||", "|&", "|", "&", ";", "(", ")"];
const REDIRECTS: [&str; 11] = ["<<<", "<<-", "<<", "<&", "<>", "<", "&>>", "&>", ">>", ">&", ">"];

struct Lexer {
    chars: Vec<char>,
    i: usize,
    line: usize,
    tokens: Vec<Token>,
    wrong: Option<(usize, String)>,
    /// Delimiters of here-documents that begin on the next line, and whether tabs before their lines count for nothing.
    pending: Vec<(String, bool)>,
    /// Whether it is between `[[` and `]]`.
    testing: bool,
}

impl Lexer {
    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(k, c)| self.chars.get(self.i + k) == Some(&c))
    }

    fn wrong(&mut self, line: usize, why: &str) {
        self.wrong.get_or_insert((line, why.to_owned()));
    }

    fn run(&mut self) {
        while let Some(&c) = self.chars.get(self.i) {
            match c {
                '\n' => {
                    if !self.testing {
                        self.tokens.push(Token::Op("\n", self.line));
                    }
                    self.i += 1;
                    self.line += 1;
                    self.here_documents();
                }
                '\\' if self.chars.get(self.i + 1) == Some(&'\n') => {
                    self.i += 2;
                    self.line += 1;
                }
                c if c.is_whitespace() => self.i += 1,
                '#' => {
                    while self.chars.get(self.i).is_some_and(|c| *c != '\n') {
                        self.i += 1;
                    }
                }
                '(' if self.starts("((") && self.at_command() => self.arithmetic(),
                _ if self.operator() => {}
                _ => self.word(),
            }
        }
    }

    /// Whether a command may begin here.
    fn at_command(&self) -> bool {
        match self.tokens.last() {
            None => true,
            Some(Token::Op(op, _)) => *op != ")",
            Some(Token::Word(word)) => {
                matches!(
                    word.raw.as_str(),
                    "if" | "elif" | "while" | "until" | "then" | "do" | "else" | "for" | "!" | "{"
                )
            }
            _ => false,
        }
    }

    /// `((…))` as one word.
    fn arithmetic(&mut self) {
        let line = self.line;
        let (end, closed, _) = behind(&self.chars, self.i + 1, Inside::Parens);
        self.take(end, line, closed);
    }

    /// Makes a word of all up to `end`.
    fn take(&mut self, end: usize, line: usize, closed: bool) {
        let raw: String = self.chars.get(self.i..end).unwrap_or_default().iter().collect();
        self.line += raw.matches('\n').count();
        self.i = end.max(self.i + 1);
        if !closed {
            self.wrong(line, "A quote or a bracket that begins here is not closed.");
        }
        self.tokens.push(Token::Word(Word { raw, line }));
    }

    fn operator(&mut self) -> bool {
        if self.starts("<(") || self.starts(">(") {
            return false;
        }
        let digits = self.chars.get(self.i..).unwrap_or_default().iter().take_while(|c| c.is_ascii_digit()).count();
        if digits > 0 && !self.chars.get(self.i + digits).is_some_and(|c| matches!(c, '<' | '>')) {
            return false;
        }
        let at = self.i;
        self.i += digits;
        if let Some(op) = REDIRECTS.into_iter().find(|op| self.starts(op)).filter(|_| !self.testing) {
            self.i += op.len();
            self.i += usize::from(op == ">" && self.starts("|"));
            self.tokens.push(Token::Redirect(op, self.line));
            return true;
        }
        self.i = at;
        let Some(op) = OPERATORS.into_iter().find(|op| self.starts(op)) else {
            if self.testing && (self.starts("<") || self.starts(">")) {
                self.take(self.i + 1, self.line, true);
                return true;
            }
            return false;
        };
        if self.testing && matches!(op, "&&" | "||" | "(" | ")") {
            self.take(self.i + op.len(), self.line, true);
            return true;
        }
        self.i += op.len();
        self.tokens.push(Token::Op(op, self.line));
        true
    }

    fn word(&mut self) {
        let (start, line) = (self.i, self.line);
        let (mut end, mut closed, mut deepest) = (self.i, true, 0);
        while let Some(&c) = self.chars.get(end) {
            let next = self.chars.get(end + 1).copied();
            let before = end.checked_sub(1).and_then(|b| self.chars.get(b)).copied().filter(|_| end > start);
            let inside = match (c, next) {
                ('\\', _) => {
                    end = (end + 2).min(self.chars.len());
                    continue;
                }
                ('\'', _) => {
                    end += 1;
                    while self.chars.get(end).is_some_and(|c| *c != '\'') {
                        end += 1;
                    }
                    closed &= end < self.chars.len();
                    end = (end + 1).min(self.chars.len());
                    continue;
                }
                ('"', _) => (1, Inside::Quotes),
                ('`', _) => (1, Inside::Ticks),
                ('$', Some('(')) => (2, Inside::Parens),
                ('$', Some('{')) => (2, Inside::Braces),
                // The list of an array, and a process as a file.
                ('(', _) if before == Some('=') => (1, Inside::Parens),
                ('<' | '>', Some('(')) if end == start => (2, Inside::Parens),
                (c, _) if c.is_whitespace() => break,
                (';' | '&' | '|' | '<' | '>' | '(' | ')', _) => break,
                _ => {
                    end += 1;
                    continue;
                }
            };
            let (behind, is_closed, depth) = behind(&self.chars, end + inside.0, inside.1);
            (end, closed, deepest) = (behind, closed && is_closed, deepest.max(depth));
        }
        if deepest > DEEPEST {
            self.wrong(line, "This is nested more than 40 levels deep.");
        }
        self.take(end, line, closed);
        let raw = self.tokens.last().map_or("", |token| if let Token::Word(w) = token { w.raw.as_str() } else { "" });
        let (opens, closes) = (raw == "[[", raw == "]]");
        let mut before = self.tokens.iter().rev().skip(1);
        match before.next() {
            Some(Token::Redirect(op @ ("<<" | "<<-"), _)) => {
                let name = raw.replace(['"', '\'', '\\'], "");
                self.pending.push((name, *op == "<<-"));
            }
            _ => self.testing = (self.testing || opens) && !closes,
        }
    }

    /// The here-documents that were announced on the line before.
    fn here_documents(&mut self) {
        for (name, tabs) in std::mem::take(&mut self.pending) {
            let (line, mut text, mut found) = (self.line, String::new(), false);
            while self.i < self.chars.len() && !found {
                let rest = self.chars.get(self.i..).unwrap_or_default();
                let content: String = rest.iter().take_while(|c| **c != '\n').collect();
                let ended = self.i + content.chars().count() < self.chars.len();
                self.i += content.chars().count() + usize::from(ended);
                self.line += usize::from(ended);
                let plain = if tabs { content.trim_start_matches('\t') } else { &content };
                found = plain == name;
                if !found {
                    text.push_str(plain);
                    text.push('\n');
                }
            }
            if !found {
                self.wrong(line, "A here-document that begins here has no end.");
            }
            self.tokens.push(Token::Here(text, line));
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    i: usize,
    depth: usize,
    wrong: Option<(usize, String)>,
}

impl Parser {
    fn keyword(&self) -> Option<&str> {
        match self.tokens.get(self.i) {
            Some(Token::Word(word)) => Some(&word.raw),
            _ => None,
        }
    }

    fn op(&self) -> Option<&'static str> {
        match self.tokens.get(self.i) {
            Some(Token::Op(op, _)) => Some(op),
            _ => None,
        }
    }

    fn line(&self) -> usize {
        match self.tokens.get(self.i).or(self.tokens.last()) {
            Some(Token::Word(word)) => word.line,
            Some(Token::Op(_, line) | Token::Redirect(_, line) | Token::Here(_, line)) => *line,
            None => 1,
        }
    }

    fn wrong(&mut self, line: usize, why: String) {
        self.wrong.get_or_insert((line, why));
    }

    /// Passes a word that must come, of what began on `line`.
    fn expect(&mut self, word: &str, line: usize, what: &str) {
        if self.keyword() == Some(word) || self.op() == Some(word) {
            self.i += 1;
        } else {
            self.wrong(line, format!("“{what}” begins here, and its “{word}” does not come."));
        }
    }

    fn separators(&mut self) {
        while matches!(self.op(), Some("\n" | ";")) || matches!(self.tokens.get(self.i), Some(Token::Here(..))) {
            self.i += 1;
        }
    }

    /// Commands up to one of these words, which is left.
    fn list(&mut self, until: &[&str]) -> Vec<Item> {
        let mut items = Vec::new();
        self.depth += 1;
        loop {
            self.separators();
            if self.i >= self.tokens.len() {
                break;
            }
            let here = self.keyword().or(self.op()).unwrap_or("");
            if until.contains(&here) {
                break;
            }
            if self.depth > DEEPEST {
                let line = self.line();
                self.wrong(line, "This is nested more than 40 levels deep.".to_owned());
                self.i = self.tokens.len();
                break;
            }
            let line = self.line();
            let mut not = false;
            while self.keyword() == Some("!") {
                not = !not;
                self.i += 1;
            }
            let before = self.i;
            let step = self.step(line);
            let nothing = self.i == before;
            let join = match self.op() {
                Some("&&") => Join::And,
                Some("||") => Join::Or,
                Some("|" | "|&") => Join::Pipe,
                Some("&") => Join::Background,
                _ => Join::Then,
            };
            self.i += usize::from(join != Join::Then);
            if let Some(step) = step {
                items.push(Item { step, line, join, not });
            }
            if nothing {
                // An operator where none may stand.
                self.wrong(line, "A command is missing here.".to_owned());
                self.i += usize::from(self.i == before);
            }
        }
        self.depth -= 1;
        items
    }

    fn step(&mut self, line: usize) -> Option<Step> {
        let word = self.keyword().unwrap_or("").to_owned();
        let step = match word.as_str() {
            "if" => {
                let (mut arms, mut otherwise) = (Vec::new(), Vec::new());
                let mut begun = true;
                while begun {
                    self.i += 1;
                    let condition = self.list(&["then", "fi"]);
                    self.expect("then", line, "if");
                    let body = self.list(&["elif", "else", "fi"]);
                    arms.push((condition, body));
                    begun = self.keyword() == Some("elif");
                }
                if self.keyword() == Some("else") {
                    self.i += 1;
                    otherwise = self.list(&["fi"]);
                }
                self.expect("fi", line, "if");
                Step::If(arms, otherwise)
            }
            "for" | "select" | "while" | "until" => {
                self.i += 1;
                let what = match word.as_str() {
                    "for" => "for",
                    "select" => "select",
                    "while" => "while",
                    _ => "until",
                };
                let name = if matches!(what, "for" | "select") {
                    self.keyword().unwrap_or("").to_owned()
                } else {
                    String::new()
                };
                let mut words = None;
                let mut body = if name.is_empty() { self.list(&["do", "done"]) } else { Vec::new() };
                while !name.is_empty() && self.i < self.tokens.len() && self.keyword() != Some("do") {
                    if let Some(Token::Word(word)) = self.tokens.get(self.i) {
                        match &mut words {
                            None if word.raw == "in" => words = Some(Vec::new()),
                            None => {}
                            Some(words) => words.push(word.clone()),
                        }
                    }
                    self.i += 1;
                }
                self.expect("do", line, what);
                body.extend(self.list(&["done"]));
                self.expect("done", line, what);
                Step::Loop(Loop { what, name, words }, body)
            }
            "case" => self.case(line)?,
            "{" => {
                self.i += 1;
                let body = self.list(&["}"]);
                self.expect("}", line, "{");
                Step::Group(body, false)
            }
            "function" => {
                self.i += 1;
                let name = self.keyword().unwrap_or("").to_owned();
                self.i += 1;
                self.function(name)
            }
            _ if self.op() == Some("(") => {
                self.i += 1;
                let body = self.list(&[")"]);
                self.expect(")", line, "(");
                Step::Group(body, true)
            }
            _ if matches!(self.tokens.get(self.i + 1), Some(Token::Op("(", _)))
                && matches!(self.tokens.get(self.i + 2), Some(Token::Op(")", _))) =>
            {
                self.i += 1;
                self.function(word)
            }
            _ => return self.simple().map(Step::Simple),
        };
        // What it writes to does not matter.
        while matches!(self.tokens.get(self.i), Some(Token::Redirect(..))) {
            self.i += 1;
            self.i += usize::from(self.keyword().is_some());
        }
        Some(step)
    }

    fn function(&mut self, name: String) -> Step {
        while matches!(self.op(), Some("(" | ")" | "\n")) {
            self.i += 1;
        }
        let line = self.line();
        self.expect("{", line, &name);
        let body = self.list(&["}"]);
        self.expect("}", line, &name);
        Step::Function(name, Arc::new(body))
    }

    fn case(&mut self, line: usize) -> Option<Step> {
        self.i += 1;
        let Some(Token::Word(subject)) = self.tokens.get(self.i).cloned() else {
            self.wrong(line, "“case” has nothing to compare.".to_owned());
            return None;
        };
        self.i += 1;
        self.separators();
        self.expect("in", line, "case");
        let mut arms = Vec::new();
        loop {
            self.separators();
            if self.i >= self.tokens.len() || self.keyword() == Some("esac") {
                break;
            }
            let mut patterns = Vec::new();
            while self.i < self.tokens.len() && self.op() != Some(")") {
                if let Some(Token::Word(word)) = self.tokens.get(self.i) {
                    patterns.push(word.clone());
                }
                self.i += 1;
            }
            self.i += 1;
            let body = self.list(&[";;", ";&", ";;&", "esac"]);
            self.i += usize::from(self.keyword() != Some("esac"));
            arms.push((patterns, body));
        }
        self.expect("esac", line, "case");
        Some(Step::Case(subject, arms))
    }

    fn simple(&mut self) -> Option<Simple> {
        let mut command = Simple::default();
        loop {
            match self.tokens.get(self.i) {
                Some(Token::Word(word)) => command.words.push(word.clone()),
                Some(Token::Redirect(op, _)) => {
                    self.i += 1;
                    if let Some(Token::Word(word)) = self.tokens.get(self.i)
                        && matches!(*op, "<" | "<<<")
                    {
                        command.input = Some((word.clone(), *op == "<<<"));
                    }
                }
                _ => break,
            }
            self.i += 1;
        }
        (!command.words.is_empty() || command.input.is_some()).then_some(command)
    }
}

/// The steps of a text whose first line has this number.
pub fn parse(text: &str, first_line: usize) -> Parsed {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        i: 0,
        line: first_line,
        tokens: Vec::new(),
        wrong: None,
        pending: Vec::new(),
        testing: false,
    };
    lexer.run();
    let mut parser = Parser { tokens: lexer.tokens, i: 0, depth: 0, wrong: lexer.wrong };
    let items = parser.list(&[]);
    Parsed { items, wrong: parser.wrong }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(item: &Item) -> Vec<(&str, usize)> {
        match &item.step {
            Step::Simple(simple) => simple.words.iter().map(|w| (w.raw.as_str(), w.line)).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_keep_their_quotes_and_lines() {
        let all = parse("export A=1 # first\nsrun -n 2 \\\n  bash -c 'echo $N; x' 2>&1 | tee log\n", 1).items;
        assert_eq!(words(&all[0]), [("export", 1), ("A=1", 1)]);
        assert_eq!(words(&all[1])[3..], [("bash", 3), ("-c", 3), ("'echo $N; x'", 3)]);
        assert_eq!((all[1].join, words(&all[2])[0]), (Join::Pipe, ("tee", 3)));
    }

    #[test]
    fn constructs_are_told_apart() {
        let text = "nodes=( $(scontrol show hostnames \"$A\") )\nif [[ -z $A && $B == 1 ]]; then\n x\nelif ((A > 1)); then y; fi\n\
                    f() { z; }\ncase $A in a|b) c;; *) d ;; esac\nfor i in 1 2; do e; done > log\ncat <<EOF > f\nsrun $X\nEOF\n(a; b) && ! c\n";
        let parsed = parse(text, 1);
        assert_eq!(parsed.wrong, None);
        let kinds: Vec<&str> = parsed
            .items
            .iter()
            .map(|item| match &item.step {
                Step::Simple(_) => "simple",
                Step::If(arms, _) if arms.len() == 2 => "if",
                Step::Case(_, arms) if arms.len() == 2 => "case",
                Step::Group(_, true) => "group",
                Step::Function(..) => "function",
                Step::Loop(Loop { what: "for", name, words: Some(words) }, _) if name == "i" && words.len() == 2 => {
                    "for"
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(kinds, ["simple", "if", "function", "case", "for", "simple", "group", "simple"]);
        assert!(parsed.items[7].not);
    }

    #[test]
    fn what_is_cut_off_is_noticed() {
        for text in [
            "echo \"a",
            "if true; then",
            "x=$(a",
            "for i in 1",
            "cat <<EOF\na",
            "case a in",
            "f() {",
            "a && && b",
            "`a",
        ] {
            assert!(parse(text, 1).wrong.is_some(), "{text}");
        }
        assert!(parse(&format!("srun echo {} torchrun", "$(".repeat(6000)), 1).wrong.is_some());
        assert!(parse(&"if true; then\n".repeat(6000), 1).wrong.is_some());
    }
}
