//! A talk: its slides, what the room sees of them, and what its two windows say to each other.

use ringside_core::query::Query;
use serde::{Deserialize, Serialize};

/// What is on a slide.
#[derive(Debug, Clone, PartialEq)]
pub enum Shows {
    /// A figure in a state.
    Figure {
        /// The widget's id.
        widget: String,
        /// All of its state.
        query: Query,
    },
    /// An exercise.
    Exercise {
        /// The chapter's slug.
        chapter: String,
        /// The exercise's id.
        id: String,
        /// Its prompt with the numbers of the page: HTML of our own build.
        prompt: String,
    },
    /// A text or a picture of a list: HTML that our renderer or we have written.
    Text(String),
    /// A mission or a lab, by its address, relative to the site's base.
    Page(String),
}

/// A state of the deck.
#[derive(Debug, Clone, PartialEq)]
pub struct Slide {
    /// What it is called by everywhere: among a chapter's states `3`, as in `?present=3`, among its exercises `E2`; in a list its place there.
    pub number: String,
    /// The id of its place in the chapter.
    pub place: String,
    /// What is on it.
    pub shows: Shows,
    /// What the chapter says of it.
    pub label: String,
    /// The notes that follow it in the chapter: HTML of our own build.
    pub notes: String,
    /// Whether a lecture on the chapter begins with it: a figure where the chapter puts it, or the prediction it waits for.
    pub first: bool,
}

impl Slide {
    /// Its number and its name.
    pub fn title(&self) -> String {
        format!("{} · {}", self.number, self.label)
    }
}

/// The index of the slide with this number.
pub fn at_number(slides: &[Slide], number: usize) -> Option<usize> {
    let number = number.to_string();
    slides.iter().position(|slide| slide.number == number)
}

/// Where a slide is among those that are numbered as it is: `3 of 12`, `E2 of 19`.
pub fn place(slides: &[Slide], at: usize) -> String {
    let letters = |slide: &Slide| slide.number.starts_with('E');
    let Some(slide) = slides.get(at) else { return String::new() };
    format!("{} of {}", slide.number, slides.iter().filter(|other| letters(other) == letters(slide)).count())
}

/// What the room sees, and where in the talk that is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Now {
    /// Which talk it is: there may be several at once.
    pub talk: String,
    /// Where the deck is from: the query of the presenter's address.
    pub deck: String,
    /// The slide.
    pub at: usize,
    /// The widget on show; none if empty.
    pub widget: String,
    /// What the talk calls it.
    pub title: String,
    /// Its state, as a query.
    pub query: String,
    /// The exercise on show, as `<chapter>/<id>`, and its prompt: HTML of our own build.
    pub exercise: Option<(String, String)>,
    /// Its answer, while the room sees it: HTML of our own build.
    pub answer: String,
    /// Which of its options that answer says are right: places, from 0.
    pub right: Vec<usize>,
    /// The text or the picture on show: HTML.
    pub text: String,
    /// The address of the mission or the lab on show, relative to the site's base.
    pub page: String,
    /// Whether the room sees nothing.
    pub blank: bool,
    /// When the talk began, in Unix seconds; 0 before.
    pub since: i64,
    /// For how many minutes it is meant; 0 for as long as it takes.
    pub minutes: u32,
    /// When the time that the room was given is over, in Unix seconds; 0 if it was given none.
    pub until: i64,
    /// Hands that are counted: an answer, as HTML of our own, and its hands.
    pub hands: Vec<(String, u32)>,
    /// Whether these answers are the options that the exercise lists.
    pub listed: bool,
}

impl Now {
    /// Whether there is anything to say of it: whoever shows nothing yet has nothing.
    pub fn is_told(&self) -> bool {
        self.is_shown() && !self.talk.is_empty()
    }

    /// The same talk at another slide.
    pub fn showing(self, at: usize, slide: &Slide) -> Self {
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
    pub fn held_at(self, held: Option<Self>) -> Self {
        match held {
            Some(held) => Self { blank: self.blank, until: self.until, ..held },
            None => self,
        }
    }

    /// Whether there is something for the room to see.
    pub fn is_shown(&self) -> bool {
        !self.widget.is_empty() || self.exercise.is_some() || !self.text.is_empty() || !self.page.is_empty()
    }
}

/// What goes over the channel: every window of every talk of this browser hears it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// The talk it is about; empty from a window that belongs to none yet.
    pub talk: String,
    /// Whether a presenter's window says it.
    pub leads: bool,
    /// What it says.
    pub said: Said,
}

/// Something said.
#[allow(clippy::large_enum_variant, reason = "one is alive at a time, and what is on show is said most")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
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
pub struct Pointed {
    /// On which of the places of a page that can be pointed at.
    pub on: usize,
    /// Shares of its width and its height.
    pub at: (f64, f64),
}

/// What a key of the talk, or of a presentation remote, asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
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

/// Takes what has come back, and all before it, out of what was said. `true` if more is still to come back.
pub fn came_back(said: &mut Vec<String>, state: &str) -> bool {
    match said.iter().position(|said| said == state) {
        Some(at) => drop(said.drain(..=at)),
        // It is not from here.
        None => said.clear(),
    }
    !said.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_slide_leaves_nothing_of_the_last() {
        let slide = |shows| Slide {
            number: "1".into(),
            place: String::new(),
            shows,
            label: String::new(),
            notes: String::new(),
            first: true,
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
            first: true,
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

    #[test]
    fn what_comes_back_late_does_not_undo_what_was_moved_since() {
        let mut said = ["n=1", "n=2", "n=3"].map(str::to_owned).to_vec();
        assert!(came_back(&mut said, "n=1"), "n=2 and n=3 are on their way");
        assert!(!came_back(&mut said, "n=3"), "the last one is back");
        said = vec!["n=4".to_owned()];
        assert!(!came_back(&mut said, "zero=3"), "the presenter has moved on");
        assert_eq!(said, Vec::<String>::new());
    }
}
