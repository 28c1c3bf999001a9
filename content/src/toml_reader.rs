//! TOML read key by key: what is there is used, what is missing, unknown or of the wrong type is reported at its line.
//!
//! Serde would stop at the first mistake and hide the rest of the table; here a table with three mistakes has three
//! diagnostics and still yields its other keys.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::diagnostic::Sink;
use crate::source::{Located, Spot};

/// A parsed text.
pub(crate) struct Document<'a, 't> {
    text: &'t Located<'a>,
    root: Spanned<DeTable<'t>>,
    sink: &'t Sink,
}

impl<'a, 't> Document<'a, 't> {
    /// Parses as much as can be parsed.
    pub(crate) fn parse(text: &'t Located<'a>, sink: &'t Sink) -> Self {
        let (root, errors) = DeTable::parse_recoverable(&text.text);
        // Whatever is said after the first may only follow from it.
        if let Some(error) = errors.first() {
            let at = error.span().map_or(0, |s| s.start);
            let message = format!("This is not TOML: {}.", error.message().replace('\n', "; "));
            if text.file.path.ends_with(".toml") {
                sink.report_cut(text.spot(at), &message);
            } else {
                sink.report(text.spot(at), message);
            }
        }
        Self { text, root, sink }
    }

    /// Calls `look` with every string in it.
    pub(crate) fn each_string(&self, look: &mut dyn FnMut(&Located<'a>)) {
        for value in self.root.get_ref().values() {
            strings(self.text, value, look);
        }
    }

    /// Its top-level table.
    pub(crate) fn root(&self) -> Table<'a, '_> {
        Table {
            text: self.text,
            sink: self.sink,
            table: self.root.get_ref(),
            at: self.root.span(),
            used: BTreeSet::new(),
        }
    }
}

/// A table whose keys are read one by one. Call [`Table::finish`] when all have been.
pub(crate) struct Table<'a, 't> {
    text: &'t Located<'a>,
    sink: &'t Sink,
    table: &'t DeTable<'t>,
    at: Range<usize>,
    used: BTreeSet<&'static str>,
}

impl<'a, 't> Table<'a, 't> {
    /// Where it stands.
    pub(crate) fn spot(&self) -> Spot<'a> {
        self.text.spot(self.at.start)
    }

