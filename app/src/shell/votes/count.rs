//! A room's cards, counted by the camera while they are held up.

use gloo_timers::future::TimeoutFuture;
use js_sys::Array;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_cards::{Answer, Count, Reading, Said};
use ringside_core::quantity::counted;
use wasm_bindgen::prelude::*;

use super::camera::{self, Camera, Device};
use super::{handed_out, handed_out_field};
use crate::ui::hands::Hands;
use crate::worker::{Program, Worker};

const READER: Program = Program { meta: "ringside-cards", does: "reads cards", remedy: "Try again." };
/// How long it rests between two pictures, in milliseconds: the page has other things to do.
const REST: u32 = 120;
/// After so many pictures without a card it says what may be wrong.
const PATIENCE: u32 = 12;

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// The browser asks for the camera, or the program that reads is downloaded.
    Starting,
    Counting,
    /// Why it doesn't count: a sentence.
    Failed(String),
}

/// A count that goes on.
#[derive(Clone, Copy)]
struct Counter {
    hands: Hands,
    open: RwSignal<bool>,
    phase: RwSignal<Phase>,
    count: RwSignal<Count>,
    /// The last picture's size and cards.
    seen: RwSignal<((u32, u32), Vec<Reading>)>,
    /// Pictures since the count began.
    pictures: RwSignal<u32>,
    cameras: RwSignal<Vec<Device>>,
    /// Which of them is on.
    device: RwSignal<String>,
    video: NodeRef<html::Video>,
    camera: StoredValue<Option<Camera>, LocalStorage>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
}

/// The camera's picture and the count, for these hands, as long as it is open.
pub(super) fn view(hands: Hands, open: RwSignal<bool>) -> AnyView {
    let counter = Counter {
        hands,
        open,
        phase: RwSignal::new(Phase::Starting),
        count: RwSignal::new(Count::default()),
        seen: RwSignal::new(((16, 9), Vec::new())),
        pictures: RwSignal::new(0),
        cameras: RwSignal::new(Vec::new()),
        device: RwSignal::new(String::new()),
        video: NodeRef::new(),
        camera: StoredValue::new_local(None),
        worker: StoredValue::new_local(None),
    };
    on_cleanup(move || {
        drop(counter.camera.try_update_value(Option::take));
        drop(counter.worker.try_update_value(Option::take));
    });
    counter.begin(None);
    counter.view()
}

impl Counter {
    /// Turns a camera on, and has what it sees read, from nothing.
    fn begin(self, device: Option<String>) {
        self.camera.set_value(None);
        self.worker.set_value(None);
        self.count.set(Count::default());
        self.pictures.set(0);
        self.phase.set(Phase::Starting);
        spawn_local(async move {
            let camera = match Camera::open(device).await {
                Ok(camera) => camera,
                Err(why) => return self.fail(why),
            };
            let known = camera::cameras().await;
            // The count may be closed already; then the camera goes off here.
            let Some(video) = self.video.try_get_untracked().flatten() else { return };
            camera.show(&video);
            self.device.set(camera.device());
            if self.cameras.with_untracked(|before| *before != known) {
                self.cameras.set(known);
            }
            self.camera.set_value(Some(camera));
            match Worker::start(READER, move |said| self.hear(said)) {
                Ok(worker) => self.worker.set_value(Some(worker)),
                Err(why) => self.fail(why),
            }
        });
    }

    fn fail(self, why: String) {
        drop(self.camera.try_update_value(Option::take));
        drop(self.worker.try_update_value(Option::take));
        self.phase.try_set(Phase::Failed(why));
    }

    fn hear(self, said: Result<JsValue, String>) {
        match said.and_then(|said| READER.read(&said)) {
            Ok(Said::Ready) => {
                self.phase.set(Phase::Counting);
                self.look();
            }
            Ok(Said::Read { size, cards, count, .. }) => {
                self.seen.set((size, cards));
                if self.count.with_untracked(|before| *before != count) {
                    self.count.set(count);
                }
                self.pictures.update(|pictures| *pictures = pictures.saturating_add(1));
                self.look();
            }
            Ok(Said::Failed) => self.fail(
                "This browser doesn’t let a background program read pictures. Use a current Chrome, Edge, Firefox or Safari, or count hands.".into(),
            ),
            Err(why) => self.fail(why),
        }
    }

    /// Has the next picture read, once there is one. Ends when the count does, and when another camera is being turned on.
    fn look(self) {
        spawn_local(async move {
            loop {
                TimeoutFuture::new(REST).await;
                match self.camera.try_with_value(|camera| camera.as_ref().map(Camera::is_on)).flatten() {
                    Some(true) => {}
                    Some(false) => {
                        return self
                            .fail("The camera was disconnected or switched off. Connect it, and try again.".into());
                    }
                    None => return,
                }
                let Some(video) = self.video.try_get_untracked().flatten() else { return };
                // What isn't displayed has no offset parent: the projection was left, and nobody sees that the camera is on.
                if video.offset_parent().is_none() {
                    return self.open.set(false);
                }
                let Some(picture) = camera::picture(&video).await else { continue };
                let given = Array::of2(&picture, &untrack(handed_out).into());
                self.worker.try_with_value(|worker| {
                    if let Some(worker) = worker {
                        worker.hand_over(&given, &Array::of1(&picture));
                    }
                });
                return;
            }
        });
    }

