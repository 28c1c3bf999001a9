//! A figure in a frame of another page: what it says to that page, and what it lets itself be told. `public/embedding.html` is its promise.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::catalogue::Entry;
use crate::query::{ParamSpec, Query};

/// What messages of ours bear, in both directions.
pub const SOURCE: &str = "ringside";

/// The parameters of a model, as it documents them.
pub fn parameters(model: &Entry) -> Vec<Value> {
    let parameter = |spec: &ParamSpec| json!({ "name": spec.name, "about": spec.doc, "default": spec.default });
    model.specs().into_iter().map(parameter).collect()
}

/// What the figure shows: its state as understood, its numbers in base units, and what of the state could not be used.
/// `link` is the address of its page.
pub fn state(model: &Entry, query: &Query, link: &str) -> Value {
    let result = (model.evaluate)(query);
    let quantities: BTreeMap<&str, f64> = result.quantities.iter().map(|q| (q.id, q.value)).collect();
    let problems: Vec<&str> = result.problems.iter().map(|p| p.message.as_str()).collect();
    json!({
        "source": SOURCE,
        "type": "state",
        "widget": model.id,
        "query": result.query.to_string(),
        "link": link,
        "quantities": quantities,
        "problems": problems,
        "error": result.error,
    })
}

/// What a message asks for.
#[derive(Debug, PartialEq)]
pub enum Asked {
    /// To say what the figure shows.
    State,
    /// These parameters to be set.
    Set(Query),
    /// This state instead.
    Replace(Query),
}

/// Reads a message; none if it is not meant for us. An error says what is wrong and what would be right.
pub fn understand(text: &str) -> Option<Result<Asked, String>> {
    let message: Value = serde_json::from_str(text).ok()?;
    (message.get("source")?.as_str()? == SOURCE).then_some(())?;
    Some(match message.get("type").and_then(Value::as_str) {
        Some("get") => Ok(Asked::State),
        Some("set") => match (message.get("parameters"), message.get("query")) {
            (Some(Value::Object(map)), _) => {
                let pair = |(name, value): (&String, &Value)| match value {
                    Value::String(text) => Ok((name.clone(), text.clone())),
                    Value::Number(number) => Ok((name.clone(), number.to_string())),
                    Value::Bool(on) => Ok((name.clone(), on.to_string())),
                    _ => Err(format!("The parameter “{name}” must be a text, a number, true or false.")),
                };
                map.iter().map(pair).collect::<Result<Vec<_>, _>>().map(|pairs| Asked::Set(Query::new(pairs)))
            }
            (None, Some(Value::String(query))) => Ok(Asked::Replace(Query::parse(query))),
            _ => Err("`set` needs `parameters`, an object, or `query`, a text.".to_owned()),
        },
        _ => Err("`type` is “set” or “get”.".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_understood_or_refused() {
        let set = r#"{"source":"ringside","type":"set","parameters":{"zero":3,"params":"30e9","sp":true}}"#;
        let query = Query::new([("params", "30e9"), ("sp", "true"), ("zero", "3")]);
        assert_eq!(understand(set), Some(Ok(Asked::Set(query))));
        let all = r#"{"source":"ringside","type":"set","query":"zero=3&dp=8"}"#;
        assert_eq!(understand(all), Some(Ok(Asked::Replace(Query::new([("zero", "3"), ("dp", "8")])))));
        assert_eq!(understand(r#"{"source":"ringside","type":"get"}"#), Some(Ok(Asked::State)));
        for others in ["", "null", "[]", "1", r#"{"type":"get"}"#, r#"{"source":"react","type":"get"}"#, "{"] {
            assert_eq!(understand(others), None, "{others}");
        }
        for wrong in [
            r#"{"source":"ringside"}"#,
            r#"{"source":"ringside","type":"eval"}"#,
            r#"{"source":"ringside","type":"set"}"#,
            r#"{"source":"ringside","type":"set","parameters":[1]}"#,
            r#"{"source":"ringside","type":"set","parameters":{"zero":{}}}"#,
            r#"{"source":"ringside","type":"set","query":3}"#,
        ] {
            assert!(matches!(understand(wrong), Some(Err(_))), "{wrong}");
        }
    }
}