    /// Where the value of `key` stands, or else the table.
    pub(crate) fn spot_of(&self, key: &str) -> Spot<'a> {
        self.table.get(key).map_or(self.spot(), |v| self.text.spot(v.span().start))
    }

    /// Where the nth item of the list `key` stands, or its value of `part`, if it is a table that has one.
    pub(crate) fn spot_in(&self, key: &str, n: usize, part: &str) -> Option<Spot<'a>> {
        let item = self.table.get(key)?.get_ref().as_array()?.get(n)?;
        Some(match item.get_ref() {
            DeValue::String(text) => self.text.denoted(item.span(), text).spot(0),
            DeValue::Table(table) => self.text.spot(table.get(part).unwrap_or(item).span().start),
            _ => self.text.spot(item.span().start),
        })
    }

    /// Every key and value, for a table with free names.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &'t DeValue<'t>, Spot<'a>)> {
        self.table.iter().map(|(k, v)| (k.get_ref().as_ref(), v.get_ref(), self.text.spot(k.span().start)))
    }

    /// All of it as a type of its own. Every unknown key is reported and left out; anything else that is wrong is
    /// reported and yields nothing.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Option<T> {
        let mut table = self.table.clone();
        loop {
            let value = Spanned::new(self.at.clone(), DeValue::Table(table.clone()));
            let error = match T::deserialize(ValueDeserializer::from(value)) {
                Ok(value) => return Some(value),
                Err(error) => error,
            };
            let message = error.message();
            let mut quoted = message.split('`').skip(1).step_by(2);
            let name = quoted.next().unwrap_or_default();
            if message.starts_with("unknown field")
                && let Some(at) = remove(&mut table, name)
            {
                let options: Vec<&str> = quoted.collect();
                let message = format!("There is no key `{name}` here.");
                self.sink.report_near(self.text.spot(at), message, name, &options);
                continue;
            }
            let at = error.span().map_or(self.at.start, |s| s.start);
            let spot = self.text.spot(at);
            if message.starts_with("missing field") {
                let keys: Vec<&str> = self.table.keys().map(|k| k.get_ref().as_ref()).collect();
                let near = keys.iter().find(|key| !ringside_core::query::did_you_mean(key, &[name]).is_empty());
                match near.and_then(|near| self.table.get_key_value(*near)) {
                    Some((key, _)) => {
                        let message = format!("There is no key `{}` here, and `{name}` is missing.", key.get_ref());
                        self.sink.report_near(self.text.spot(key.span().start), message, key.get_ref(), &[name]);
                    }
                    None => self.sink.report(spot, format!("`{name}` is missing here.")),
                }
            } else if message.starts_with("unknown variant") {
                let options: Vec<&str> = quoted.collect();
                let spot = find_value(self.table, name).map_or(spot, |at| self.text.spot(at));
                let message = format!("“{name}” is not one of {}.", options.join(", "));
                self.sink.report_near(spot, message, name, &options);
            } else {
                self.sink.report(spot, format!("This cannot be read: {}.", message.replace('\n', "; ")));
            }
            return None;
        }
    }

    fn get(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.used.insert(key);
        self.table.get(key)
    }

    fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, expected: &str) {
        let found = value.get_ref().type_str();
        self.sink.report(
            self.text.spot(value.span().start),
            format!("`{key}` must be {expected}, not {}.", with_article(found)),
        );
    }

    fn missing(&self, key: &str, expected: &str) {
        self.sink.report(self.spot(), format!("`{key}` is missing here; it must be {expected}."));
    }

    /// A string that may be left out.
    pub(crate) fn optional_text(&mut self, key: &'static str) -> Option<Located<'a>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::String(s) => Some(self.text.denoted(value.span(), s)),
            _ => {
                self.wrong(value, key, "a string");
                None
            }
        }
    }

    /// A string that must be there and not be blank.
    pub(crate) fn text(&mut self, key: &'static str) -> Located<'a> {
        if !self.table.contains_key(key) {
            self.missing(key, "a string");
        }
        match self.optional_text(key) {
            Some(text) => {
                if text.text.trim().is_empty() {
                    self.sink.report(text.spot(0), format!("`{key}` must not be empty."));
                }
                text
            }
            None => self.text.denoted(self.at.clone(), ""),
        }
    }

    /// Like [`Table::text`], without its place.
    pub(crate) fn string(&mut self, key: &'static str) -> String {
        self.text(key).text
    }

    /// A string that may be left out, without its place.
    pub(crate) fn optional_string(&mut self, key: &'static str) -> Option<String> {
        self.optional_text(key).map(|t| t.text)
    }

    /// `true` or `false`; `false` if left out.
    pub(crate) fn flag(&mut self, key: &'static str) -> bool {
        match self.get(key).map(|value| (value, value.get_ref())) {
            None => false,
            Some((_, DeValue::Boolean(flag))) => *flag,
            Some((value, _)) => {
                self.wrong(value, key, "true or false");
                false
            }
        }
    }

    /// A whole number that may be left out.
    pub(crate) fn optional_number(&mut self, key: &'static str, valid: RangeInclusive<u64>) -> Option<u64> {
        let value = self.get(key)?;
        let expected = || format!("a whole number from {} to {}", valid.start(), valid.end());
        match whole(value.get_ref()) {
            Some(n) if valid.contains(&n) => Some(n),
            Some(n) => {
                let spot = self.text.spot(value.span().start);
                self.sink.report(spot, format!("`{key}` must be {}, not {n}.", expected()));
                None
            }
            None => {
                self.wrong(value, key, &expected());
                None
            }
        }
    }

    /// A whole number that must be there.
    pub(crate) fn number(&mut self, key: &'static str, valid: RangeInclusive<u64>) -> u64 {
        if !self.table.contains_key(key) {
            self.missing(key, &format!("a whole number from {} to {}", valid.start(), valid.end()));
        }
        let least = *valid.start();
        self.optional_number(key, valid).unwrap_or(least)
    }

    fn list(&mut self, key: &'static str) -> &'t [Spanned<DeValue<'t>>] {
        let Some(value) = self.get(key) else { return &[] };
        match value.get_ref() {
            DeValue::Array(items) => items,
            _ => {
                self.wrong(value, key, "a list");
                &[]
            }
        }
    }

    /// A list of strings, each with its place; empty if left out.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<Located<'a>> {
        let mut texts = Vec::new();
        for item in self.list(key) {
            match item.get_ref() {
                DeValue::String(s) => texts.push(self.text.denoted(item.span(), s)),
                _ => self.wrong(item, key, "a list of strings"),
            }
        }
        texts
    }

    /// A list of whole numbers, each with its place; empty if left out.
    pub(crate) fn numbers(&mut self, key: &'static str) -> Vec<(u64, Spot<'a>)> {
        let mut numbers = Vec::new();
        for item in self.list(key) {
            match whole(item.get_ref()) {
                Some(n) => numbers.push((n, self.text.spot(item.span().start))),
                None => self.wrong(item, key, "a list of whole numbers"),
            }
        }
        numbers
    }

    /// A list of tables (`[[key]]`, or inline); empty if left out.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<Table<'a, 't>> {
        let mut tables = Vec::new();
        for item in self.list(key) {
            match item.get_ref() {
                DeValue::Table(table) => tables.push(Table {
                    text: self.text,
                    sink: self.sink,
                    table,
                    at: item.span(),
                    used: BTreeSet::new(),
                }),
                _ => self.wrong(item, key, "a list of tables"),
            }
        }
        tables
    }

    /// Reports the keys that nobody asked for.
    pub(crate) fn finish(self) {
        let known: Vec<&str> = self.used.iter().copied().collect();
        for key in self.table.keys().filter(|k| !known.contains(&k.get_ref().as_ref())) {
            let name = key.get_ref();
            let message = format!("There is no key `{name}` here; the keys are {}.", known.join(", "));
            self.sink.report_near(self.text.spot(key.span().start), message, name, &known);
        }
    }
}

