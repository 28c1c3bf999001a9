//! Views in places of a page that we did not make of views.

use std::future::Future;

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use web_sys::{HtmlElement, Node};

use crate::deferred::{NotLoaded, deferred};

/// Something mounted into a place; it goes when this is dropped.
type Mounted = UnmountHandle<<AnyView as leptos::tachys::view::Render>::State>;

/// The views that were put into a page. They belong to whoever asked for this, and go when they go.
#[derive(Clone, Copy)]
pub struct Islands {
    mounted: StoredValue<Vec<Mounted>, LocalStorage>,
    owner: StoredValue<Owner>,
}

impl Islands {
    /// None yet.
    pub fn new() -> Self {
        let mounted = StoredValue::new_local(Vec::new());
        on_cleanup(move || {
            mounted.try_set_value(Vec::new());
        });
        Self { mounted, owner: StoredValue::new(Owner::current().unwrap_or_default()) }
    }

    /// Puts a view into a place, instead of what is there.
    pub fn put(self, place: HtmlElement, view: Box<dyn FnOnce() -> AnyView>) {
        place.set_inner_html("");
        self.add(place, view);
    }

    /// Downloads with `load`, then puts `show` of what came into a place, instead of what is there until then.
    pub fn put_deferred<T, L, F>(self, place: HtmlElement, load: L, show: impl Fn(T) -> AnyView + Send + Sync + 'static)
    where
        T: Clone + Send + Sync + 'static,
        L: Fn() -> F + Clone + 'static,
        F: Future<Output = Result<T, NotLoaded>> + 'static,
    {
        let list = place.child_nodes();
        let before = SendWrapper::new((0..list.length()).filter_map(|i| list.item(i)).collect::<Vec<Node>>());
        let show = move |loaded| {
            for node in before.iter() {
                if let Some(parent) = node.parent_node() {
                    // What cannot be removed is read twice.
                    let _ = parent.remove_child(node);
                }
            }
            show(loaded)
        };
        self.add(place, Box::new(move || deferred(load, show).into_any()));
    }

    fn add(self, place: HtmlElement, view: Box<dyn FnOnce() -> AnyView>) {
        // What comes later, such as by a click, belongs to the page all the same.
        let Some(owner) = self.owner.try_get_value() else { return };
        owner.with(|| self.mounted.update_value(|all| all.push(mount_to(place, view))));
    }
}

impl Default for Islands {
    fn default() -> Self {
        Self::new()
    }
}
