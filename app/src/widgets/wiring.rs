//! Controls of a machine's wires: its nodes, their links, ports and network.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::hardware::links::{self, Link};
use ringside_core::network::Wires;
use ringside_core::quantity::number;

use super::fields::{self, At};
use super::param;
use crate::ui::slider::{Scale, Slider};
use crate::ui::state::State;

/// A state with its model and the wires in it.
struct Wiring<P: Send + Sync + 'static> {
    state: State<P>,
    model: &'static Entry,
    at: At<P, Wires>,
}

impl<P: Send + Sync> Clone for Wiring<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Send + Sync> Copy for Wiring<P> {}

/// All of them, folded under what they come to in words.
pub(super) fn fold<P: Clone + PartialEq + Send + Sync + 'static>(
    state: State<P>,
    model: &'static Entry,
    at: At<P, Wires>,
) -> AnyView {
    let wiring = Wiring { state, model, at };
    let words = move || wiring.get(|w| w.in_words());
    let several = Scale::Linear { min: 1.0, max: 4.0, step: 1.0 };
    let spine = Scale::Linear { min: 1.0, max: 16.0, step: 1.0 };
    view! {
        <details class="fold">
            <summary>"The machine: " <span>{words}</span></summary>
            <div class="control-grid">
                {wiring.link("link", "Link in a node", links::INSIDE, |w| &mut w.link)}
                {wiring.link("net", "Link between nodes, a port", links::BETWEEN, |w| &mut w.net)}
                {wiring.link("bridge", "Link between sockets", links::BRIDGES, |w| &mut w.bridge)}
                {wiring.count("node", "GPUs in a node", Scale::Doubling(6), |w| &mut w.node)}
                {wiring.count("nics", "Network ports of a node", Scale::Doubling(4), |w| &mut w.nics)}
                {wiring.count("sockets", "Sockets in its way", several, |w| &mut w.sockets)}
                {wiring.slider("spine", "Network oversubscribed", spine, |w| w.spine, |w, v| w.spine = v)}
            </div>
        </details>
    }
    .into_any()
}

impl<P: Clone + PartialEq + Send + Sync + 'static> Wiring<P> {
    fn get<T>(self, look: impl FnOnce(&mut Wires) -> T) -> T {
        let mut params = self.state.params().get();
        look((self.at)(&mut params))
    }

    fn link(
        self,
        name: &'static str,
        label: &'static str,
        all: &'static [Link],
        at: At<Wires, &'static Link>,
    ) -> AnyView {
        let value = Signal::derive(move || self.get(|w| *at(w)));
        let set = move |link| self.state.update(|p| *at((self.at)(p)) = link);
        let source = view! { <span class="hint">{move || value.get().source.title}</span> };
        fields::link(name, label, all, value, set, source.into_any())
    }

    fn count(self, name: &'static str, label: &'static str, scale: Scale, at: At<Wires, usize>) -> AnyView {
        let value = Signal::derive(move || self.get(|w| *at(w) as f64));
        let set = move |n: f64| self.state.update(|p| *at((self.at)(p)) = n as usize);
        view! { <Slider spec=param(self.model, name) label value set scale format=number /> }.into_any()
    }

    fn slider(
        self,
        name: &'static str,
        label: &'static str,
        scale: Scale,
        get: fn(&Wires) -> f64,
        change: fn(&mut Wires, f64),
    ) -> AnyView {
        let value = Signal::derive(move || self.get(|w| get(w)));
        let set = move |v: f64| self.state.update(|p| change((self.at)(p), v));
        let format = |v: f64| if v > 1.0 { format!("{} : 1", number(v)) } else { "no".to_owned() };
        view! { <Slider spec=param(self.model, name) label value set scale format /> }.into_any()
    }
}
