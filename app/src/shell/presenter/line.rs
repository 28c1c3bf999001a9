//! The channel over which the two windows of a talk speak.

use leptos::prelude::*;
use ringside_learner::talk::{Letter, Now, Said, Step};
use wasm_bindgen::JsCast as _;
use web_sys::{BroadcastChannel, KeyboardEvent, MessageEvent};

use crate::shell::shortcuts::{on_nothing, typing};
use crate::ui::dom;

/// The channel's name, and under which each window keeps what it last knew for when it is loaded anew.
const NAME: &str = "ringside-room";

/// What this window last knew.
pub(super) fn remembered() -> Option<Now> {
    let text = window().session_storage().ok()??.get_item(NAME).ok()??;
    serde_json::from_str(&text).ok()
}

/// Keeps it for when this window is loaded anew. A browser that refuses asks the other window then.
pub(super) fn remember(now: &Now) {
    let (Ok(Some(storage)), Ok(text)) = (window().session_storage(), serde_json::to_string(now)) else { return };
    let _ = storage.set_item(NAME, &text);
}

/// What a key asks for, if it is one of the talk's.
pub(super) fn step(event: &KeyboardEvent) -> Option<Step> {
    if !dom::is_plain(event) {
        return None;
    }
    match event.key().as_str() {
        // Presentation remotes have these.
        "PageDown" => Some(Step::On),
        "PageUp" => Some(Step::Back),
        "ArrowRight" | "ArrowDown" | " " if on_nothing(event) => Some(Step::On),
        "ArrowLeft" | "ArrowUp" if on_nothing(event) => Some(Step::Back),
        _ if typing(event) => None,
        "b" | "B" | "." => Some(Step::Blank),
        "f" | "F" => Some(Step::Hold),
        digit => digit.parse::<usize>().ok().filter(|n| (1..=9).contains(n)).map(Step::To),
    }
}

/// A name for a talk that no other has.
pub(super) fn new_talk() -> String {
    format!("{:x}", (js_sys::Math::random() * 2_f64.powi(52)) as u64)
}

/// The channel, for as long as the place that opened it is there.
#[derive(Clone, Copy)]
pub(super) struct Line {
    channel: StoredValue<Option<BroadcastChannel>, LocalStorage>,
    leads: bool,
}

impl Line {
    /// Opens it, and does `hear` for everything that other windows say.
    pub(super) fn open(leads: bool, hear: impl Fn(Letter) + 'static) -> Self {
        let channel = BroadcastChannel::new(NAME).ok();
        if let Some(channel) = &channel {
            dom::on(channel, "message", move |event| {
                let text = event.dyn_into::<MessageEvent>().ok().and_then(|event| event.data().as_string());
                // What cannot be read is from another version of this page.
                if let Some(letter) = text.and_then(|text| serde_json::from_str(&text).ok()) {
                    hear(letter);
                }
            });
        }
        let line = Self { channel: StoredValue::new_local(channel), leads };
        on_cleanup(move || {
            if let Some(Some(channel)) = line.channel.try_update_value(Option::take) {
                channel.close();
            }
        });
        line
    }

    /// Says something about a talk. `false` if this browser has no such channels.
    pub(super) fn say(self, talk: &str, said: Said) -> bool {
        let letter = Letter { talk: talk.to_owned(), leads: self.leads, said };
        let Ok(text) = serde_json::to_string(&letter) else { return false };
        self.channel
            .try_with_value(|channel| channel.as_ref().is_some_and(|c| c.post_message(&text.into()).is_ok()))
            .unwrap_or_default()
    }
}
