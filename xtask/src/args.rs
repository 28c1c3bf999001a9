//! Command lines: flags are declared, so that help, parsing and "did you mean" follow from one list.

use std::collections::BTreeMap;

use xtask::failure::{Failure, Result};

/// A flag of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag {
    /// With its dashes.
    pub(crate) name: &'static str,
    /// What its value is, for help; empty if it takes none.
    pub(crate) value: &'static str,
    /// One line.
    pub(crate) help: &'static str,
}

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    /// As typed.
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// What it accepts.
    pub(crate) flags: &'static [Flag],
    /// Runs it.
    pub(crate) run: fn(&Options) -> Result<()>,
}

/// The flags that were given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options(BTreeMap<&'static str, String>);

impl Options {
    /// Whether a flag was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A flag's value.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// `; did you mean “serve”?`, where one of the names is a slip away.
pub(crate) fn did_you_mean(given: &str, names: &[&str]) -> String {
    let near = names.iter().map(|name| (strsim::damerau_levenshtein(given, name), name)).min();
    near.filter(|(slips, _)| *slips <= 2).map(|(_, name)| format!("; did you mean “{name}”?")).unwrap_or_default()
}

/// The command called `name`.
pub(crate) fn find<'a>(commands: &'a [Command], name: &str) -> Result<&'a Command> {
    commands.iter().find(|c| c.name == name).ok_or_else(|| {
        let names: Vec<&str> = commands.iter().map(|c| c.name).collect();
        let hint = did_you_mean(name, &names);
        Failure::usage(format!("there is no command “{name}”{hint}. `cargo xtask help` lists them."))
    })
}

/// Reads the arguments of `command`: `--flag`, `--flag value` or `--flag=value`; the last one wins.
pub(crate) fn parse(command: &Command, given: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = given.iter();
    while let Some(argument) = rest.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let Some(flag) = command.flags.iter().find(|f| f.name == name) else {
            let names: Vec<&str> = command.flags.iter().map(|f| f.name).collect();
            let hint = did_you_mean(name, &names);
            return Err(Failure::usage(format!(
                "`cargo xtask {0}` takes no “{name}”{hint}. `cargo xtask help {0}` lists what it takes.",
                command.name
            )));
        };
        let value = match (flag.value.is_empty(), inline) {
            (true, None) => String::new(),
            (true, Some(_)) => return Err(Failure::usage(format!("{name} takes no value."))),
            (false, Some(value)) => value,
            (false, None) => rest
                .next()
                .filter(|next| !next.starts_with("--"))
                .cloned()
                .ok_or_else(|| Failure::usage(format!("{name} needs a value: {name} {}", flag.value)))?,
        };
        options.0.insert(flag.name, value);
    }
    Ok(options)
}

/// Help on one command.
pub(crate) fn usage(command: &Command) -> String {
    let mut text = format!("cargo xtask {}: {}\n", command.name, command.summary);
    for flag in command.flags {
        let left = format!("{} {}", flag.name, flag.value);
        text.push_str(&format!("  {left:<24} {}\n", flag.help));
    }
    text
}

/// The list of commands.
pub(crate) fn overview(commands: &[Command]) -> String {
    let mut text = String::from("cargo xtask <command>; `cargo xtask help <command>` says what it takes\n\n");
    for command in commands {
        text.push_str(&format!("  {:<8} {}\n", command.name, command.summary));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVE: Command = Command {
        name: "serve",
        summary: "",
        flags: &[Flag { name: "--port", value: "<n>", help: "" }, Flag { name: "--open", value: "", help: "" }],
        run: |_| Ok(()),
    };

    fn read(given: &[&str]) -> Result<Options> {
        parse(&SERVE, &given.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn flags_are_read_in_both_spellings() {
        let options = read(&["--port", "81", "--open"]).expect("valid");
        assert_eq!(options.value("--port"), Some("81"));
        assert!(options.has("--open"));
        assert_eq!(read(&["--port=81", "--open"]).expect("valid"), options);
    }

    #[test]
    fn mistakes_are_named_with_what_was_meant() {
        for (given, part) in [
            (&["--prot", "80"][..], "did you mean “--port”"),
            (&["--port"], "--port needs a value"),
            (&["--port", "--open"], "--port needs a value"),
            (&["--open=1"], "--open takes no value"),
            (&["extra"], "takes no “extra”"),
        ] {
            let failure = read(given).expect_err("invalid");
            assert_eq!(failure.code, 2);
            assert!(failure.message.contains(part), "{}", failure.message);
        }
        let failure = find(&[SERVE], "sevre").expect_err("unknown");
        assert!(failure.message.contains("did you mean “serve”"), "{}", failure.message);
    }
}
