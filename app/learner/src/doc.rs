//! What is stored, as plain data: its current form, how older forms become it, and what is not ours to read.

use std::collections::{BTreeMap, BTreeSet};

use ringside_content::language::Lang;
use ringside_core::practice::Day;
use ringside_core::query::Query;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// The form that this version writes.
///
/// 1 knew neither practice nor which numbers of an exercise an answer was to; see `from_first`.
pub const VERSION: u64 = 2;

/// Everything that a learner has done. Fields of this version that an export of a later patch adds are kept in `rest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doc {
    /// Always [`VERSION`] once read.
    pub version: u64,
    /// How the site looks.
    #[serde(default)]
    pub settings: Settings,
    /// By source id: read ticks and summaries.
    #[serde(default)]
    pub sources: BTreeMap<String, SourceNote>,
    /// By chapter slug: where the learner is.
    #[serde(default)]
    pub chapters: BTreeMap<String, ChapterProgress>,
    /// By `<chapter>/<exercise>`: what was answered.
    #[serde(default)]
    pub exercises: BTreeMap<String, Attempt>,
    /// A [`ringside_core::practice::Practice`], read by [`crate::practice`] alone: most pages do without its code.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub practice: Value,
    /// A quiz that is being taken or was handed in; read by its page alone.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub quiz: Value,
    /// The questions that say where to begin: their page keeps them, [`Doc::placed`] reads what came of them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub placement: Value,
    /// The run of practice that is on; read by its page alone.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub run: Value,
    /// Times of kernels that the learner keeps; read by the widgets that run them.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub measured: Value,
    /// What an author writes: texts by path below `content/`; read by its page alone.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub drafts: Value,
    /// By puzzle of a workbench, what the learner wrote and how far it came; read by the workbenches alone.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub workbench: Value,
    /// By lab: what was predicted and what was pasted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labs: BTreeMap<String, LabNote>,
    /// The learner's own model, cluster and measurements: a `ringside_core::setup::Setup` as its query.
    #[serde(default, skip_serializing_if = "String::is_empty", deserialize_with = "setup")]
    pub setup: String,
    /// By mission and seed, `<slug>/<seed>`: the run that is played.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missions: BTreeMap<String, RunNote>,
    /// By question before a figure of the home page: which of its answers was chosen, counted from 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guesses: BTreeMap<String, usize>,
    /// Points that an instructor gave answers of a class, by the answer's id: see `Recheck::id_of`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, usize>,
    /// The list of an instructor's lecture, as text: see [`crate::lecture`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lecture: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// One of the fields that only one page reads.
pub type Field = fn(&mut Doc) -> &mut Value;

impl Doc {
    /// A chapter's page, relative to the site's base, in the language that it was last read in.
    pub fn chapter(&self, slug: &str) -> String {
        self.chapters.get(slug).and_then(|c| Lang::of(&c.lang)).unwrap_or_default().chapter(slug)
    }

    /// Whether this source is ticked as read.
    pub fn is_read(&self, id: &str) -> bool {
        self.sources.get(id).is_some_and(|s| s.read)
    }

    /// Whether the questions that find a starting point were answered to their end.
    pub fn is_placed(&self) -> bool {
        self.placement.get("done") == Some(&Value::Bool(true))
    }

    /// Where the questions that find a starting point sent the learner: the slug of the chapter, and those of the chapters that
    /// may be skimmed.
    pub fn placed(&self) -> (Option<&str>, impl Iterator<Item = &str>) {
        let skim = self.placement.get("skim").and_then(Value::as_array);
        (self.placement.get("begin").and_then(Value::as_str), skim.into_iter().flatten().filter_map(Value::as_str))
    }

    /// Whether anything of the course has been done.
    pub fn is_begun(&self) -> bool {
        let touched = !self.chapters.is_empty() || !self.exercises.is_empty() || !self.practice.is_null();
        touched || self.sources.values().any(|s| s.read || !s.summary.is_empty())
    }

    /// Puts something into a field that one page reads as a `T`. What stands there and is no `T` is kept aside.
    pub fn put<T: Serialize + DeserializeOwned>(&mut self, name: &str, field: Field, new: Option<&T>) {
        let old = std::mem::take(field(self));
        if !old.is_null() && T::deserialize(&old).is_err() {
            self.set_aside(name, old);
        }
        // Maps with string keys and plain values always serialise.
        *field(self) = new.and_then(|new| serde_json::to_value(new).ok()).unwrap_or_default();
    }

    /// Keeps a value that cannot be read, under a name that nothing else has.
    pub fn set_aside(&mut self, name: &str, value: Value) {
        let free = (1..).map(|n: u32| format!("{name}-unreadable-{n}")).find(|name| !self.rest.contains_key(name));
        self.rest.insert(free.unwrap_or_default(), value);
    }

