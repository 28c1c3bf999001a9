//! A model states itself once: [`Model`].
//!
//! Each parameter is a [`Param`]: its standard name, what it means, its range or options and its default (a [`ParamSpec`]), how a
//! person sets it (a [`Look`]), and where it lives among the model's parameters (a [`Field`]). Each quantity is a [`Measure`]: its id,
//! label and unit, and the function that takes it from a result. From these follow reading and writing a query, what is reported of
//! a bad one, the catalogue's [`Entry`], the documentation of a widget, and its controls. All of them are data: nothing here is
//! compiled once for each model but a few short loops.

mod decision;
mod entry;
mod field;
mod options;
mod origin;
mod scale;
mod takes;
#[cfg(test)]
mod tests;

pub use decision::{Aim, Decision, Lever, lever, lever_of};
pub use entry::{Declared, Entry, Evaluation, Named};
pub use field::{Choose, Field, Slot, Text, Whole};
pub(crate) use field::{chosen_by_id, one_of};
pub use options::{List, Options};
pub use origin::{Origin, Origins, origin};
pub use scale::Scale;
pub use takes::{Take, Takes};

use crate::answer::Asked;
use crate::explore::EXPLORE;
use crate::quantity::{Quantity, Unit, grouped, number, word};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, parse_number, plain};

