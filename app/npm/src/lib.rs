//! `ringside` for JavaScript: a function for each command, which returns what the command prints with `--json`. `cargo xtask npm` makes the package.

use std::io::Cursor;

use js_sys::{Error, JSON, Uint8Array};
use ringside::{Given, Output, Unread};
use wasm_bindgen::prelude::*;

/// What the functions return and take, for TypeScript.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

#[wasm_bindgen]
extern "C" {
    /// A file of a run.
    #[wasm_bindgen(typescript_type = "RunFile")]
    pub type RunFile;
    #[wasm_bindgen(method, getter)]
    fn name(this: &RunFile) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn content(this: &RunFile) -> JsValue;
}

/// Every figure: `ringside figures`.
#[wasm_bindgen(unchecked_return_type = "Figure[]")]
pub fn figures() -> Result<JsValue, JsValue> {
    answer(Ok(ringside::figures(true)))
}

/// The parameters and quantities of a figure: `ringside describe`.
#[wasm_bindgen(unchecked_return_type = "Description")]
pub fn describe(figure: &str) -> Result<JsValue, JsValue> {
    answer(ringside::describe(figure, true))
}

/// The quantities of a figure in a state, and whether assertions about them hold: `ringside ask`.
#[wasm_bindgen(unchecked_return_type = "Answer")]
pub fn ask(figure: &str, state: Option<String>, assertions: Option<Vec<String>>) -> Result<JsValue, JsValue> {
    answer(ringside::ask(figure, &state.unwrap_or_default(), &assertions.unwrap_or_default(), true))
}

/// The model of the text of a Hugging Face `config.json`: `ringside config`.
#[wasm_bindgen(unchecked_return_type = "Config")]
pub fn config(text: &str) -> Result<JsValue, JsValue> {
    answer(ringside::config(text, true))
}

/// A run from its files, predicted next to measured, and where the gap goes: `ringside run`.
#[wasm_bindgen(unchecked_return_type = "Report")]
pub fn run(files: Vec<RunFile>) -> Result<JsValue, JsValue> {
    answer(ringside::run(files.iter().map(given), true))
}

/// The assertions of a run file, and others: `ringside check`.
#[wasm_bindgen(unchecked_return_type = "Report")]
pub fn check(files: Vec<RunFile>, assertions: Option<Vec<String>>) -> Result<JsValue, JsValue> {
    answer(ringside::check(files.iter().map(given), &assertions.unwrap_or_default(), true))
}

/// The picture of a figure in a state, as an SVG file: `ringside svg`.
#[wasm_bindgen]
pub fn svg(figure: &str, state: Option<String>) -> Result<String, JsValue> {
    ringside::svg(figure, &state.unwrap_or_default()).map(|output| output.text).map_err(thrown)
}

/// What a command answers with `--json`.
fn answer(output: Result<Output, Unread>) -> Result<JsValue, JsValue> {
    JSON::parse(&output.map_err(thrown)?.text)
}

fn thrown(Unread(why): Unread) -> JsValue {
    let error = Error::new(&why);
    error.set_name("Unread");
    error.into()
}

fn given(file: &RunFile) -> Given {
    let name = file.name().as_string().ok_or("A file has no name. Give it one: { name: \"log.txt\", content: … }.")?;
    let content = file.content();
    let bytes = match content.as_string() {
        Some(text) => text.into_bytes(),
        None => match content.dyn_ref::<Uint8Array>() {
            Some(bytes) => bytes.to_vec(),
            None => return Err(format!("{name} couldn't be read: its content is neither a string nor a Uint8Array.")),
        },
    };
    Ok((name, Box::new(Cursor::new(bytes))))
}
