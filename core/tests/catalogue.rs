//! The contract of every model in the catalogue, so that a new one is tested on arrival.

use proptest::prelude::*;
use ringside_core::catalogue::{ALL, Declared, Entry, Evaluation};
use ringside_core::declare::{Group, Origin, Shown};
use ringside_core::quantity::Unit;
use ringside_core::query::{Kind, Query};

fn evaluate(entry: &Entry, query: &Query) -> Evaluation {
    (entry.evaluate)(query)
}

fn assert_complete(entry: &Entry, result: &Evaluation, context: &str) {
    if let Some(error) = &result.error {
        assert!(result.quantities.is_empty(), "{}: an error comes without quantities ({context})", entry.id);
        assert!(error.ends_with('.'), "{}: an error is a sentence, not “{error}” ({context})", entry.id);
        assert!(!error.contains("too large to compute"), "{}: {error} ({context})", entry.id);
        return;
    }
    let declared: Vec<_> = entry.quantities().collect();
    let given: Vec<_> = result.quantities.iter().map(|q| (q.id, q.label, q.unit)).collect();
    assert_eq!(given, declared, "{}: yields just what it declares ({context})", entry.id);
    for quantity in &result.quantities {
        assert!(quantity.value != 0.0 || quantity.value.is_sign_positive(), "{}: {} is −0", entry.id, quantity.id);
        assert!(quantity.value.is_finite(), "{}: {} is {} ({context})", entry.id, quantity.id, quantity.value);
    }
}

#[test]
fn ids_titles_and_names_are_well_formed_and_unique() {
    let mut ids: Vec<&str> = ALL.iter().map(|e| e.id).collect();
    let kebab = |id: &str| id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    assert!(ids.iter().all(|id| kebab(id)));
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "two models share an id");
    for entry in ALL {
        assert!(!entry.title.is_empty() && entry.summary.ends_with('.'), "{}", entry.id);
        assert!(entry.quantities().all(|(id, ..)| kebab(id)), "{}", entry.id);
        let mut names: Vec<&str> = entry.params().map(|p| p.spec.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), entry.params().count(), "{}: two parameters share a name", entry.id);
    }
}

#[test]
fn what_a_control_needs_is_declared() {
    for param in ALL.iter().flat_map(Entry::params) {
        let Declared { spec, look, .. } = param;
        let at = format!("{}: {}", spec.name, look.label);
        match spec.kind {
            Kind::Choice(ids) => {
                assert!(look.labels.is_empty() || look.labels.len() == ids.len(), "{at}: a label for each option");
                assert!(ids.is_empty() || spec.default.is_empty() || ids.contains(&spec.default), "{at}: its default");
            }
            Kind::Integer { .. } | Kind::Real { .. } => {
                let valid = spec.default.is_empty() || spec.default.parse().is_ok_and(|v| spec.refuses(v).is_none());
                assert!(valid, "{at}: its default");
                if let Some(scale) = look.scale {
                    let end = scale.value(scale.last());
                    assert_eq!(spec.refuses(end), None, "{at}: the end of its slider");
                }
            }
        }
        if look.group != Group::Drawn {
            assert!(look.label != spec.name, "{at}: has a control and no label");
        }
    }
}

#[test]
fn two_to_four_controls_stand_beside_each_drawing() {
    for entry in ALL {
        let main = entry.params().filter(|p| p.look.group == Group::Main).count();
        assert!((1..=4).contains(&main), "{}: {main} main controls", entry.id);
    }
}

/// What a parameter is called that chooses between views.
const VIEWS: [&str; 4] = ["view", "show", "scheme", "mode"];

/// The standard state, and one of each other view.
fn states(entry: &Entry) -> Vec<Query> {
    let choices = entry.specs().into_iter().flat_map(|spec| match spec.kind {
        Kind::Choice(ids) if VIEWS.contains(&spec.name) => {
            ids.iter().map(|id| Query::new([(spec.name, *id)])).collect()
        }
        _ => Vec::new(),
    });
    std::iter::once(Query::default()).chain(choices).collect()
}

#[test]
fn one_to_five_headlines_apply_and_each_says_what_it_means() {
    for entry in ALL {
        for shown in entry.shown().filter(|shown| shown.headline) {
            assert!(shown.doc.ends_with('.'), "{}: {} has no meaning: “{}”", entry.id, shown.id, shown.doc);
        }
        for (i, query) in states(entry).into_iter().enumerate() {
            let result = evaluate(entry, &query);
            let applying =
                entry.shown().zip(&result.quantities).filter(|(shown, q)| shown.headline && q.applies).count();
            assert!(applying <= 5, "{}?{query}: {applying} headlines", entry.id);
            assert!(i > 0 || applying > 0, "{}: no headline", entry.id);
        }
    }
}