/// A model: the parameters of a computation, what it yields, and how both are called.
pub trait Model: Clone + Default + PartialEq + Send + Sync + 'static {
    /// What comes of it.
    type Result: 'static;
    /// The id of its widget: `memory-breakdown`.
    const ID: &'static str;
    /// Its title for people.
    const TITLE: &'static str;
    /// What it shows, in one sentence.
    const SUMMARY: &'static str;
    /// Every parameter, in the order of a link and of the controls.
    const PARAMS: &'static [Param<Self>];
    /// In which states parameters mean anything, of those that don't in every state. A parameter is in one of them at most.
    const APPLIES: &'static [Applies<Self>] = &[];
    /// Every quantity, in the order in which they are shown.
    const QUANTITIES: &'static [Measure<Self, Self::Result>];
    /// Where the formulas of its quantities come from, but of those in [`Self::ORIGINS`].
    const ORIGIN: Origin;
    /// The quantities with another origin, each named once.
    const ORIGINS: &'static [Origins] = &[];

    /// What a person decides with it, if it plans something.
    const DECISION: Option<Decision> = None;

    /// Computes it.
    ///
    /// # Errors
    /// Why these parameters, each of which is valid, are impossible together: a sentence.
    fn evaluate(&self) -> Result<Self::Result, String>;

    /// Puts what a parameter is also known by in the place of what it is declared with: `auto` for 0, say.
    fn translate(_query: &mut Query) {}

    /// Mends and reports what no parameter shows by itself once all are read, and reads those that live nowhere.
    fn settle(&mut self, _reader: &mut Reader<'_>) {}

    /// The pairs of a query of those parameters that live nowhere; they come first.
    fn unplaced(&self) -> Query {
        Query::default()
    }

    /// Changes what else a control changes when it has set a parameter: what unfolds in steps begins anew, a GPU brings its links.
    fn follow(&mut self, _before: &Self) {}

    /// Reads the parameters. What cannot be read has its default and is reported; what [`Default`] says counts for nothing that is
    /// declared.
    fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut query = query.without(EXPLORE);
        Self::translate(&mut query);
        for param in Self::PARAMS {
            let bare = query.get(param.spec.name).and_then(|text| param.without_unit(text));
            if let Some(bare) = bare {
                query.set(param.spec.name, bare);
            }
        }
        let mut reader = Reader::over(Self::PARAMS.iter().map(|param| &param.spec).collect(), &query);
        let mut params = Self::default();
        for param in Self::PARAMS {
            if let Some(at) = param.at {
                at(&mut params).read(&param.spec, &mut reader);
            }
        }
        params.settle(&mut reader);
        (params, reader.finish())
    }

    /// The parameters where nothing is given.
    fn standard() -> Self {
        Self::read(&Query::default()).0
    }

    /// The parameters as a query that reads back to the same.
    fn query(&self) -> Query {
        let mut query = self.unplaced();
        let mut params = self.clone();
        for param in Self::PARAMS {
            let Some(at) = param.at else { continue };
            match at(&mut params).write() {
                Some(text) if !param.look.quiet || !param.spec.is_default(&text) => query.set(param.spec.name, text),
                _ => {}
            }
        }
        query
    }

    /// The state after the control of a parameter was set to `text`, a value as a query has it.
    fn turn(query: &Query, name: &str, text: &str) -> Query {
        let before = Self::read(query).0;
        let at = Self::PARAMS.iter().find(|param| param.spec.name == name).and_then(|param| Some((param, param.at?)));
        let after = match at {
            Some((param, at)) => {
                let mut params = before.clone();
                let bare = param.without_unit(text);
                match (param.spec.kind, parse_number(bare.as_deref().unwrap_or(text))) {
                    (Kind::Choice(_), _) => at(&mut params).choose(text),
                    (kind, Some(number)) => at(&mut params).set_number(kind, number),
                    (_, None) => {}
                }
                params.follow(&before);
                params.query()
            }
            None => before.query().with(&Query::new([(name, text)])),
        };
        Self::read(&after).0.query()
    }

    /// Whether each number is one that its parameter takes, for parameters that no query was read for.
    ///
    /// # Errors
    /// The first that is not: a sentence.
    fn in_range(&self) -> Result<(), String> {
        let mut params = self.clone();
        for Param { spec, at, .. } in Self::PARAMS {
            let Some(value) = at.and_then(|at| at(&mut params).number()) else { continue };
            if let Some(why) = spec.refuses(value) {
                return Err(why);
            }
        }
        Ok(())
    }

    /// Whether what is computed could run: whether it fits, say. Where it couldn't, nothing about its speed applies ([`timed`]).
    fn runs(&self, _result: &Self::Result) -> bool {
        true
    }

    /// Every quantity of a result.
    fn quantities(&self, result: &Self::Result) -> Vec<Quantity> {
        let runs = self.runs(result);
        let taken = |measure: &Measure<Self, Self::Result>| {
            let quantity = measure.taken(self, result);
            Quantity { applies: quantity.applies && (runs || !measure.shown.timed), ..quantity }
        };
        Self::QUANTITIES.iter().map(taken).collect()
    }

    /// Whether a parameter means anything in this state: else its control is not shown, and changing it changes nothing.
    fn applies(&self, name: &str) -> bool {
        Self::APPLIES.iter().find(|one| one.names.contains(&name)).is_none_or(|one| (one.holds)(self))
    }

    /// Whether each name in [`Self::APPLIES`] is that of a parameter.
    const ALL_APPLY_TO_PARAMETERS: () =
        assert!(are_names(Self::APPLIES, Self::PARAMS), "APPLIES has a name that no parameter has");

    /// Whether each name in [`Self::ORIGINS`] is that of a quantity, and stands there once.
    const ALL_ORIGINS_ARE_OF_QUANTITIES: () = assert!(
        name_quantities(Self::ORIGINS, Self::QUANTITIES),
        "ORIGINS has a name that no quantity has, or has one twice"
    );

    /// The model in the catalogue.
    const ENTRY: Entry = Entry {
        id: Self::ID,
        title: Self::TITLE,
        summary: Self::SUMMARY,
        param_at: |i| {
            Self::PARAMS.get(i).map(|param| Declared { spec: &param.spec, look: &param.look, takes: param.takes() })
        },
        quantity_at: |i| {
            // A name that `ORIGINS` misspells does not compile.
            let () = Self::ALL_ORIGINS_ARE_OF_QUANTITIES;
            let shown = Self::QUANTITIES.get(i)?.shown;
            let other = Self::ORIGINS.iter().find(|one| one.ids.contains(&shown.id));
            Some(Shown { origin: other.map_or(Self::ORIGIN, |one| one.origin), ..shown })
        },
        read: |query| {
            let (params, problems) = Self::read(query);
            (params.query(), problems)
        },
        evaluate: |query| {
            // A name that `APPLIES` misspells does not compile.
            let () = Self::ALL_APPLY_TO_PARAMETERS;
            let (params, problems) = Self::read(query);
            let result = params.evaluate().and_then(|result| finite(params.quantities(&result)));
            Evaluation::new(params.query(), problems, result)
        },
        turn: Self::turn,
        decision: Self::DECISION,
    };
}

/// The quantities, if they are all numbers. A model says itself which of its parameters make one too large; this is for one that
/// does not.
fn finite(quantities: Vec<Quantity>) -> Result<Vec<Quantity>, String> {
    match quantities.iter().find(|q| !q.value.is_finite()) {
        Some(q) => Err(format!("{}: too large to compute. Change back what you changed last.", q.label)),
        None => Ok(quantities),
    }
}