    /// Takes note that something was done on this day.
    ///
    /// Written into the value itself, since those who read chapters and tick sources do without the code of practice.
    pub fn studied(&mut self, day: Day) {
        if self.practice.is_null() {
            self.practice = Map::new().into();
        }
        let Some(practice) = self.practice.as_object_mut() else { return };
        let days = practice.entry("days").or_insert_with(|| Vec::<Value>::new().into());
        if let Some(days) = days.as_array_mut().filter(|days| !days.iter().any(|d| d.as_i64() == Some(day))) {
            days.push(day.into());
        }
    }

    /// Ticks a source as read or not read, and takes note of the day.
    pub fn read_source(&mut self, id: String, read: bool, day: Day) {
        self.sources.entry(id).or_default().read = read;
        if read {
            self.studied(day);
        }
    }
}

impl Default for Doc {
    fn default() -> Self {
        Self {
            version: VERSION,
            settings: Settings::default(),
            sources: BTreeMap::new(),
            chapters: BTreeMap::new(),
            exercises: BTreeMap::new(),
            practice: Value::Null,
            quiz: Value::Null,
            placement: Value::Null,
            run: Value::Null,
            measured: Value::Null,
            drafts: Value::Null,
            workbench: Value::Null,
            labs: BTreeMap::new(),
            setup: String::new(),
            missions: BTreeMap::new(),
            guesses: BTreeMap::new(),
            given: BTreeMap::new(),
            lecture: String::new(),
            rest: Map::new(),
        }
    }
}

/// How the site looks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// Light, dark, or as the system says.
    #[serde(default)]
    pub theme: Theme,
    /// Not to keep the course for use without a network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub online_only: bool,
    /// To show what only whoever teaches needs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub teach: bool,
    /// How many voting cards a class has; nothing before somebody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<u8>,
    /// Not to take single letters for shortcuts: for who dictates, or rests a hand on the keyboard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_shortcuts: bool,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The name in the store and in `<html data-theme>`.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What the learner did with one source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceNote {
    /// Ticked as read.
    #[serde(default)]
    pub read: bool,
    /// The learner's own one-page summary, as Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What the learner did with one lab.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LabNote {
    /// By row of the result, as it was typed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub predicted: BTreeMap<String, String>,
    /// What the script printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pasted: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A run of a mission.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunNote {
    /// Its moves, as `ringside_core::mission::write` writes them.
    #[serde(default)]
    pub run: String,
    /// Hands that a room raised; read by the mission's page alone.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub votes: Value,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Where the learner is in one chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChapterProgress {
    /// Marked as done.
    #[serde(default)]
    pub done: bool,
    /// The heading last read, to come back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// When that was, in Unix seconds; 0 if it was before this was noted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seen: i64,
    /// The code of the language that it was last read in; empty for English.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lang: String,
    /// The ids of the headings whose sections were read to their end.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub read: BTreeSet<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What the learner did with one exercise.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attempt {
    /// The seed of the parameters on screen; 0 is the exercise as written.
    #[serde(default)]
    pub seed: u64,
    /// What is in the field, or the chosen options, comma-separated.
    #[serde(default)]
    pub input: String,
    /// The points of a rubric that the learner found in their own answer, comma-separated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub marks: String,
    /// How sure the learner was, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Whether `input` has been submitted.
    #[serde(default)]
    pub checked: bool,
    /// Whether what was submitted is not right.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wrong: bool,
    /// Whether it has ever been answered correctly.
    #[serde(default)]
    pub right: bool,
    /// Whether it has been answered correctly with these parameters.
    #[serde(default)]
    pub solved: bool,
    /// How many answers were checked.
    #[serde(default)]
    pub tries: u32,
    /// How many of them were to other parameters, before these.
    #[serde(default, skip_serializing_if = "is_default")]
    pub earlier: u32,
    /// How many hints were opened.
    #[serde(default)]
    pub hints: u32,
    /// Whether the solution was opened before a right answer.
    #[serde(default)]
    pub shown: bool,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Attempt {
    /// Whether it is solved as it stands: with these parameters, and not with a wrong answer in the form.
    pub fn stands(&self) -> bool {
        self.solved && !(self.checked && self.wrong)
    }

    /// Begins anew with the parameters of this seed. That it was ever right, and how many tries it took, stays.
    pub fn renew(&mut self, seed: u64) {
        let Self { right, tries, rest, .. } = std::mem::take(self);
        *self = Self { seed, right, tries, earlier: tries, rest, ..Self::default() };
    }

    /// How many answers with these parameters were checked.
    pub fn tries_here(&self) -> u32 {
        self.tries.saturating_sub(self.earlier)
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A setup as text. It once was a map of what labs had measured.
fn setup<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let numbers = |map: Map<String, Value>| {
        let pairs = map.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?.to_string())));
        Query::new(pairs).to_string()
    };
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        Value::Object(map) => numbers(map),
        _ => String::new(),
    })
}

