//! The panel: which question is asked, and its answer.

use leptos::prelude::*;
use ringside_core::catalogue::{Entry, Named};
use ringside_core::declare;
use ringside_core::explore::{Axis, EXPLORE, Explored, Tool, axes, carried, headlines};
use ringside_core::query::Query;

use super::{compare, drivers, solve};
use crate::ui::debounced::debounced;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};

/// A figure, and what is explored of it.
#[derive(Clone, Copy)]
pub(super) struct Ask {
    /// The model.
    pub entry: StoredValue<Entry>,
    /// The figure's query.
    pub query: RwSignal<Query>,
    /// What is explored.
    pub explored: Memo<Explored>,
    /// The state, once it rests.
    pub base: Memo<Query>,
}

impl Ask {
    /// The model.
    pub fn model(self) -> Entry {
        self.entry.get_value()
    }

    /// Changes what is explored.
    pub fn change(self, change: impl FnOnce(&mut Explored)) {
        self.query.update(|q| {
            let mut explored = Explored::of(q).unwrap_or_default();
            change(&mut explored);
            *q = Explored::put(Some(&explored), q);
        });
    }

    /// Puts the figure into a state.
    pub fn open(self, state: &Query) {
        self.query.update(|q| *q = carried(q, state.clone()));
    }

    /// The quantity that is asked about: the chosen one, or what the figure decides, or the first headline. Tracks.
    pub fn quantity(self) -> Option<Named> {
        let (model, id) = (self.model(), self.explored.with(|e| e.quantity.clone()));
        let chosen = model.quantities().find(|(other, ..)| *other == id);
        let first = model.decision.and_then(|d| d.quantities.first());
        let decides = || model.quantities().find(|(other, ..)| Some(other) == first);
        chosen.or_else(decides).or_else(|| headlines(&model).first().copied())
    }

    /// The parameter of this name, or the first number beside the drawing, or the first that can be solved for.
    pub fn axis(self, name: &str) -> Option<Axis> {
        let mut all = axes(&self.model());
        let is_main = |axis: &Axis| axis.is_ordered() && axis.param().look.group == declare::Group::Main;
        let at = all.iter().position(|axis| axis.name() == name).or_else(|| all.iter().position(is_main)).unwrap_or(0);
        (at < all.len()).then(|| all.swap_remove(at))
    }

    /// The choice of a quantity: the headlines first.
    pub fn choose_quantity(self, label: &'static str) -> AnyView {
        let model = self.model();
        let headlines = headlines(&model);
        let others = model.quantities().filter(|(id, ..)| !headlines.iter().any(|(head, ..)| head == id));
        let options = |list: Vec<Named>| list.into_iter().map(|(id, label, _)| (id, label)).collect();
        let groups = vec![
            Group { label: "", options: options(headlines.clone()) },
            Group { label: "All numbers", options: options(others.collect()) },
        ];
        let groups: Vec<Group> = groups.into_iter().filter(|group| !group.options.is_empty()).collect();
        let value = Signal::derive(move || self.quantity().map_or("", |(id, ..)| id));
        let set = move |id: &'static str| {
            self.change(|e| {
                e.quantity = id.to_owned();
                // A limit of another unit means nothing here.
                e.limit.clear();
            });
        };
        view! { <Select name="explore-quantity" label groups value set /> }.into_any()
    }
}

/// See [`super::View`].
pub(super) fn view(entry: Entry, query: RwSignal<Query>) -> AnyView {
    let explored = Memo::new(move |_| query.with(|q| Explored::of(q).unwrap_or_default()));
    let state = Memo::new(move |_| query.with(|q| (entry.read)(&q.without(EXPLORE)).0));
    let ask = Ask { entry: StoredValue::new(entry), query, explored, base: debounced(state) };
    let tool = Memo::new(move |_| explored.with(|e| e.tool));
    let options = Tool::ALL.map(|tool| (tool.id(), tool.label())).to_vec();
    let set = move |id: &'static str| ask.change(|e| e.tool = Tool::find(id).unwrap_or_default());
    let problems = move || {
        let list = explored.with(|e| e.problems(&ask.model()));
        list.into_iter().map(|why| view! { <p class="message">{why}</p> }).collect_view()
    };
    let shown = move || match tool.get() {
        Tool::Compare => compare::view(ask),
        Tool::Solve => solve::view(ask),
        Tool::Drivers => drivers::view(ask),
    };
    view! {
        <form class="explore" autocomplete="off" on:submit=|event| event.prevent_default()>
            <Segmented
                name="explore-tool"
                label="Explore"
                options
                value=Signal::derive(move || tool.get().id())
                set
            />
            <div role="alert">{problems}</div>
            {shown}
        </form>
    }
    .into_any()
}