/// In which states some parameters of a model mean anything.
pub struct Applies<P: 'static> {
    /// The parameters.
    pub names: &'static [&'static str],
    /// Whether they do in this state.
    pub holds: fn(&P) -> bool,
}

/// Parameters that mean something in these states only.
pub const fn applies<P>(names: &'static [&'static str], holds: fn(&P) -> bool) -> Applies<P> {
    Applies { names, holds }
}

/// Whether all names are those of parameters.
const fn are_names<P>(all: &[Applies<P>], params: &[Param<P>]) -> bool {
    let mut i = 0;
    while i < all.len() {
        let mut j = 0;
        while j < all[i].names.len() {
            let (mut k, mut found) = (0, false);
            while k < params.len() {
                found |= is_same(all[i].names[j], params[k].spec.name);
                k += 1;
            }
            if !found {
                return false;
            }
            j += 1;
        }
        i += 1;
    }
    true
}

/// Whether the quantities that have another origin are quantities, each of them named once.
const fn name_quantities<P, R>(all: &[Origins], measures: &[Measure<P, R>]) -> bool {
    let mut named = 0;
    let mut i = 0;
    while i < all.len() {
        named += all[i].ids.len();
        i += 1;
    }
    let (mut found, mut k) = (0, 0);
    while k < measures.len() {
        let (mut here, mut i) = (0, 0);
        while i < all.len() {
            let mut j = 0;
            while j < all[i].ids.len() {
                here += is_same(all[i].ids[j], measures[k].shown.id) as usize;
                j += 1;
            }
            i += 1;
        }
        if here > 1 {
            return false;
        }
        found += here;
        k += 1;
    }
    found == named
}

/// Whether two texts are the same, while they are compiled.
pub(crate) const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// How a person sees a quantity.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    /// Its id in kebab case: `bytes-on-wire`.
    pub id: &'static str,
    /// What a person calls it. It stands alone: no other label is needed to understand it.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What it means, in a sentence; empty where the label says it all. A headline has one.
    pub doc: &'static str,
    /// Whether it stands below the drawing, in large type. At most five of them apply in one state.
    pub headline: bool,
    /// What a person reads instead of 0, 1 and so on; empty for a number.
    pub words: &'static [&'static str],
    /// How its number is written, if not as its unit is.
    pub written: Option<fn(f64) -> String>,
    /// What stands between it and what it is held against.
    pub against: Against,
    /// Where its formula comes from, as its model says.
    pub origin: Origin,
    /// Whether it means something only where what is computed runs ([`Model::runs`]). Times do.
    pub timed: bool,
}

impl Shown {
    /// A number of which no more is said.
    pub const fn new(id: &'static str, label: &'static str, unit: Unit) -> Self {
        let timed = matches!(unit, Unit::Seconds);
        Self {
            id,
            label,
            unit,
            doc: "",
            headline: false,
            words: &[],
            written: None,
            against: Against::Whole,
            origin: Origin::Definition,
            timed,
        }
    }

    /// A value of it for a person: `480 GB`, `Yes`.
    pub fn text(&self, value: f64) -> String {
        match (word(self.words, value), self.written) {
            (Some(word), _) => word.to_owned(),
            (None, Some(write)) => write(value),
            (None, None) => self.unit.format(value),
        }
    }

    /// What it is held against, for a person to read after its value: "of 80 GB", "target 20 ms".
    pub fn held(&self, limit: f64) -> String {
        format!("{} {}", self.against.word(), self.text(limit))
    }
}

/// How a quantity stands to what it is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// It is a part of that whole: "62.1 GB of 80 GB".
    Whole,
    /// It has to stay under that: "38.6 ms, target 20 ms".
    Target,
    /// That parts two regimes, neither of which is wrong: "1,911, ridge 295".
    Ridge,
}

impl Against {
    fn word(self) -> &'static str {
        match self {
            Self::Whole => "of",
            Self::Target => "target",
            Self::Ridge => "ridge",
        }
    }

    /// Whether a value is more than it may be.
    pub fn is_missed(self, value: f64, limit: f64) -> bool {
        self != Self::Ridge && value > limit
    }
}

/// One quantity of a model with parameters `P` and results `R`.
pub struct Measure<P, R> {
    /// How a person sees it.
    pub shown: Shown,
    /// Its value, in the base unit; a finite number.
    pub of: fn(&P, &R) -> f64,
    /// What its value is held against, in the same unit: the memory of the GPU, a deadline.
    pub limit: Option<fn(&P, &R) -> f64>,
    /// Whether it means anything in this state; always, if none.
    pub applies: Option<fn(&P, &R) -> bool>,
}