/// Why a stored text cannot be used. It is kept aside, never dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It is not what any version wrote.
    Corrupt,
    /// A later version wrote it.
    Newer(u64),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Corrupt => f.write_str("it is damaged and cannot be read"),
            Self::Newer(version) => {
                write!(
                    f,
                    "it was written by a later version of Ringside (format {version}; this one reads up to {VERSION})"
                )
            }
        }
    }
}

/// Reads what was stored or exported.
///
/// # Errors
/// [`Unusable`], when it is not a document of this or an earlier version.
pub fn read(text: &str) -> Result<Doc, Unusable> {
    let mut value: Value = serde_json::from_str(text).map_err(|_| Unusable::Corrupt)?;
    let version = value.get("version").and_then(Value::as_u64).ok_or(Unusable::Corrupt)?;
    if version > VERSION {
        return Err(Unusable::Newer(version));
    }
    if version == 0 {
        return Err(Unusable::Corrupt);
    }
    let setup = take_unread_setup(&mut value);
    let mut doc: Doc = serde_json::from_value(value).map_err(|_| Unusable::Corrupt)?;
    if let Some(setup) = setup {
        doc.set_aside("setup", setup);
    }
    if version == 1 {
        from_first(&mut doc);
    }
    Ok(doc)
}

/// Takes out a setup that is neither a text nor numbers by name, so that what is written later does not replace it.
fn take_unread_setup(doc: &mut Value) -> Option<Value> {
    let is_read = |setup: &Value| match setup {
        Value::String(_) | Value::Null => true,
        Value::Object(map) => map.values().all(Value::is_number),
        _ => false,
    };
    let fields = doc.as_object_mut()?;
    if fields.get("setup").is_none_or(is_read) {
        return None;
    }
    fields.remove("setup")
}

/// As much of a document of a later version as this one understands, to be looked at and not to be written back.
pub fn glimpse(text: &str) -> Option<Doc> {
    serde_json::from_str(text).ok()
}

/// Version 1 becomes 2. An exercise that was right is taken to be solved with the parameters on screen, so that the same
/// answer given again is no new evidence.
fn from_first(doc: &mut Doc) {
    doc.version = 2;
    for attempt in doc.exercises.values_mut() {
        attempt.solved = attempt.right;
    }
}

