//! The model of a `config.json`.

use ringside_core::model::ConfigProblem;
use ringside_core::model::config::{Import, import};
use ringside_core::quantity::grouped;
use serde_json::{Value, json};

use crate::{Output, Unread, pretty};

/// Reads it. A guess is printed as one, and makes the command exit with 1: a script isn't to take it for a count.
///
/// # Errors
/// The text isn't such a file, or names an impossible model.
pub fn main(text: &str, as_json: bool) -> Result<Output, Unread> {
    let import = import(text).map_err(|problems| Unread(lines(&problems)))?;
    let imported = import.imported();
    let count = imported.shape.count().map_err(|problem| Unread(problem.message))?;
    let (parameters, family) = (count.total, imported.family.model_type());
    // Both are whole and well below 2⁵³.
    let (token, sequence) = (imported.shape.kv_bytes_per_token(2.0) as u64, imported.shape.state_bytes() as u64);
    let guess = match &import {
        Import::Known(_) => None,
        Import::Guess { message, .. } => Some(message),
    };
    let text = if as_json {
        let warnings: Value = imported.warnings.iter().map(|warning| warning.message.as_str()).collect();
        pretty(
            &json!({ "parameters": parameters, "family": family, "context": imported.context, "kv_bytes_per_token": token,
                     "state_bytes": sequence, "guess": guess, "warnings": warnings }),
        )
    } else {
        let mut text =
            format!("Parameters  {}{}\n", grouped(parameters), if guess.is_some() { " (a guess)" } else { "" });
        text += &format!("Read as     {family}\n");
        text += &format!("KV cache    {} B per token in 16 bits\n", grouped(token));
        if sequence > 0 {
            text += &format!("State       {} B per sequence in 32 bits\n", grouped(sequence));
        }
        if let Some(context) = imported.context {
            text += &format!("Context     {} tokens\n", grouped(context));
        }
        if let Some(message) = guess {
            text += &format!("\n{message}\n");
        }
        format!("{text}\n{}", lines(&imported.warnings))
    };
    Ok(Output { text, holds: guess.is_none() })
}

fn lines(problems: &[ConfigProblem]) -> String {
    problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("\n")
}