/// A quantity: its id, what a person calls it, its unit, and how it is taken from the parameters and their result.
pub const fn measure<P, R>(id: &'static str, label: &'static str, unit: Unit, of: fn(&P, &R) -> f64) -> Measure<P, R> {
    Measure { shown: Shown::new(id, label, unit), of, limit: None, applies: None }
}

/// A quantity that stands below the drawing, and means this.
pub const fn headline<P, R>(meaning: &'static str, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.headline = true;
    doc(meaning, measure)
}

/// What a quantity means, in a sentence.
pub const fn doc<P, R>(meaning: &'static str, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.doc = meaning;
    measure
}

/// A quantity that, like a time, means something only where what is computed runs ([`Model::runs`]).
pub const fn timed<P, R>(mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.timed = true;
    measure
}

/// A quantity that is read as one of these words: the first for 0, the second for 1, and so on.
pub const fn words<P, R>(words: &'static [&'static str], mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.words = words;
    measure
}

/// A quantity that is 1 or 0, and read as Yes or No.
pub const fn yes_no<P, R>(measure: Measure<P, R>) -> Measure<P, R> {
    words(&["No", "Yes"], measure)
}

/// A quantity whose number is written so.
pub const fn written<P, R>(write: fn(f64) -> String, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.written = Some(write);
    measure
}

/// A quantity that is held against this: "62.1 GB of 80 GB". A limit that isn't finite is none.
pub const fn within<P, R>(limit: fn(&P, &R) -> f64, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.limit = Some(limit);
    measure
}

/// A quantity that has to stay under this: "38.6 ms, target 20 ms".
pub const fn target<P, R>(limit: fn(&P, &R) -> f64, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.against = Against::Target;
    within(limit, measure)
}

/// A quantity that means one thing below this and another above it: "1,911, ridge 295".
pub const fn ridge<P, R>(limit: fn(&P, &R) -> f64, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.shown.against = Against::Ridge;
    within(limit, measure)
}

/// A quantity that is shown in these states only.
pub const fn when<P, R>(applies: fn(&P, &R) -> bool, mut measure: Measure<P, R>) -> Measure<P, R> {
    measure.applies = Some(applies);
    measure
}

impl<P, R> Measure<P, R> {
    /// The quantity of a result.
    pub fn taken(&self, params: &P, result: &R) -> Quantity {
        let Shown { id, label, unit, words, .. } = self.shown;
        let applies = self.applies.is_none_or(|applies| applies(params, result));
        let limit = self.limit.map(|limit| limit(params, result)).filter(|limit| limit.is_finite());
        Quantity { applies, limit, words, ..Quantity::new(id, label, (self.of)(params, result), unit) }
    }
}

/// Where the control of a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Beside the drawing, always in sight: two to four parameters of a model.
    Main,
    /// Behind "More controls", under this heading; an empty one for none.
    More(&'static str),
    /// Over the drawing: it chooses what is drawn.
    Over,
    /// Nowhere: the drawing sets it, or the transport, or a link alone.
    Drawn,
}

/// How a person sees and sets a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// What a person calls it.
    pub label: &'static str,
    /// What a person calls each of its options, in their order; empty where their ids say it.
    pub labels: &'static [&'static str],
    /// How a number is written.
    pub format: fn(f64) -> String,
    /// How a number that is typed is read.
    pub asked: Asked,
    /// The positions of its slider; none for a field in which a number is typed.
    pub scale: Option<Scale>,
    /// Where its control stands.
    pub group: Group,
    /// Whether a link names it only where it differs from its default.
    pub quiet: bool,
    /// What of a learner's setup it takes, where its type does not say so.
    pub takes: Option<Take>,
}

/// Where a parameter lives among all of a model's: the path to its field.
pub type At<P> = fn(&mut P) -> Slot<'_>;

/// One parameter of a model whose parameters are `P`.
pub struct Param<P: 'static> {
    /// Its name, what it means, what values it takes, its default.
    pub spec: ParamSpec,
    /// How a person sees and sets it.
    pub look: Look,
    /// Where it lives; none for one that the model reads and writes itself ([`Model::settle`], [`Model::unplaced`]).
    pub at: Option<At<P>>,
}

// Derived, these would ask the same of `P`.
impl<P> Clone for Param<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for Param<P> {}