    fn forget(self) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(&"again".into());
            }
        });
        self.count.set(Count::default());
        self.pictures.set(0);
    }

    fn view(self) -> AnyView {
        let Self { hands, open, phase, count, seen, pictures, .. } = self;
        let fails = move || phase.with(|phase| matches!(phase, Phase::Failed(_)));
        let is_counting = move || phase.with(|phase| *phase == Phase::Counting);
        let cards = Memo::new(move |_| count.with(Count::cards));
        let status = move || match phase.get() {
            Phase::Starting => "Allow the camera when the browser asks.".to_owned(),
            Phase::Counting => {
                format!("{} of {} counted", cards.get(), counted(handed_out().into(), "card", "cards"))
            }
            Phase::Failed(_) => String::new(),
        };
        let vote = move |answer: Answer| {
            let nth = answer as usize;
            let votes = move || count.with(|count| count.votes.get(nth).copied().unwrap_or_default());
            view! { <li class:none=move || !hands.takes(nth)><b>{answer.letter()}</b> " " <b class="card-sum">{votes}</b></li> }
        };
        let take = move |_| {
            let votes = count.with_untracked(|count| count.votes);
            hands.take(&votes);
            open.set(false);
        };
        let outlines = move || {
            let outline = |reading: &Reading| {
                let points: Vec<String> = reading.corners.iter().map(|(x, y)| format!("{x:.0},{y:.0}")).collect();
                view! { <polygon points=points.join(" ") /> }
            };
            seen.with(|(_, cards)| cards.iter().map(outline).collect_view())
        };
        let frame = move || seen.with(|((width, height), _)| format!("0 0 {width} {height}"));
        let warnings = move || {
            is_counting().then(|| {
                self.warnings(pictures.get() > PATIENCE).into_iter().map(|why| view! { <p>{why}</p> }).collect_view()
            })
        };
        view! {
            <section class="card-count sans" aria-label="Paper votes">
                <div class="card-picture" hidden=fails>
                    <video node_ref=self.video autoplay=true playsinline=true muted=true prop:muted=true aria-hidden="true"></video>
                    <svg viewBox=frame aria-hidden="true">{outlines}</svg>
                </div>
                <div class="card-votes">
                    <p class="card-status" role="status">{status}</p>
                    <div role="alert">
                        {move || match phase.get() {
                            Phase::Failed(why) => Some(view! { <div class="message"><p>{why}</p></div> }),
                            _ => None,
                        }}
                    </div>
                    <ol hidden=fails>{Answer::ALL.map(vote).into_iter().collect_view()}</ol>
                    <div class="card-warnings small">{warnings}</div>
                    {handed_out_field()}
                    {self.choice()}
                    <p class="actions">
                        <button type="button" disabled=move || cards.get() == 0 on:click=take>"Take this count"</button>
                        <button type="button" class="secondary" hidden=move || !is_counting() on:click=move |_| self.forget()>"Start over"</button>
                        <button type="button" class="secondary" hidden=move || !fails() on:click=move |_| self.begin(None)>"Try again"</button>
                        <button type="button" class="quiet" on:click=move |_| open.set(false)>"Stop counting"</button>
                    </p>
                    <p class="small">
                        "Pictures are read in this browser and never stored or sent. " <a href="cards/" target="_blank">"Print cards"</a> "."
                    </p>
                </div>
            </section>
        }
        .into_any()
    }

    /// What an instructor should know about the count. Tracks.
    fn warnings(self, is_late: bool) -> Vec<String> {
        let listed = |cards: &[u8]| cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let mut all = Vec::new();
        self.count.with(|count| {
            for (nth, answer) in Answer::ALL.into_iter().enumerate() {
                let votes = count.votes.get(nth).copied().unwrap_or_default();
                if votes > 0 && !self.hands.takes(nth) {
                    let letter = answer.letter();
                    let votes = counted(votes.into(), "card shows", "cards show");
                    all.push(format!("{votes} {letter}, which isn’t an answer here. Only the answers listed are taken."));
                }
            }
            if !count.beyond.is_empty() {
                let (cards, many) = (listed(&count.beyond), handed_out());
                all.push(format!("Not counted because only cards 1 to {many} were handed out: {cards}."));
            }
            if !count.twice.is_empty() {
                all.push(format!("Seen twice at the same time, so only one of each is counted: {}.", listed(&count.twice)));
            }
            if is_late && count.cards() == 0 && count.beyond.is_empty() {
                all.push("No card is counted yet. Hold cards still and upright, with their white edge visible; turn the camera to the room; add light.".to_owned());
            }
        });
        if self.hands.takes(Answer::ALL.len()) && self.hands.is_written() {
            all.push("Cards have the answers A to D. Count hands for the others.".to_owned());
        }
        all
    }

    /// Which camera, where there are several.
    fn choice(self) -> impl IntoView {
        let Self { cameras, device, .. } = self;
        move || {
            (cameras.with(Vec::len) > 1).then(|| {
                let option = move |of: Device| {
                    let own = of.id.clone();
                    view! { <option value=of.id prop:selected=move || device.with(|on| *on == own)>{of.label}</option> }
                };
                view! {
                    <label>
                        "Camera "
                        <select on:change=move |event| self.begin(Some(event_target_value(&event)))>
                            {cameras.get().into_iter().map(option).collect_view()}
                        </select>
                    </label>
                }
            })
        }
    }
}