#[test]
fn every_quantity_says_where_its_formula_comes_from() {
    for entry in ALL {
        let mut of_its_own = 0;
        for Shown { id, origin, .. } in entry.shown() {
            let at = format!("{}: {id}: {}", entry.id, origin.text());
            let (Origin::Of(text) | Origin::Own(text)) = origin else { continue };
            of_its_own += 1;
            assert!(
                text.len() > 20 && text.trim() == text && !text.ends_with('.'),
                "{at}: a source, without a full stop"
            );
            assert!(!text.contains("arXiv "), "{at}: arXiv:0000.00000, as the others have it");
            // A year, a version, a path or the title of a document.
            let can_be_looked_up = text.bytes().any(|b| b.is_ascii_digit()) || text.contains(['/', '“']);
            assert!(can_be_looked_up || matches!(origin, Origin::Own(_)), "{at}: nothing to look up");
        }
        assert!(of_its_own > 0, "{}: not one quantity has a source", entry.id);
    }
}

/// A state, and those in which one parameter is at another of its options, or at an end of its range.
fn beside(entry: &'static Entry, state: &Query) -> impl Iterator<Item = Query> + use<> {
    let state = state.clone();
    entry.params().flat_map(move |param| {
        let values: Vec<String> = match param.spec.kind {
            Kind::Choice(ids) => ids.iter().map(|id| (*id).to_owned()).collect(),
            Kind::Integer { min, max } => vec![min.to_string(), max.to_string()],
            Kind::Real { min, max } => vec![min.to_string(), max.to_string()],
        };
        let state = state.clone();
        values.into_iter().map(move |value| state.with(&Query::new([(param.spec.name, value)])))
    })
}

#[test]
fn what_does_not_fit_has_no_time() {
    for entry in ALL.iter().filter(|entry| entry.quantities().any(|(id, ..)| id == "fits")) {
        let standard = (entry.read)(&Query::default()).0;
        let states: Vec<_> = beside(entry, &standard).map(|state| evaluate(entry, &state)).collect();
        let none_fits = states.iter().filter(|state| state.get("fits") == Some(0.0));
        let mut seen = 0;
        for state in none_fits {
            seen += 1;
            let times = state.quantities.iter().filter(|q| q.applies && q.unit == Unit::Seconds);
            let times: Vec<&str> = times.map(|q| q.id).collect();
            assert_eq!(times, [""; 0], "{}: {}", entry.id, state.query);
        }
        assert!(seen > 0, "{}: no state was found that doesn't fit", entry.id);
    }
}

#[test]
fn what_is_yes_or_no_is_a_word() {
    for entry in ALL {
        for query in states(entry) {
            for (shown, quantity) in entry.shown().zip(&evaluate(entry, &query).quantities) {
                let word = shown.words.get(quantity.value as usize);
                let right = shown.words.is_empty() || (word.is_some() && quantity.value.fract() == 0.0);
                assert!(right, "{}?{query}: {} is {}, which has no word", entry.id, shown.id, quantity.value);
            }
        }
    }
}

/// What is wrong in a label wherever it stands: shared/VOICE.md, "How to check".
const WRONG: &[&str] =
    &["of a ", "of one ", "(0)", "(1)", "(0:", "1 if", " or not", " in all", " gone", " a second", "beside it"];

/// In an exercise's expressions this is its expected answer.
const TAKEN: &str = "answer";

#[test]
fn no_name_is_that_of_an_expected_answer() {
    for entry in ALL {
        let names = entry.quantities().map(|(id, ..)| id).chain(entry.params().map(|param| param.spec.name));
        assert!(names.into_iter().all(|name| name != TAKEN), "{}", entry.id);
    }
}

/// What no label begins with: it leans on the one before.
const LEANING: &[&str] =
    &["Of ", "of ", "Its ", "Then", "Beside", "Those", "That ", "The same", "The others", "As many"];