fn strings<'a>(text: &Located<'a>, value: &Spanned<DeValue<'_>>, look: &mut dyn FnMut(&Located<'a>)) {
    match value.get_ref() {
        DeValue::String(string) => look(&text.denoted(value.span(), string)),
        DeValue::Array(items) => items.iter().for_each(|item| strings(text, item, look)),
        DeValue::Table(table) => table.values().for_each(|item| strings(text, item, look)),
        _ => {}
    }
}

/// Takes the first key of this name out of a table or the tables in it: where it stood.
fn remove(table: &mut DeTable<'_>, name: &str) -> Option<usize> {
    let at = table.keys().find(|k| k.get_ref() == name).map(|k| k.span().start);
    if at.is_some() {
        table.remove(name);
        return at;
    }
    table.iter_mut().find_map(|(_, value)| match value.get_mut() {
        DeValue::Table(inner) => remove(inner, name),
        DeValue::Array(items) => items.iter_mut().find_map(|item| match item.get_mut() {
            DeValue::Table(inner) => remove(inner, name),
            _ => None,
        }),
        _ => None,
    })
}

/// Where a table has the string `text` as a value.
fn find_value(table: &DeTable<'_>, text: &str) -> Option<usize> {
    table.values().find(|v| v.get_ref().as_str() == Some(text)).map(|v| v.span().start)
}

fn whole(value: &DeValue<'_>) -> Option<u64> {
    value.as_integer().and_then(|i| u64::from_str_radix(i.as_str(), i.radix()).ok())
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}