impl<P: Default> Param<P> {
    /// A value as a person writes it, such as `45 min`, as a link has it: a number. Nothing where it is one already, or none at all.
    fn without_unit(&self, text: &str) -> Option<String> {
        if matches!(self.spec.kind, Kind::Choice(_)) || parse_number(text).is_some() {
            return None;
        }
        let value = self.look.asked.read(text).ok()?;
        // 4.3 GB × 10⁹ is a whole number of bytes, but for the last bit of a double.
        let is_whole =
            matches!(self.spec.kind, Kind::Integer { .. }) && (value - value.round()).abs() <= 1e-9 * value.abs();
        Some(plain(if is_whole { value.round() } else { value }))
    }

    /// What of a learner's setup it takes, as declared, or as its type says.
    pub fn takes(&self) -> Option<Take> {
        let by_type = || match (self.spec.kind, self.at?(&mut P::default())) {
            (Kind::Choice(ids), Slot::Choice(value)) => value.takes(ids).map(Take::of),
            _ => None,
        };
        self.look.takes.or_else(by_type)
    }
}

/// Lists of parameters put one after another, for a model that shares some with others. `N` is the sum of their lengths.
pub const fn join<P, const N: usize>(lists: &[&[Param<P>]]) -> [Param<P>; N] {
    let mut all = [Declaration::NONE.apart(); N];
    let (mut list, mut n) = (0, 0);
    while list < lists.len() {
        let mut i = 0;
        while i < lists[list].len() {
            all[n] = lists[list][i];
            i += 1;
            n += 1;
        }
        list += 1;
    }
    assert!(n == N, "the lists have another number of parameters");
    all
}

/// Parameters that a model reads and writes itself.
pub const fn all_apart<P, const N: usize>(specs: &[ParamSpec; N]) -> [Param<P>; N] {
    let mut all = [Declaration::NONE.apart(); N];
    let mut i = 0;
    while i < N {
        all[i] = Declaration::of(specs[i]).apart();
        i += 1;
    }
    all
}

/// Parameters that a link names only where they differ from their defaults.
pub const fn all_quiet<P, const N: usize>(mut params: [Param<P>; N]) -> [Param<P>; N] {
    let mut i = 0;
    while i < N {
        params[i].look.quiet = true;
        i += 1;
    }
    params
}

/// A parameter, whichever model has it: all but where it lives. Models that share a parameter share its declaration.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    spec: ParamSpec,
    look: Look,
}

/// A real number from `min` to `max`. The default may be empty for an [`Option`], which is then none.
pub const fn real(name: &'static str, doc: &'static str, [min, max]: [f64; 2], default: &'static str) -> Declaration {
    Declaration::of(ParamSpec { name, doc, kind: Kind::Real { min, max }, default })
}

/// A whole number from `min` to `max`. The default may be empty for an [`Option`], which is then none.
pub const fn whole(name: &'static str, doc: &'static str, [min, max]: [u64; 2], default: &'static str) -> Declaration {
    Declaration::of(ParamSpec { name, doc, kind: Kind::Integer { min, max }, default })
        .format(|value| grouped(value as u64))
}

/// One of some options.
pub const fn choice(name: &'static str, doc: &'static str, options: List, default: &'static str) -> Declaration {
    Declaration::of(ParamSpec { name, doc, kind: Kind::Choice(options.ids), default }).labels(options.labels)
}

/// Off or on: `false` or `true`.
pub const fn switch(name: &'static str, doc: &'static str, default: bool) -> Declaration {
    const OFF_ON: List = List { ids: &["false", "true"], labels: &["off", "on"] };
    choice(name, doc, OFF_ON, if default { "true" } else { "false" })
}

/// A text of the model's own form ([`Text`]). It has no control but what the widget draws.
pub const fn text(name: &'static str, doc: &'static str, default: &'static str) -> Declaration {
    Declaration::of(ParamSpec { name, doc, kind: Kind::Choice(&[]), default }).drawn()
}

impl Declaration {
    const NONE: Self = Self::of(ParamSpec { name: "", doc: "", kind: Kind::Choice(&[]), default: "" });

    /// Of a parameter that models share as they read it.
    pub const fn of(spec: ParamSpec) -> Self {
        let group = Group::More("");
        let asked = match spec.kind {
            Kind::Integer { .. } => Asked::of(Unit::Count),
            Kind::Real { .. } | Kind::Choice(_) => Asked::of(Unit::Ratio),
        };
        Self {
            spec,
            look: Look {
                label: spec.name,
                labels: &[],
                format: number,
                asked,
                scale: None,
                group,
                quiet: false,
                takes: None,
            },
        }
    }