/// The text that [`read`] reads back to the same document.
pub fn write(doc: &Doc) -> String {
    // Maps with string keys and plain values always serialise.
    serde_json::to_string(doc).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same_with_unknown_fields_kept() {
        let text = r#"{"version":1,"settings":{"theme":"dark","font":"big"},"sources":{"zero-paper":{"read":true,"summary":"s"}},"later":[1]}"#;
        let doc = read(text).expect("reads");
        assert_eq!(doc.settings.theme, Theme::Dark);
        assert!(doc.sources["zero-paper"].read);
        let again = read(&write(&doc)).expect("reads");
        assert_eq!(again, doc);
        assert!(write(&doc).contains("\"font\":\"big\"") && write(&doc).contains("\"later\":[1]"));
    }

    #[test]
    fn the_previous_version_is_read_and_loses_nothing() {
        let text = include_str!("../../../tests/fixtures/store/version-1.json");
        let doc = read(text).expect("reads");
        assert_eq!(doc.version, VERSION);
        let (right, wrong) =
            (&doc.exercises["memory-accounting/grows-with-batch"], &doc.exercises["memory-accounting/zero-2"]);
        assert!(right.solved && right.right && !wrong.solved && wrong.shown);
        assert_eq!((right.tries_here(), wrong.tries_here(), wrong.seed), (3, 5, 4));
        assert_eq!(doc.chapters["memory-accounting"].at.as_deref(), Some("zero-stage-by-stage"));
        assert_eq!(doc.practice, Value::Null);
        // Field by field, what was there is there still.
        let (before, after): (Value, Value) =
            (serde_json::from_str(text).expect("JSON"), serde_json::from_str(&write(&doc)).expect("JSON"));
        fn kept(before: &Value, after: &Value, at: &str) {
            match before {
                Value::Object(fields) => {
                    for (name, value) in fields.iter().filter(|(name, _)| *name != "version") {
                        kept(value, &after[name], &format!("{at}/{name}"));
                    }
                }
                other => assert_eq!(other, after, "{at}"),
            }
        }
        kept(&before, &after, "");
        // From then on it is the same to the byte.
        let written = write(&doc);
        assert_eq!(write(&read(&written).expect("reads")), written);
    }

    #[test]
    fn a_chapter_is_gone_back_to_in_its_language() {
        let mut doc = Doc::default();
        doc.chapters.entry("a".into()).or_default().lang = "de".into();
        doc.chapters.entry("b".into()).or_default().lang = "of a later version".into();
        let pages = ["a", "b", "c"].map(|slug| doc.chapter(slug));
        assert_eq!(pages, ["de/chapter/a/", "chapter/b/", "chapter/c/"]);
    }

    #[test]
    fn what_labs_had_measured_becomes_a_setup() {
        let doc = read(r#"{"version":2,"setup":{"alpha":3e-5,"bandwidth":1.5e9}}"#).expect("reads");
        assert_eq!(doc.setup, "alpha=0.00003&bandwidth=1500000000");
        assert_eq!(read(&write(&doc)).expect("reads").setup, doc.setup);
    }

    #[test]
    fn a_setup_that_cannot_be_read_is_kept() {
        for setup in [r#"[1,2]"#, "7", "true", r#"{"alpha":3e-5,"gpu":"h100"}"#] {
            let doc = read(&format!(r#"{{"version":2,"setup":{setup}}}"#)).expect("reads");
            let kept = serde_json::from_str::<Value>(setup).expect("JSON");
            assert_eq!((doc.setup.as_str(), doc.rest.get("setup-unreadable-1")), ("", Some(&kept)));
            assert_eq!(read(&write(&doc)).expect("reads").rest, doc.rest);
        }
    }

    #[test]
    fn other_parameters_are_a_new_beginning() {
        let solved = Attempt { solved: true, right: true, checked: true, ..Attempt::default() };
        assert!(solved.stands());
        let mut again = Attempt { wrong: true, ..solved };
        assert!(!again.stands(), "a wrong answer is in the form");
        again.checked = false;
        assert!(again.stands());
        again.renew(3);
        assert!(!again.stands(), "other numbers");
        let mut attempt = Attempt {
            input: "3".into(),
            confidence: Some(75),
            checked: true,
            right: true,
            solved: true,
            tries: 4,
            hints: 2,
            shown: true,
            ..Attempt::default()
        };
        attempt.rest.insert("later".into(), 1.into());
        attempt.renew(9);
        let rest = attempt.rest.clone();
        assert_eq!(attempt, Attempt { seed: 9, right: true, tries: 4, earlier: 4, rest, ..Attempt::default() });
        assert_eq!((attempt.tries_here(), attempt.rest.len()), (0, 1));
    }

    #[test]
    fn what_is_begun_is_more_than_settings() {
        let mut doc = Doc { settings: Settings { theme: Theme::Dark, ..Settings::default() }, ..Doc::default() };
        doc.sources.insert("s".into(), SourceNote::default());
        assert!(!doc.is_begun());
        doc.sources.entry("s".into()).or_default().summary = "Short.".into();
        assert!(doc.is_begun());
        assert!(Doc { practice: Map::new().into(), ..Doc::default() }.is_begun());
    }

    #[test]
    fn days_are_noted_once_and_kept_as_practice_has_them() {
        let mut doc = Doc::default();
        for day in [20_001, 20_000, 20_001] {
            doc.read_source("s".into(), true, day);
        }
        doc.read_source("s".into(), false, 20_005);
        let practice: ringside_core::practice::Practice =
            serde_json::from_value(doc.practice.clone()).expect("practice");
        assert_eq!(practice.days.into_iter().collect::<Vec<_>>(), [20_000, 20_001]);
        doc.practice = Value::from("damaged");
        doc.studied(1);
        assert_eq!(doc.practice, Value::from("damaged"));
    }

    #[test]
    fn what_cannot_be_read_is_kept_aside_when_its_place_is_taken() {
        let unreadable = serde_json::json!({"a": "text", "later": {"x": 1}});
        let mut doc = Doc { drafts: unreadable.clone(), ..Doc::default() };
        let readable = BTreeMap::from([("a".to_owned(), "more".to_owned())]);
        for _ in 0..2 {
            doc.put("drafts", |doc| &mut doc.drafts, Some(&readable));
            assert_eq!(doc.rest, Map::from_iter([("drafts-unreadable-1".to_owned(), unreadable.clone())]));
            assert_eq!(doc.drafts, serde_json::json!({"a": "more"}));
        }
        doc.put("drafts", |doc| &mut doc.drafts, None::<&BTreeMap<String, String>>);
        assert_eq!((doc.drafts, doc.rest.len()), (Value::Null, 1));
    }

    #[test]
    fn what_is_not_ours_is_told_apart() {
        for text in
            ["", "{", "[]", "null", "{}", r#"{"version":"1"}"#, r#"{"version":0}"#, r#"{"version":1,"sources":3}"#]
        {
            assert_eq!(read(text), Err(Unusable::Corrupt), "{text}");
        }
        assert_eq!(read(r#"{"version":7,"anything":true}"#), Err(Unusable::Newer(7)));
    }
}
