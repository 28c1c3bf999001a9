//! What the two windows say to each other.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast as _;
use web_sys::{BroadcastChannel, KeyboardEvent, MessageEvent};

use crate::shell::deck::{Shows, Slide};
use crate::shell::shortcuts::{on_nothing, typing};
use crate::ui::dom;

/// The channel's name, and under which each window keeps what it last knew for when it is loaded anew.
const NAME: &str = "ringside-room";

/// What the room sees, and where in the talk that is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Now {
    /// Which talk it is: there may be several at once.
    pub(super) talk: String,
    /// Where the deck is from: the query of the presenter's address.
    pub(super) deck: String,
    /// The slide.
    pub(super) at: usize,
    /// The widget on show; none if empty.
    pub(super) widget: String,
    /// What the talk calls it.
    pub(super) title: String,
    /// Its state, as a query.
    pub(super) query: String,
    /// The exercise on show, as `<chapter>/<id>`, and its prompt: HTML of our own build.
    pub(super) exercise: Option<(String, String)>,
    /// Its answer, while the room sees it: HTML of our own build.
    pub(super) answer: String,
    /// Which of its options that answer says are right: places, from 0.
    pub(super) right: Vec<usize>,
    /// The text or the picture on show: HTML.
    pub(super) text: String,
    /// The address of the mission or the lab on show, relative to the site's base.
    pub(super) page: String,
    /// Whether the room sees nothing.
    pub(super) blank: bool,
    /// When the talk began, in Unix seconds; 0 before.
    pub(super) since: i64,
    /// For how many minutes it is meant; 0 for as long as it takes.
    pub(super) minutes: u32,
    /// When the time that the room was given is over, in Unix seconds; 0 if it was given none.
    pub(super) until: i64,
    /// Hands that are counted: an answer, as HTML of our own, and its hands.
    pub(super) hands: Vec<(String, u32)>,
    /// Whether these answers are the options that the exercise lists.
    pub(super) listed: bool,
}

impl Now {
    /// Whether there is anything to say of it: whoever shows nothing yet has nothing.
    pub(super) fn is_told(&self) -> bool {
        self.is_shown() && !self.talk.is_empty()
    }

    /// The same talk at another slide.
    pub(super) fn showing(self, at: usize, slide: &Slide) -> Self {
        let bare = Self {
            at,
            widget: String::new(),
            title: String::new(),
            query: String::new(),
            exercise: None,
            answer: String::new(),
            right: Vec::new(),
            text: String::new(),
            page: String::new(),
            hands: Vec::new(),
            listed: false,
            ..self
        };
        match &slide.shows {
            Shows::Figure { widget, query } => {
                Self { widget: widget.clone(), title: slide.label.clone(), query: query.to_string(), ..bare }
            }
            Shows::Exercise { chapter, id, prompt } => {
                Self { exercise: Some((format!("{chapter}/{id}"), prompt.clone())), ..bare }
            }
            Shows::Text(html) => Self { text: html.clone(), ..bare },
            Shows::Page(address) => Self { page: address.clone(), ..bare },
        }
    }

    /// What the room sees of this while its screen is held at `held`: blank or not and with the countdown as they are now.
    pub(super) fn held_at(self, held: Option<Self>) -> Self {
        match held {
            Some(held) => Self { blank: self.blank, until: self.until, ..held },
            None => self,
        }
    }

    /// Whether there is something for the room to see.
    pub(super) fn is_shown(&self) -> bool {
        !self.widget.is_empty() || self.exercise.is_some() || !self.text.is_empty() || !self.page.is_empty()
    }

    /// What this window last knew.
    pub(super) fn remembered() -> Option<Self> {
        let text = window().session_storage().ok()??.get_item(NAME).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// Keeps it for when this window is loaded anew. A browser that refuses asks the other window then.
    pub(super) fn remember(&self) {
        let (Ok(Some(storage)), Ok(text)) = (window().session_storage(), serde_json::to_string(self)) else { return };
        let _ = storage.set_item(NAME, &text);
    }
}

/// What goes over the channel: every window of every talk of this browser hears it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Letter {
    /// The talk it is about; empty from a window that belongs to none yet.
    pub(super) talk: String,
    /// Whether a presenter's window says it.
    pub(super) leads: bool,
    pub(super) said: Said,
}

