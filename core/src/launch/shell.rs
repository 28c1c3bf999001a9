//! As much of a shell as launch scripts use: words, quotes, variables, and the substitutions that name hosts.

use std::collections::BTreeMap;

/// A word as it is written, quotes and all, and the line where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub raw: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A command: its words.
pub type Command = Vec<Word>;

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its value.
    pub value: String,
    /// Whether programs that are started have it.
    pub exported: bool,
    /// The line where it was set; 0 where the script did not.
    pub line: usize,
}

/// What a shell knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Env {
    /// Its variables.
    pub variables: BTreeMap<String, Variable>,
    /// The host that it runs on.
    pub host: String,
    /// Every host of the job.
    pub hosts: Vec<String>,
}

impl Env {
    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<String>, exported: bool, line: usize) {
        let exported = exported || self.variables.get(name).is_some_and(|v| v.exported);
        self.variables.insert(name.to_owned(), Variable { value: value.into(), exported, line });
    }

    /// The value of a variable; empty if it has none.
    pub fn get(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", |v| v.value.as_str())
    }

    /// A variable as a program sees it.
    pub fn exported(&self, name: &str) -> Option<&str> {
        self.variables.get(name).filter(|v| v.exported).map(|v| v.value.as_str())
    }

    /// The line where a variable was set; 0 where it was not.
    pub fn line(&self, name: &str) -> usize {
        self.variables.get(name).map_or(0, |v| v.line)
    }

    /// What a program that is started here has.
    pub fn inherited(&self) -> Self {
        let variables =
            self.variables.iter().filter(|(_, v)| v.exported).map(|(n, v)| (n.clone(), v.clone())).collect();
        Self { variables, ..self.clone() }
    }
}

/// The commands of a script: continued lines are joined, comments are left out, and `;`, `&`, `|` and line ends part them.
pub fn commands(text: &str, first_line: usize) -> Vec<Command> {
    let mut all: Vec<Command> = Vec::new();
    let mut command: Command = Vec::new();
    let (mut word, mut begun) = (String::new(), 0);
    let (mut line, mut quote, mut depth) = (first_line, None, 0_u32);
    let mut chars = text.chars().peekable();
    let close = |word: &mut String, command: &mut Command, begun: usize| {
        if !word.is_empty() {
            command.push(Word { raw: std::mem::take(word), line: begun });
        }
    };
    while let Some(c) = chars.next() {
        if word.is_empty() {
            begun = line;
        }
        if c == '\n' {
            line += 1;
        }
        match (c, quote) {
            ('\\', None) if chars.peek() == Some(&'\n') => {
                chars.next();
                line += 1;
                if depth == 0 {
                    close(&mut word, &mut command, begun);
                }
            }
            ('\\', Some('"') | None) => {
                word.push(c);
                if let Some(next) = chars.next() {
                    line += usize::from(next == '\n');
                    word.push(next);
                }
            }
            (c, Some(open)) => {
                word.push(c);
                if c == open {
                    quote = None;
                }
            }
            ('\'' | '"', None) => {
                quote = Some(c);
                word.push(c);
            }
            ('(', None) if depth > 0 || word.ends_with('$') => {
                depth += 1;
                word.push(c);
            }
            (')', None) if depth > 0 => {
                depth -= 1;
                word.push(c);
            }
            (c, None) if depth > 0 => word.push(c),
            ('#', None) if word.is_empty() => {
                while chars.peek().is_some_and(|next| *next != '\n') {
                    chars.next();
                }
            }
            ('&', None) if word.ends_with('>') => word.push(c),
            ('\n' | ';' | '&' | '|', None) => {
                close(&mut word, &mut command, begun);
                if !command.is_empty() {
                    all.push(std::mem::take(&mut command));
                }
            }
            (c, None) if c.is_whitespace() => close(&mut word, &mut command, begun),
            (c, None) => word.push(c),
        }
    }
    close(&mut word, &mut command, begun);
    if !command.is_empty() {
        all.push(command);
    }
    all
}

