//! Numbers that a link gives: `?seed=7#exercise-zero-2` shows everyone who follows it the same ones.

use leptos::prelude::*;
use ringside_content::language::Lang;
use ringside_core::exercise::parse_seed;
use ringside_core::query::Query;

use crate::router::address;
use crate::ui::link;

/// The name of the seed in the address.
const NAME: &str = "seed";

/// What the address gives.
#[derive(Clone, PartialEq, Eq)]
pub struct Given {
    /// The only exercise that it is for; every exercise of the page if it names none.
    only: Option<String>,
    /// The seed, or what is wrong with it.
    pub(super) seed: Result<u64, String>,
}

impl Given {
    /// Whether it is for the exercise with this id.
    pub(super) fn is_for(&self, id: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == id)
    }
}

/// What the address gives, as of the last link that was followed: going to another place of the page does not give its
/// numbers to what is there.
pub fn given() -> Memo<Option<Given>> {
    let (search, hash) = (address().search(), address().hash());
    Memo::new(move |_| {
        let seed = search.with(|search| query(search).get(NAME).map(parse_seed))?;
        let only = hash.with_untracked(|hash| hash.strip_prefix("exercise-").map(str::to_owned));
        Some(Given { only, seed })
    })
}

fn query(search: &str) -> Query {
    Query::parse(search.trim_start_matches('?'))
}

/// The link that gives this seed to the exercise with this key in the store, relative to the site's base.
pub(super) fn link_to(key: &str, seed: u64, lang: Lang) -> String {
    let (chapter, id) = key.split_once('/').unwrap_or((key, ""));
    format!("{}?{NAME}={seed}#exercise-{id}", lang.chapter(chapter))
}

/// Takes the seed out of the address, once the learner has gone on to other numbers.
pub(super) fn forget() {
    let location = location();
    let query = query(&location.search().unwrap_or_default());
    if query.get(NAME).is_some() {
        let rest = Query::new(query.iter().filter(|(name, _)| *name != NAME)).to_string();
        let mark = if rest.is_empty() { "" } else { "?" };
        let (path, hash) = (location.pathname().unwrap_or_default(), location.hash().unwrap_or_default());
        address().replace(&link::whole(&format!("{path}{mark}{rest}{hash}")));
    }
}