    /// Lives there: `|p| p.serial.slot()`.
    pub const fn at<P>(self, at: At<P>) -> Param<P> {
        Param { spec: self.spec, look: self.look, at: Some(at) }
    }

    /// Is read and written by the model itself, and has no control but what the widget draws.
    pub const fn apart<P>(self) -> Param<P> {
        self.drawn().own_control()
    }

    /// Is read and written by the model itself. Its control is the widget's own, and stands where the declaration puts it.
    pub const fn own_control<P>(self) -> Param<P> {
        Param { spec: self.spec, look: self.look, at: None }
    }

    /// What a person calls it.
    pub const fn label(mut self, label: &'static str) -> Self {
        self.look.label = label;
        self
    }

    /// What a person calls each option.
    pub const fn labels(mut self, labels: &'static [&'static str]) -> Self {
        self.look.labels = labels;
        self
    }

    /// How a number is written.
    pub const fn format(mut self, format: fn(f64) -> String) -> Self {
        self.look.format = format;
        self
    }

    /// A number of units that are `each` base units of `unit`; its label or its format says which.
    pub const fn each(mut self, unit: Unit, each: f64) -> Self {
        self.look.asked = Asked::each(unit, each);
        self
    }

    /// A number of this unit.
    pub const fn unit(mut self, unit: Unit) -> Self {
        self.look.asked = Asked::of(unit);
        self.format(match unit {
            Unit::Bytes => |v| Unit::Bytes.format(v),
            Unit::BytesPerSecond => |v| Unit::BytesPerSecond.format(v),
            Unit::Seconds => |v| Unit::Seconds.format(v),
            Unit::Flop => |v| Unit::Flop.format(v),
            Unit::FlopPerSecond => |v| Unit::FlopPerSecond.format(v),
            Unit::Count => |v| Unit::Count.format(v),
            Unit::Ratio => |v| Unit::Ratio.format(v),
            Unit::Fraction => |v| Unit::Fraction.format(v),
        })
    }

    /// Set by a slider with these positions.
    pub const fn slider(mut self, scale: Scale) -> Self {
        self.look.scale = Some(scale);
        self
    }

    /// Set by a slider in equal steps over the whole range.
    pub const fn steps(self, step: f64) -> Self {
        let (min, max) = match self.spec.kind {
            Kind::Real { min, max } => (min, max),
            Kind::Integer { min, max } => (min as f64, max as f64),
            Kind::Choice(_) => (0.0, 0.0),
        };
        self.slider(Scale::Linear { min, max, step })
    }

    /// Set by a slider by powers of two, up to 2 to this power.
    pub const fn doubling(self, power: u32) -> Self {
        self.slider(Scale::Doubling(power))
    }

    /// Its control stands beside the drawing.
    pub const fn main(mut self) -> Self {
        self.look.group = Group::Main;
        self
    }

    /// Its control stands behind "More controls", under this heading.
    pub const fn more(mut self, heading: &'static str) -> Self {
        self.look.group = Group::More(heading);
        self
    }

    /// Its control stands over the drawing.
    pub const fn over(mut self) -> Self {
        self.look.group = Group::Over;
        self
    }

    /// It has no control.
    pub const fn drawn(mut self) -> Self {
        self.look.group = Group::Drawn;
        self
    }

    /// Takes this of a learner's setup.
    pub const fn takes(self, what: Takes) -> Self {
        self.takes_times(what, 1.0)
    }

    /// Takes this of a learner's setup, `times` as much of it as in base units.
    pub const fn takes_times(mut self, what: Takes, times: f64) -> Self {
        self.look.takes = Some(Take { what, times, free: None });
        self
    }

    /// Takes this of a learner's setup, and `free` where the setup is of a job that says nothing of it.
    pub const fn takes_or(mut self, what: Takes, free: &'static str) -> Self {
        self.look.takes = Some(Take { what, times: 1.0, free: Some(free) });
        self
    }

    /// A link names it only where it differs from its default.
    pub const fn quiet(mut self) -> Self {
        self.look.quiet = true;
        self
    }

    /// With another default, for a model that shares it.
    pub const fn default(mut self, default: &'static str) -> Self {
        self.spec.default = default;
        self
    }

    /// With another meaning, for a model that shares it.
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.spec.doc = doc;
        self
    }

    /// With another range, for a model that shares it.
    pub const fn range(mut self, [min, max]: [u64; 2]) -> Self {
        self.spec.kind = Kind::Integer { min, max };
        self
    }
}
