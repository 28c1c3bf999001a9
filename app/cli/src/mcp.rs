//! The Model Context Protocol over stdio: a JSON-RPC 2.0 message per line, every figure a tool.
//!
//! Source: modelcontextprotocol.io, specification of 2025-06-18, "Lifecycle", "Transports" and "Tools".

use std::io::{BufRead as _, Write as _};

use ringside_core::catalogue;
use ringside_core::query::Query;
use serde_json::{Value, json};

use crate::answer::State;
use crate::{Unread, find, schema};

/// The newest revision of the protocol that is spoken.
const REVISION: &str = "2025-06-18";
/// The longest message that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// JSON-RPC's numbers for what went wrong.
mod code {
    pub(super) const PARSE: i32 = -32700;
    pub(super) const REQUEST: i32 = -32600;
    pub(super) const METHOD: i32 = -32601;
    pub(super) const PARAMS: i32 = -32602;
}

/// Answers until the other side hangs up.
///
/// # Errors
/// What is read or written on standard input and output couldn't be.
pub fn serve() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        if let Some(answer) = message(&line) {
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}

/// What is answered to a message; none to a notification.
fn message(line: &str) -> Option<Value> {
    if line.len() > LONGEST {
        return Some(failure(&Value::Null, code::REQUEST, "The message is longer than 1 MiB."));
    }
    let Ok(message) = serde_json::from_str::<Value>(line) else {
        return Some(failure(&Value::Null, code::PARSE, "The message isn't JSON."));
    };
    let Some(method) = message["method"].as_str() else {
        return Some(failure(&message["id"], code::REQUEST, "The message names no method."));
    };
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match method {
        "initialize" => Ok(json!({
            "protocolVersion": REVISION,
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "ringside", "version": env!("CARGO_PKG_VERSION") },
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools() })),
        "tools/call" => call(params).map_err(|Unread(why)| (code::PARAMS, why)),
        other => Err((code::METHOD, format!("There is no method {other}."))),
    };
    Some(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, why)) => failure(id, code, &why),
    })
}

fn failure(id: &Value, code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}

fn tools() -> Value {
    let tool = |entry: &catalogue::Entry| {
        json!({
            "name": entry.id, "title": entry.title, "description": entry.summary, "inputSchema": schema::parameters(entry),
        })
    };
    catalogue::ALL.iter().map(tool).collect()
}

/// Calls a figure. What is wrong with its arguments is the tool's result, so that the model that called it reads it.
fn call(params: &Value) -> Result<Value, Unread> {
    let entry = find(params["name"].as_str().unwrap_or_default())?;
    let empty = serde_json::Map::new();
    let arguments = params["arguments"].as_object().unwrap_or(&empty);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let query = Query::new(arguments.iter().map(|(name, value)| (name.clone(), text(value))));
    Ok(match State::read(entry, &query) {
        Ok(state) => json!({
            "content": [{ "type": "text", "text": state.table() }],
            "structuredContent": state.json(),
            "isError": state.impossible().is_some(),
        }),
        Err(Unread(why)) => json!({ "content": [{ "type": "text", "text": why }], "isError": true }),
    })
}
