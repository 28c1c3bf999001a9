//! What is explored in a figure, as one parameter of its link.
//!
//! `explore=tool:solve*param:dp*limit:80~20GB**dp:8**dp:16`: what is set, then each kept state by what differs from the defaults.

use super::Relation;
use crate::catalogue::Entry;
use crate::options;
use crate::query::{Query, shorten};

/// The name in a figure's query. It belongs to no model.
pub const EXPLORE: &str = "explore";
/// The most states that are kept.
pub const MOST_KEPT: usize = 4;
/// The longest text that is read, in bytes.
const LONGEST: usize = 6000;

/// What is asked of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// How states differ.
    #[default]
    Compare,
    /// Which setting meets a limit.
    Solve,
    /// What drives a quantity.
    Drivers,
}

options!(Tool {
    Compare: "compare", "Compare";
    Solve: "solve", "Solve for";
    Drivers: "drivers", "What drives it?";
});

/// What is explored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explored {
    /// What is asked.
    pub tool: Tool,
    /// The parameter to solve for; empty for the first.
    pub param: String,
    /// The second parameter of a map; empty for no map.
    pub with: String,
    /// The quantity; empty for the first.
    pub quantity: String,
    /// How it has to stand to the limit.
    pub relation: Relation,
    /// The limit, as it was typed.
    pub limit: String,
    /// Whether the drawings of kept states are shown.
    pub drawings: bool,
    /// The states that are kept, at most [`MOST_KEPT`].
    pub kept: Vec<Query>,
}

impl Explored {
    /// What a figure's query says; none where nothing is explored. What cannot be read has its default.
    pub fn of(query: &Query) -> Option<Self> {
        let text = query.get(EXPLORE).filter(|text| text.len() <= LONGEST)?;
        let mut parts = text.split("**");
        let set = pairs(parts.next().unwrap_or_default());
        let get = |name: &str| set.get(name).unwrap_or_default().to_owned();
        Some(Self {
            tool: Tool::find(&get("tool")).unwrap_or_default(),
            param: get("param"),
            with: get("with"),
            quantity: get("quantity"),
            relation: Relation::find(&get("relation")).unwrap_or_default(),
            limit: get("limit"),
            drawings: get("drawings") == "true",
            kept: parts.take(MOST_KEPT).map(pairs).collect(),
        })
    }

    /// As the parameter has it.
    pub fn write(&self) -> String {
        let set = [
            ("tool", self.tool.id()),
            ("param", &self.param),
            ("with", &self.with),
            ("quantity", &self.quantity),
            ("relation", if self.relation == Relation::default() { "" } else { self.relation.id() }),
            ("limit", &self.limit),
            ("drawings", if self.drawings { "true" } else { "" }),
        ];
        let set = Query::new(set.into_iter().filter(|(_, value)| !value.is_empty()));
        [&set].into_iter().chain(&self.kept).map(text).collect::<Vec<_>>().join("**")
    }

    /// Put into a figure's query; none takes it out.
    pub fn put(this: Option<&Self>, query: &Query) -> Query {
        let bare = query.without(EXPLORE);
        match this {
            Some(explored) => bare.with(&Query::new([(EXPLORE, explored.write())])),
            None => bare,
        }
    }

    /// What of it the figure does not have, each a sentence; its default is used.
    pub fn problems(&self, entry: &Entry) -> Vec<String> {
        let params = [&self.param, &self.with].into_iter().filter(|name| !name.is_empty());
        let axes = super::axes(entry);
        let unknown = params.filter(|name| !axes.iter().any(|axis| axis.name() == name.as_str()));
        let param =
            |name: &String| format!("This figure has no control called “{}”. Choose one of the list.", shorten(name));
        let quantity =
            (!self.quantity.is_empty() && !entry.quantities().any(|(id, ..)| id == self.quantity)).then(|| {
                format!("This figure has no number called “{}”. Choose one of the list.", shorten(&self.quantity))
            });
        unknown.map(param).chain(quantity).collect()
    }

    /// Keeps a state.
    ///
    /// # Errors
    /// Why it is not kept, and what to do: a sentence.
    pub fn keep(&mut self, entry: &Entry, query: &Query) -> Result<(), String> {
        let state = shortest(entry, query);
        if self.kept.contains(&state) {
            return Err("This state is kept already.".to_owned());
        }
        if self.kept.len() >= MOST_KEPT {
            return Err(format!("{MOST_KEPT} states are kept. Remove one first."));
        }
        self.kept.push(state);
        if self.write().len() > LONGEST {
            self.kept.pop();
            return Err("This state is too long for a link. Remove a kept state first.".to_owned());
        }
        Ok(())
    }
}

/// `to` with what is explored in `from`, unless it says that itself.
pub fn carried(from: &Query, to: Query) -> Query {
    match (from.get(EXPLORE), to.get(EXPLORE)) {
        (Some(explored), None) => to.with(&Query::new([(EXPLORE, explored)])),
        _ => to,
    }
}

/// A state by what differs from the defaults, if that reads back to it.
fn shortest(entry: &Entry, query: &Query) -> Query {
    let whole = (entry.read)(query).0;
    let differs = |(name, value): &(&str, &str)| entry.param(name).is_none_or(|param| !param.spec.is_default(value));
    let short = Query::new(whole.iter().filter(differs));
    if (entry.read)(&short).0 == whole { short } else { whole }
}

/// Pairs as `name:value*name:value`.
fn text(query: &Query) -> String {
    let pairs: Vec<String> =
        query.iter().map(|(name, value)| format!("{}:{}", escaped(name), escaped(value))).collect();
    pairs.join("*")
}

fn pairs(text: &str) -> Query {
    let pairs = text.split('*').filter_map(|pair| pair.split_once(':'));
    Query::new(pairs.map(|(name, value)| (plain(name), plain(value))))
}

/// With `~` and two hexadecimal digits for what separates, and for what a link would escape a second time.
fn escaped(text: &str) -> String {
    let one = |byte: u8| {
        if byte.is_ascii_alphanumeric() || b"-_.,/".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("~{byte:02X}")
        }
    };
    text.bytes().map(one).collect()
}

fn plain(text: &str) -> String {
    let escaped = Query::parse(&format!(
        "x={}",
        text.replace('%', "%25").replace('+', "%2B").replace('&', "%26").replace('~', "%")
    ));
    escaped.get("x").unwrap_or_default().to_owned()
}
