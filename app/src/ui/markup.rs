//! Markup that is renewed in place: attributes and texts that differ are set, and only another structure is read anew. The
//! browser then keeps its elements, and with them what it knows of their styles and of the shapes of their letters.

use leptos::prelude::*;
use leptos::tachys::html::element::ElementType;
use ringside_drawing::markup::{Change, changes};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, TreeWalker};

/// What a place has in it.
pub struct Markup {
    place: Element,
    shown: String,
    /// Its elements and texts in the order of the markup, once they are asked for.
    nodes: Option<Vec<Node>>,
}

impl Markup {
    /// `shown` is what the place has in it already.
    pub fn of(place: Element, shown: String) -> Self {
        Self { place, shown, nodes: None }
    }

    /// Shows this instead. It is markup as we write it: attributes in double quotes, and no state of the user's in it.
    pub fn show(&mut self, now: &str) {
        if self.shown == now {
            return;
        }
        if self.change(now).is_none() {
            self.place.set_inner_html(now);
            self.nodes = None;
        }
        now.clone_into(&mut self.shown);
    }

    /// Puts the markup `now` into `place` once that is there, and then whatever else it becomes; `renewed` is told. What it was at
    /// first is to be in `place` already.
    pub fn follow<E>(place: NodeRef<E>, now: Memo<String>, renewed: impl Fn(&E::Output) + 'static)
    where
        E: ElementType,
        E::Output: JsCast + Clone + AsRef<Element> + 'static,
    {
        let (first, shown) = (now.get_untracked(), StoredValue::new_local(None::<Self>));
        Effect::new(move |_| {
            let Some(place) = place.get() else { return };
            shown.update_value(|shown| {
                let element: &Element = place.as_ref();
                let shown = shown.get_or_insert_with(|| Self::of(element.clone(), first.clone()));
                now.with(|now| shown.show(now));
            });
            renewed(&place);
        });
    }

    /// Sets what differs; `None` if that does not do.
    fn change(&mut self, now: &str) -> Option<()> {
        let (changes, count) = changes(&self.shown, now)?;
        let nodes = self.nodes.get_or_insert_with(|| nodes(&self.place).unwrap_or_default());
        // A parser that made something else of the markup than we read in it.
        if nodes.len() != count {
            return None;
        }
        for Change { node, attribute, value } in changes {
            let node = nodes.get(node)?;
            match attribute {
                Some(name) => node.unchecked_ref::<Element>().set_attribute(name, value).ok()?,
                None => node.set_node_value(Some(value)),
            }
        }
        Some(())
    }
}

/// Keeps the inside of an element what a closure says: `use:renewed=move || …`, in place of `inner_html`.
pub fn renewed(place: Element, markup: impl Fn() -> String + 'static) {
    let mut shown = Markup::of(place, String::new());
    Effect::new(move |_| shown.show(&markup()));
}

/// Every element and text in a place, in the order of its markup.
fn nodes(place: &Element) -> Option<Vec<Node>> {
    const ELEMENTS_AND_TEXTS: u32 = 1 | 4;
    let walker: TreeWalker = document().create_tree_walker_with_what_to_show(place, ELEMENTS_AND_TEXTS).ok()?;
    let mut nodes = Vec::new();
    while let Ok(Some(node)) = walker.next_node() {
        nodes.push(node);
    }
    Some(nodes)
}
