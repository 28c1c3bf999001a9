//! Pictures of a lecture list. They are files of whoever lectures: kept in this tab, and in the list's own file, but in no link.

use std::collections::BTreeMap;

use js_sys::Reflect;
use leptos::prelude::*;
use ringside_learner::lecture::is_picture;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Storage};

use crate::ui::dom;

/// Under which the tab keeps them.
const KEY: &str = "ringside.pictures";
/// The longer side of a picture as it is kept, in pixels: that of the screens it is for.
const SIDE: f64 = 1600.0;
/// What a line of a list's file begins with that holds a picture.
const HELD: &str = "# picture ";

/// Addresses that hold the pictures themselves, by name.
type Pictures = BTreeMap<String, String>;

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn all() -> Pictures {
    let text = storage().and_then(|storage| storage.get_item(KEY).ok().flatten()).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn keep(pictures: &Pictures) -> Result<(), String> {
    let full = "This browser keeps no more pictures in this tab. Take a smaller one, or leave one out.";
    let text = serde_json::to_string(pictures).unwrap_or_default();
    storage().ok_or(full)?.set_item(KEY, &text).map_err(|_| full.to_owned())
}

/// The slide of a picture, as HTML.
///
/// # Errors
/// A sentence: it is not here.
pub(super) fn html(name: &str, caption: &str) -> Result<String, String> {
    let picture = all().remove(name).filter(|address| is_picture(address)).ok_or_else(|| {
        format!("The picture “{name}” is not in this tab: a link holds none. Open the list’s file, or add the picture again.")
    })?;
    let (alt, below) = (dom::escaped(caption), dom::escaped(caption));
    Ok(format!(
        "<figure class=\"picture\"><img src=\"{picture}\" alt=\"{alt}\"><figcaption>{below}</figcaption></figure>"
    ))
}

/// Takes a picture in, smaller if it is large. Yields its name in the list.
///
/// # Errors
/// A sentence: it is no picture, or there is no room.
pub(in crate::shell) async fn add(file: &web_sys::File) -> Result<String, String> {
    let refused = |_| format!("{} is no picture that this browser reads.", file.name());
    let url = web_sys::Url::create_object_url_with_blob(file).map_err(refused)?;
    let drawn = draw(&url).await;
    let _ = web_sys::Url::revoke_object_url(&url);
    let picture = drawn.map_err(refused)?;
    let mut pictures = all();
    let plain: String =
        file.name().chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' }).collect();
    let mut name = plain.clone();
    let mut n = 2;
    while pictures.get(&name).is_some_and(|other| *other != picture) {
        name = format!("{n}-{plain}");
        n += 1;
    }
    pictures.insert(name.clone(), picture);
    keep(&pictures)?;
    Ok(name)
}

async fn draw(url: &str) -> Result<String, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    let decode = Reflect::get(&image, &"decode".into())?.dyn_into::<js_sys::Function>()?;
    JsFuture::from(decode.call0(&image)?.dyn_into::<js_sys::Promise>()?).await?;
    let (width, height) = (f64::from(image.natural_width()), f64::from(image.natural_height()));
    let scale = (SIDE / width.max(height).max(1.0)).min(1.0);
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width((width * scale).round() as u32);
    canvas.set_height((height * scale).round() as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.dyn_into::<CanvasRenderingContext2d>()?;
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    let picture = canvas.to_data_url_with_type("image/webp")?;
    if is_picture(&picture) { Ok(picture) } else { Err(JsValue::NULL) }
}

/// The text of a list's file: the list, and the pictures that it names.
pub(in crate::shell) fn to_file(list: &str) -> String {
    let named = all().into_iter().filter(|(name, _)| list.contains(&format!("]({name})")));
    let held: String = named.map(|(name, picture)| format!("{HELD}{name} {picture}\n")).collect();
    let gap = if held.is_empty() || list.ends_with('\n') { "" } else { "\n" };
    format!("{list}{gap}{held}")
}

/// The list in a file; its pictures are taken in.
///
/// # Errors
/// A sentence: there is no room for them.
pub(in crate::shell) fn from_file(text: &str) -> Result<String, String> {
    let held = |line: &str| {
        let (name, picture) = line.strip_prefix(HELD)?.split_once(' ')?;
        is_picture(picture.trim()).then(|| (name.to_owned(), picture.trim().to_owned()))
    };
    let mut pictures = all();
    let mut list = String::new();
    let before = pictures.len();
    for line in text.lines() {
        match held(line) {
            Some((name, picture)) => drop(pictures.insert(name, picture)),
            None => list = format!("{list}{line}\n"),
        }
    }
    if pictures.len() != before || text.contains(HELD) {
        keep(&pictures)?;
    }
    Ok(list)
}