/// Something said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Said {
    /// A window has come: what is on show?
    Hello,
    /// A presenter's window to another: this talk is led.
    Led,
    /// This is on show.
    Now(Now),
    /// A control was moved in the audience's window.
    Moved(String),
    /// A key was pressed in the audience's window.
    Asked(Step),
    /// Whether the room's figure goes on below what is seen.
    Folded(bool),
    /// Turn to what is below.
    Unfold,
    /// Where the presenter points; nowhere.
    Pointed(Option<Pointed>),
}

/// A place on what is on show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Pointed {
    /// On which of [`super::POINTED_AT`].
    pub(super) on: usize,
    /// Shares of its width and its height.
    pub(super) at: (f64, f64),
}

/// What a key of the talk, or of a presentation remote, asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Step {
    /// The next state.
    On,
    /// The state before.
    Back,
    /// The state of this number.
    To(usize),
    /// Nothing on the screen, or something again.
    Blank,
    /// The room's screen stays as it is, or follows again.
    Hold,
}

impl Step {
    /// What a key asks for, if it is one of the talk's.
    pub(super) fn of(event: &KeyboardEvent) -> Option<Self> {
        if !dom::is_plain(event) {
            return None;
        }
        match event.key().as_str() {
            // Presentation remotes have these.
            "PageDown" => Some(Self::On),
            "PageUp" => Some(Self::Back),
            "ArrowRight" | "ArrowDown" | " " if on_nothing(event) => Some(Self::On),
            "ArrowLeft" | "ArrowUp" if on_nothing(event) => Some(Self::Back),
            _ if typing(event) => None,
            "b" | "B" | "." => Some(Self::Blank),
            "f" | "F" => Some(Self::Hold),
            digit => digit.parse::<usize>().ok().filter(|n| (1..=9).contains(n)).map(Self::To),
        }
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

#[cfg(test)]
mod tests {
    use ringside_core::query::Query;

    use super::*;

    #[test]
    fn another_slide_leaves_nothing_of_the_last() {
        let slide = |shows| Slide {
            number: "1".into(),
            place: String::new(),
            shows,
            label: String::new(),
            notes: String::new(),
        };
        let exercise = Shows::Exercise { chapter: "x".into(), id: "y".into(), prompt: "?".into() };
        let asked = Now { minutes: 45, ..Now::default() }.showing(0, &slide(exercise));
        let answered = Now { answer: "480 GB".into(), right: vec![1], listed: true, ..asked };
        let text = answered.showing(1, &slide(Shows::Text("<p>Then</p>".into())));
        assert_eq!((text.exercise.clone(), text.answer.as_str(), text.minutes), (None, "", 45));
        assert!(text.right.is_empty() && !text.listed);
        assert!(text.is_shown() && text.text == "<p>Then</p>");
    }

    #[test]
    fn a_held_screen_goes_blank_and_counts_down() {
        let held = Now { at: 1, text: "<p>One</p>".into(), minutes: 45, ..Now::default() };
        let now = Now { at: 2, text: "<p>Two</p>".into(), blank: true, until: 90, ..held.clone() };
        assert_eq!(now.clone().held_at(None), now);
        assert_eq!(now.held_at(Some(held.clone())), Now { blank: true, until: 90, ..held.clone() });
        let blank = Now { blank: true, until: 90, ..held.clone() };
        assert_eq!(held.clone().held_at(Some(blank)), held, "and is let go of both");
    }

    #[test]
    fn what_is_said_is_heard() {
        let slide = Slide {
            number: "4".into(),
            place: "main".into(),
            shows: Shows::Figure { widget: "amdahl".into(), query: Query::new([("n", "8")]) },
            label: "Eight of them".into(),
            notes: String::new(),
        };
        let now = Now { deck: "chapter=x".into(), blank: true, ..Now::default() }.showing(3, &slide);
        assert_eq!((now.at, now.widget.as_str(), now.query.as_str(), now.blank), (3, "amdahl", "n=8", true));
        assert_eq!(now.title, "Eight of them");
        let pointed = Said::Pointed(Some(Pointed { on: 1, at: (0.25, 0.5) }));
        for said in [Said::Hello, Said::Now(now), Said::Moved("n=16".into()), Said::Asked(Step::To(2)), pointed] {
            let letter = Letter { talk: "a".into(), leads: true, said };
            let text = serde_json::to_string(&letter).expect("JSON");
            assert_eq!(serde_json::from_str::<Letter>(&text).expect("the same"), letter);
        }
        assert!(serde_json::from_str::<Said>("{\"Now\":{\"later\":1}}").is_ok(), "a later version may say more");
    }
}
