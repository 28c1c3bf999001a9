//! What a figure takes and gives: for a person, for a program, and as the JSON Schema of a tool.

use ringside_core::catalogue::Entry;
use ringside_core::declare::Shown;
use ringside_core::query::{Kind, ParamSpec, plain};
use ringside_figures::Example;
use serde_json::{Map, Value, json};

/// All of it, for a program.
pub(crate) fn figure(entry: &Entry) -> Value {
    let quantities = entry.shown().map(|shown| {
        json!({
            "id": shown.id, "label": shown.label, "unit": shown.unit, "meaning": shown.doc, "source": shown.origin.text(),
        })
    });
    let examples = examples(entry).iter().map(|example| json!({ "label": example.label, "state": example.state }));
    json!({
        "id": entry.id, "title": entry.title, "summary": entry.summary,
        "parameters": parameters(entry), "quantities": quantities.collect::<Value>(), "examples": examples.collect::<Value>(),
    })
}

/// The parameters as a JSON Schema.
pub(crate) fn parameters(entry: &Entry) -> Value {
    let properties: Map<String, Value> =
        entry.specs().into_iter().map(|spec| (spec.name.to_owned(), property(spec))).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn property(spec: &ParamSpec) -> Value {
    let mut property = match spec.kind {
        Kind::Real { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Choice([]) => json!({ "type": "string" }),
        Kind::Choice(options) => json!({ "type": "string", "enum": options }),
    };
    property["description"] = spec.doc.into();
    if !spec.default.is_empty() {
        property["default"] = spec.default.into();
    }
    property
}

/// All of it, for a person.
pub(crate) fn page(entry: &Entry) -> String {
    let mut text = format!("{}\n{}\n\nParameters\n", entry.title, entry.summary);
    for spec in entry.specs() {
        let default = if spec.default.is_empty() { String::new() } else { format!("; default {}", spec.default) };
        text += &format!("  {}: {}\n      {}{default}\n", spec.name, spec.doc, values(spec.kind));
    }
    text += "\nQuantities\n";
    for Shown { id, label, unit, doc, origin, .. } in entry.shown() {
        let unit = json!(unit);
        text += &format!("  {id}: {label} ({})\n", unit.as_str().unwrap_or_default());
        for line in [doc, &format!("Source: {}", origin.text())].into_iter().filter(|line| !line.is_empty()) {
            text += &format!("      {line}\n");
        }
    }
    if !examples(entry).is_empty() {
        text += "\nExamples\n";
    }
    for Example { label, state } in examples(entry) {
        text += &format!("  {label}\n      {state}\n");
    }
    text
}

/// States worth looking at; for a figure that keeps what an example does not name, parts of states.
fn examples(entry: &Entry) -> &'static [Example] {
    ringside_figures::find(entry.id).map_or(&[], |figure| figure.examples.all)
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::Real { min, max } => format!("{} to {}", plain(min), plain(max)),
        Kind::Integer { min, max } => format!("whole, {min} to {max}"),
        Kind::Choice([]) => "text".to_owned(),
        Kind::Choice(options) => options.join(", "),
    }
}