#[test]
fn a_label_stands_alone() {
    let mut wrong = Vec::new();
    for entry in ALL {
        let labels = entry.shown().map(|shown| (shown.id, shown.label));
        let params = entry.params().flat_map(|param| {
            let name = param.spec.name;
            std::iter::once((name, param.look.label)).chain(param.look.labels.iter().map(move |label| (name, *label)))
        });
        for (id, label) in labels.chain(params) {
            let leans = LEANING.iter().any(|start| label.starts_with(start));
            if leans || WRONG.iter().any(|pattern| label.contains(pattern)) {
                wrong.push(format!("{} {id}: {label}", entry.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_default_state_is_valid() {
    for entry in ALL {
        let result = evaluate(entry, &Query::default());
        assert_eq!(result.problems, [], "{}", entry.id);
        assert_eq!(result.error, None, "{}", entry.id);
        assert_complete(entry, &result, "default state");
    }
}

#[test]
fn every_state_reads_back_to_itself() {
    for entry in ALL {
        let once = evaluate(entry, &Query::default());
        let again = evaluate(entry, &once.query);
        assert_eq!(again.problems, [], "{}", entry.id);
        assert_eq!(again.query, once.query, "{}", entry.id);
        assert_eq!(again.quantities, once.quantities, "{}", entry.id);
    }
}

#[test]
fn nonsense_in_any_parameter_is_named_and_the_rest_is_kept() {
    for entry in ALL {
        let (default, _) = (entry.read)(&Query::default());
        for param in entry.specs() {
            for nonsense in ["banana", "-1e400", "NaN", "<script>", "12 apples"] {
                let given = Query::new([(param.name, nonsense)]);
                let (read, problems) = (entry.read)(&given);
                let is_named = problems.iter().any(|p| p.name == param.name && p.message.ends_with('.'));
                // What reads as the default state has its result.
                if is_named && read == default {
                    continue;
                }
                let result = evaluate(entry, &given);
                assert!(is_named || result.error.is_some(), "{}?{}={nonsense} went unnoticed", entry.id, param.name);
                assert_complete(entry, &result, nonsense);
            }
        }
        let result = evaluate(entry, &Query::new([("no-such-parameter", "1")]));
        assert_eq!(result.problems.len(), 1, "{}: an unknown name is reported once", entry.id);
    }
}

/// A number whose logarithm is uniform; from 1e-300 where the range begins at 0 or below.
fn near_zero(min: f64, max: f64) -> BoxedStrategy<String> {
    let from = if min > 0.0 { min } else { 1e-300_f64.min(max) };
    if !(from > 0.0 && from < max) {
        return Just(format!("{max:e}")).boxed();
    }
    (from.ln()..=max.ln()).prop_map(move |v| format!("{:e}", v.exp().clamp(from, max))).boxed()
}

/// A value for a parameter: often sensible, sometimes an edge, sometimes garbage.
fn value(kind: Kind) -> BoxedStrategy<String> {
    let garbage = "\\PC{0,12}";
    match kind {
        // Any text: here a list of pairs of numbers, as measurements are, or letters for the stages of a pipeline.
        Kind::Choice([]) => {
            let measured = "[1-9]{1,9}:[1-9]{1,6}(,[1-9]{1,9}:[1-9]{1,6}:0\\.[1-9]){0,3}";
            prop_oneof![measured, "[FBW.]{0,9}(/[FBW.]{0,9}){0,3}", garbage].boxed()
        }
        Kind::Choice(options) => {
            prop_oneof![4 => proptest::sample::select(options).prop_map(str::to_owned), 1 => garbage].boxed()
        }
        Kind::Integer { min, max } => prop_oneof![
            2 => (min..=max).prop_map(|v| v.to_string()),
            2 => near_zero(min as f64, max as f64).prop_map(|v| v.parse::<f64>().map_or(v, |v| v.round().to_string())),
            1 => Just(min.to_string()),
            1 => Just(max.to_string()),
            1 => garbage
        ]
        .boxed(),
        Kind::Real { min, max } => prop_oneof![
            3 => (min..=max).prop_map(|v| v.to_string()),
            3 => near_zero(min, max),
            1 => Just(format!("{min:e}")),
            1 => Just(format!("{max:e}")),
            1 => garbage
        ]
        .boxed(),
    }
}

fn any_query(entry: &'static Entry) -> impl Strategy<Value = Query> {
    let fields: Vec<_> = entry
        .specs()
        .into_iter()
        .map(|p| proptest::option::of(value(p.kind)).prop_map(move |v| v.map(|v| (p.name.to_owned(), v))))
        .collect();
    fields.prop_map(|pairs| Query::new(pairs.into_iter().flatten()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_parameters_give_a_complete_answer_that_reads_back(
        (index, query) in (0..ALL.len()).prop_flat_map(|i| (Just(i), any_query(&ALL[i])))
    ) {
        let entry = &ALL[index];
        let result = evaluate(entry, &query);
        assert_complete(entry, &result, &format!("{query:?}"));
        let again = evaluate(entry, &result.query);
        prop_assert_eq!(&again.query, &result.query);
        prop_assert_eq!(&again.quantities, &result.quantities);
    }
}

/// A figure that has a model takes a reader's own, dense or with experts.
#[test]
fn a_model_of_ones_own_works_wherever_there_is_a_model() {
    let dense = "model=custom&hidden_size=2048&num_hidden_layers=8&num_attention_heads=16&num_key_value_heads=4&vocab_size=32000&intermediate_size=8192";
    let mixture = "model=custom&hidden_size=2048&num_hidden_layers=8&num_attention_heads=16&num_key_value_heads=4&vocab_size=32000\
                   &num_experts=16&num_experts_per_tok=2&moe_intermediate_size=1024";
    let mut taken = 0;
    for entry in ALL {
        let model = entry.params().find(|p| p.spec.name == "model" && p.takes.is_some());
        let Some(model) = model else { continue };
        let Kind::Choice(ids) = model.spec.kind else { continue };
        assert!(ids.contains(&"custom"), "{} takes models by name only", entry.id);
        let errors = [dense, mixture].map(|own| {
            let (query, problems) = (entry.read)(&Query::parse(own));
            assert!(problems.is_empty(), "{}: {problems:?}", entry.id);
            assert_eq!(query.get("model"), Some("custom"), "{}", entry.id);
            assert_eq!(query.get("num_hidden_layers"), Some("8"), "{}", entry.id);
            evaluate(entry, &Query::parse(own)).error
        });
        assert!(errors.iter().any(Option::is_none), "{}: {errors:?}", entry.id);
        taken += 1;
    }
    assert!(taken >= 17, "{taken}");
}
