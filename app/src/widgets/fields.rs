//! Controls of parameters that several widgets have: links, GPUs, numbers and switches.
//!
//! Each is given the widget's state and where in it the parameter is.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::hardware::links::{self, Link};
use ringside_core::hardware::{self, Accelerator};
use ringside_core::quantity::grouped;

use super::param;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::ui::state::State;

/// Where a parameter is in a state.
pub(super) type At<P, T> = fn(&mut P) -> &mut T;

/// A state with its model: what every control needs.
pub(super) struct Fields<P: Send + Sync + 'static> {
    state: State<P>,
    model: &'static Entry,
}

impl<P: Send + Sync> Clone for Fields<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Send + Sync> Copy for Fields<P> {}

impl<P: Copy + PartialEq + Send + Sync + 'static> Fields<P> {
    pub fn new(state: State<P>, model: &'static Entry) -> Self {
        Self { state, model }
    }

    fn get<T: Copy>(self, at: At<P, T>) -> T {
        let mut params = self.state.params().get();
        *at(&mut params)
    }

    /// A whole number, by doublings of 1 up to 2 to this power; the field beside it takes every valid one.
    pub fn doubling(self, name: &'static str, label: &'static str, power: u32, at: At<P, u64>) -> AnyView {
        let value = Signal::derive(move || self.get(at) as f64);
        self.slider(name, label, power, value, move |n| self.state.update(|p| *at(p) = n))
    }

    /// A whole number that is not simply there.
    pub fn slider(
        self,
        name: &'static str,
        label: &'static str,
        power: u32,
        value: Signal<f64>,
        set: impl Fn(u64) + Send + Sync + 'static,
    ) -> AnyView {
        let set = move |n: f64| set(n as u64);
        let format = |n: f64| grouped(n as u64);
        view! { <Slider spec=param(self.model, name) label value set scale=Scale::Doubling(power) format /> }.into_any()
    }

    /// On or off.
    pub fn switch(
        self,
        name: &'static str,
        label: &'static str,
        [off, on]: [&'static str; 2],
        at: At<P, bool>,
    ) -> AnyView {
        let value = Signal::derive(move || if self.get(at) { "true" } else { "false" });
        let set = move |id: &'static str| self.state.update(|p| *at(p) = id == "true");
        view! { <Segmented name label options=vec![("false", off), ("true", on)] value set /> }.into_any()
    }

    /// One of `all` links.
    pub fn link(
        self,
        name: &'static str,
        label: &'static str,
        all: &'static [Link],
        at: At<P, &'static Link>,
    ) -> AnyView {
        let value = Signal::derive(move || self.get(at));
        link(name, label, all, value, move |link| self.state.update(|p| *at(p) = link), ().into_any())
    }

    /// One of the accelerators of the hardware table.
    pub fn gpu(self, at: At<P, &'static Accelerator>) -> AnyView {
        self.accelerator(at, move |gpu| self.state.update(|p| *at(p) = gpu))
    }

    fn accelerator(
        self,
        at: At<P, &'static Accelerator>,
        choose: impl Fn(&'static Accelerator) + Send + Sync + 'static,
    ) -> AnyView {
        let groups = vec![Group { label: "", options: hardware::ALL.iter().map(|a| (a.id, a.name)).collect() }];
        let value = Signal::derive(move || self.get(at).id);
        let set = move |id: &'static str| {
            if let Some(gpu) = hardware::find(id) {
                choose(gpu);
            }
        };
        view! { <Select name="gpu" label="GPU" groups value set /> }.into_any()
    }

    /// One of them, which brings its links with it unless others were chosen.
    pub fn gpu_and_links(
        self,
        at: At<P, &'static Accelerator>,
        inside: At<P, &'static Link>,
        between: At<P, &'static Link>,
    ) -> AnyView {
        self.accelerator(at, move |gpu| {
            self.state.update(|p| {
                let [link, net] = links::follow([*at(p), gpu], [*inside(p), *between(p)]);
                (*at(p), *inside(p), *between(p)) = (gpu, link, net);
            });
        })
    }
}

/// One of `all` links, for a state that has it elsewhere. `hint` stands below.
pub(super) fn link(
    name: &'static str,
    label: &'static str,
    all: &'static [Link],
    value: Signal<&'static Link>,
    set: impl Fn(&'static Link) + Send + Sync + 'static,
    hint: AnyView,
) -> AnyView {
    let groups = vec![Group { label: "", options: all.iter().map(|l| (l.id, l.name)).collect() }];
    let choose = move |id: &'static str| {
        if let Some(link) = links::find(id) {
            set(link);
        }
    };
    view! { <Select name label groups value=Signal::derive(move || value.get().id) set=choose>{hint}</Select> }
        .into_any()
}