/// A word without its quotes, its variables replaced.
pub fn expand(raw: &str, env: &Env) -> String {
    let mut out = String::new();
    let mut chars = raw.chars().peekable();
    let mut double = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => double = !double,
            '\'' if !double => out.extend(chars.by_ref().take_while(|c| *c != '\'')),
            '\\' => out.extend(chars.next().filter(|next| *next != '\n')),
            '$' => dollar(&mut chars, env, &mut out),
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn dollar(chars: &mut Chars<'_>, env: &Env, out: &mut String) {
    match chars.peek() {
        Some('(') => {
            chars.next();
            let inner = until_closed(chars, '(', ')');
            match inner.strip_prefix('(').and_then(|sum| sum.strip_suffix(')')) {
                Some(sum) => out.push_str(&arithmetic(sum, env)),
                None => out.push_str(&substitute(&inner, env)),
            }
        }
        Some('{') => {
            chars.next();
            let inner = until_closed(chars, '{', '}');
            let (name, default) = inner.split_once(":-").map_or((inner.as_str(), None), |(n, d)| (n, Some(d)));
            // An array of hosts, as scripts make of `scontrol show hostnames`: its first.
            let name = name.split('[').next().unwrap_or(name);
            match (env.get(name), default) {
                ("", Some(default)) => out.push_str(&expand(default, env)),
                (value, _) => out.push_str(value),
            }
        }
        Some(c) if c.is_ascii_alphabetic() || *c == '_' => {
            let mut name = String::new();
            while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
                name.push(c);
            }
            out.push_str(env.get(&name));
        }
        _ => out.push('$'),
    }
}

fn until_closed(chars: &mut Chars<'_>, open: char, close: char) -> String {
    let (mut inner, mut depth) = (String::new(), 0);
    for c in chars.by_ref() {
        if c == close && depth == 0 {
            break;
        }
        depth += i32::from(c == open) - i32::from(c == close);
        inner.push(c);
    }
    inner
}

/// `$((…))` of two numbers at most: what launch scripts multiply.
fn arithmetic(sum: &str, env: &Env) -> String {
    let value = |text: &str| -> Option<i64> {
        let text = expand(text.trim(), env);
        text.parse().ok().or_else(|| env.get(text.trim()).parse().ok())
    };
    for (sign, of) in [
        ('*', i64::checked_mul as fn(i64, i64) -> Option<i64>),
        ('+', i64::checked_add),
        ('-', i64::checked_sub),
        ('/', i64::checked_div),
    ] {
        if let Some((a, b)) = sum.split_once(sign) {
            return value(a).zip(value(b)).and_then(|(a, b)| of(a, b)).map_or_else(String::new, |n| n.to_string());
        }
    }
    value(sum).map_or_else(String::new, |n| n.to_string())
}

/// What a command prints, of those that name hosts; nothing for any other.
fn substitute(command: &str, env: &Env) -> String {
    let command = expand(command, env);
    let words: Vec<&str> = command.split_whitespace().collect();
    let first = env.hosts.first().map_or("", String::as_str);
    match words.as_slice() {
        ["scontrol", "show", "hostname" | "hostnames", rest @ ..] => {
            if rest.contains(&"head") {
                first.to_owned()
            } else {
                env.hosts.join(" ")
            }
        }
        ["hostname", ..] => env.host.clone(),
        ["echo", rest @ ..] => rest.join(" "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        let mut env = Env { host: "gpu02".into(), hosts: vec!["gpu01".into(), "gpu02".into()], ..Env::default() };
        env.set("N", "2", true, 1);
        env
    }

    #[test]
    fn words_keep_their_quotes_and_lines() {
        let all = commands("export A=1 # first\nsrun -n 2 \\\n  bash -c 'echo $N; x' | tee log\n", 1);
        let raw = |c: &Command| c.iter().map(|w| (w.raw.clone(), w.line)).collect::<Vec<_>>();
        assert_eq!(raw(&all[0]), [("export".into(), 1), ("A=1".into(), 1)]);
        assert_eq!(raw(&all[1])[3..], [("bash".into(), 3), ("-c".into(), 3), ("'echo $N; x'".into(), 3)]);
        assert_eq!(all[2][0].raw, "tee");
    }

    #[test]
    fn quotes_decide_where_a_variable_is_replaced() {
        for (raw, value) in [
            ("a$N", "a2"),
            ("\"${N}x\"", "2x"),
            ("'$N'", "$N"),
            ("${M:-7}", "7"),
            ("$(hostname -s)", "gpu02"),
            ("$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1):29500", "gpu01:29500"),
            ("$((N * 8))", "16"),
            ("$(( $N + 1 ))", "3"),
            ("$", "$"),
            ("\\$N", "$N"),
        ] {
            assert_eq!(expand(raw, &env()), value, "{raw}");
        }
    }
}
