//! A field for a number as people write it: `30B`, `1.5e9`, `64`.

use leptos::prelude::*;
use ringside_core::query::{Kind, ParamSpec, parse_number, plain, shorten};

use super::unique_id;

/// Reads what was typed for a parameter.
///
/// # Errors
/// A sentence that says what is valid.
pub fn read(spec: &ParamSpec, label: &str, text: &str) -> Result<f64, String> {
    let (kind, min, max) = match spec.kind {
        Kind::Real { min, max } => ("a number", min, max),
        Kind::Integer { min, max } => ("a whole number", min as f64, max as f64),
        Kind::Choice(_) => ("a number", f64::MIN, f64::MAX),
    };
    let whole = matches!(spec.kind, Kind::Integer { .. });
    // "30 B" and "4,096" are how the field itself writes them.
    let typed: String = text.chars().filter(|c| !c.is_whitespace() && *c != '%').collect();
    let typed = if groups_of_three(&typed) { typed.replace(',', "") } else { typed };
    match parse_number(&typed).map(|v| if text.contains('%') { v / 100.0 } else { v }) {
        Some(value) if (min..=max).contains(&value) && (!whole || value.fract() == 0.0) => Ok(value),
        _ => {
            let example = if spec.default.is_empty() { String::new() } else { format!(", such as {}", spec.default) };
            let (from, to, given) = (plain(min), plain(max), shorten(text.trim()));
            Err(format!("{label}: {kind} from {from} to {to}{example}. “{given}” was not used."))
        }
    }
}

/// Whether every comma stands before a group of three digits, as in `8,030,261`.
fn groups_of_three(text: &str) -> bool {
    let mut groups = text.split(',');
    let first = groups.next().unwrap_or_default();
    let digits = |group: &str| group.chars().take_while(char::is_ascii_digit).count();
    (1..=3).contains(&digits(first)) && digits(first) == first.len() && groups.all(|group| digits(group) == 3)
}

/// A text field for a parameter that is a number. What is typed is used when Enter is pressed or the field is left; if it
/// cannot be used it stays, with a message beside it. Escape goes back to the value.
#[component]
pub fn NumberField(
    /// The parameter: its name and what is valid.
    spec: ParamSpec,
    /// What a person calls it.
    label: &'static str,
    /// The value.
    #[prop(into)]
    value: Signal<f64>,
    /// Called with a valid value that was typed.
    #[prop(into)]
    set: Callback<f64>,
    /// How the value is written.
    format: fn(f64) -> String,
    /// The field's `id`, for a label outside; without one it is labelled by itself.
    #[prop(optional, into)]
    id: Option<String>,
    /// Whether another control has the parameter's name already.
    #[prop(optional)]
    nameless: bool,
) -> impl IntoView {
    let draft = RwSignal::new(None::<String>);
    let error = RwSignal::new(None::<String>);
    // Another control moved on: the draft is history.
    Effect::new(move |before: Option<f64>| {
        let now = value.get();
        if before.is_some_and(|before| before != now) {
            draft.set(None);
            error.set(None);
        }
        now
    });
    let commit = move || {
        let Some(text) = draft.get_untracked() else { return };
        match read(&spec, label, &text) {
            Ok(typed) => {
                draft.set(None);
                error.set(None);
                set.run(typed);
            }
            Err(why) => error.set(Some(why)),
        }
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && draft.get_untracked().is_some() {
            event.prevent_default();
            draft.set(None);
            error.set(None);
        }
    };
    let message = unique_id("error");
    let describedby = message.clone();
    view! {
        <span class="number-field">
            <input
                type="text"
                inputmode="text"
                autocomplete="off"
                spellcheck="false"
                id=id.clone()
                name=(!nameless).then_some(spec.name)
                aria-label=id.is_none().then(|| format!("{label}: type a value"))
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=move || error.with(Option::is_some).then(|| describedby.clone())
                prop:value=move || draft.get().unwrap_or_else(|| format(value.get()))
                on:input=move |event| draft.set(Some(event_target_value(&event)))
                on:change=move |_| commit()
                on:keydown=keydown
            />
            <span class="field-error" id=message role="alert">{move || error.get()}</span>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_field_writes_them() {
        let spec = ParamSpec { name: "dp", doc: "", kind: Kind::Integer { min: 1, max: 65_536 }, default: "64" };
        let dp = |text| read(&spec, "Ranks", text);
        assert_eq!(dp(" 4 096 "), Ok(4096.0));
        assert_eq!(dp("4,096"), Ok(4096.0));
        assert!(dp("4,09").is_err(), "no group of three");
        assert_eq!(dp("1\u{202f}024"), Ok(1024.0));
        assert_eq!(dp("2k"), Ok(2000.0));
        assert_eq!(
            dp("2.5").expect_err("no whole number"),
            "Ranks: a whole number from 1 to 65536, such as 64. “2.5” was not used."
        );
        assert!(dp("many").is_err() && dp("").is_err() && dp("0").is_err());
        let spec = ParamSpec { kind: Kind::Real { min: 0.0, max: 1.0 }, ..spec };
        assert_eq!(read(&spec, "Serial", "5 %"), Ok(0.05));
    }
}
