//! The dedicated worker that reads voting cards from a camera's pictures. It is given an `ImageBitmap` and how many cards were handed out, and
//! says what it read ([`Said`], as bytes of postcard); any string has it forget all votes. A picture is read and let go: nothing keeps one.

use std::cell::RefCell;

use js_sys::{Array, Function, JSON, Reflect, Uint8ClampedArray};
use ringside_cards::{Gray, Room, Said};
use ringside_workers::{call, member, say};
use wasm_bindgen::prelude::*;

fn main() {
    let room = RefCell::new(Room::default());
    let hears = ringside_workers::hear(move |given| {
        let mut room = room.borrow_mut();
        if given.is_string() {
            *room = Room::default();
            return;
        }
        let given = Array::from(&given);
        let handed_out = given.get(1).as_f64().unwrap_or_default() as u8;
        say(&look(&given.get(0), &mut room, handed_out).unwrap_or(Said::Failed));
    });
    if hears {
        say(&Said::Ready);
    }
}

/// Reads a picture, and adds its votes. Nothing if this browser does not let a worker see what is in it.
fn look(picture: &JsValue, room: &mut Room, handed_out: u8) -> Option<Said> {
    let begun = now();
    let side = |name: &str| member(picture, name).as_f64().map(|side| side as u32);
    let (width, height) = (side("width")?, side("height")?);
    let pixels = pixels(picture, width, height);
    call(picture, "close", &Array::new());
    let cards = Gray::from_rgba(width as usize, height as usize, &pixels?)?.read();
    room.see(&cards);
    Some(Said::Read { size: (width, height), cards, count: room.count(handed_out), took: now() - begun })
}

/// Four bytes for each pixel.
fn pixels(picture: &JsValue, width: u32, height: u32) -> Option<Vec<u8>> {
    let canvas: Function = member(&js_sys::global(), "OffscreenCanvas").dyn_into().ok()?;
    let canvas = Reflect::construct(&canvas, &Array::of2(&width.into(), &height.into())).ok()?;
    // The pixels are read at once, so the canvas had better not be on the GPU.
    let options = JSON::parse("{\"willReadFrequently\":true}").ok()?;
    let context = call(&canvas, "getContext", &Array::of2(&"2d".into(), &options))?;
    call(&context, "drawImage", &Array::of3(picture, &0.into(), &0.into()))?;
    let data = call(&context, "getImageData", &Array::of4(&0.into(), &0.into(), &width.into(), &height.into()))?;
    Some(member(&data, "data").dyn_into::<Uint8ClampedArray>().ok()?.to_vec())
}

/// Milliseconds since the worker began.
fn now() -> f64 {
    let performance = member(&js_sys::global(), "performance");
    call(&performance, "now", &Array::new()).and_then(|now| now.as_f64()).unwrap_or_default()
}
