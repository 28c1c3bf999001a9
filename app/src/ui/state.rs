//! A widget's parameters, kept in its query and nowhere else.

use leptos::prelude::*;
use ringside_core::declare::Model;
use ringside_core::explore::carried;
use ringside_core::query::{Problem, Query};

/// The state of a widget: a view of its query, typed.
pub struct State<P: Send + Sync + 'static> {
    query: RwSignal<Query>,
    params: Memo<P>,
    problems: RwSignal<Vec<Problem>>,
    read: fn(&Query) -> (P, Vec<Problem>),
    write: fn(&P) -> Query,
    /// The query as a control of this widget last set it.
    own: StoredValue<Query>,
}

impl<P: Send + Sync> Clone for State<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Send + Sync> Copy for State<P> {}

impl<P: Clone + PartialEq + Send + Sync + 'static> State<P> {
    /// The state that `query` says. `write` yields a query that `read` reads back to the same.
    pub fn new(query: RwSignal<Query>, read: fn(&Query) -> (P, Vec<Problem>), write: fn(&P) -> Query) -> Self {
        let params = Memo::new(move |_| query.with(|q| read(q).0));
        let problems = RwSignal::new(Vec::new());
        let own = StoredValue::new(Query::default());
        // A query from outside brings its own problems; one from a control has none and leaves the others on show.
        Effect::new(move |_| {
            query.with(|q| {
                if own.with_value(|own| own != q) {
                    problems.set(read(q).1);
                }
            });
        });
        Self { query, params, problems, read, write, own }
    }

    /// The state of a model.
    pub fn of(query: RwSignal<Query>) -> Self
    where
        P: Model,
    {
        fn read<P: Model>(query: &Query) -> (P, Vec<Problem>) {
            let (params, mut problems) = P::read(query);
            for problem in &mut problems {
                if let Some(param) = P::ENTRY.param(&problem.name) {
                    problem.message = param.says(problem);
                }
            }
            (params, problems)
        }
        Self::new(query, read, P::query)
    }

    /// The query.
    pub fn query(self) -> RwSignal<Query> {
        self.query
    }

    /// The parameters as they are read.
    pub fn params(self) -> Memo<P> {
        self.params
    }

    /// What could not be used of a query from outside, until it is closed or its parameter is set by a control.
    pub fn problems(self) -> RwSignal<Vec<Problem>> {
        self.problems
    }

    /// The parameters that `query` says; what it leaves out has its default.
    pub fn read(self, query: &Query) -> P {
        (self.read)(query).0
    }

    /// These parameters with those that `changes` says put over them.
    pub fn with(self, params: &P, changes: &Query) -> P {
        self.read(&(self.write)(params).with(changes))
    }

    /// Sets the parameters, as a control does.
    pub fn set(self, params: &P) {
        let before = self.params.with_untracked(|p| (self.write)(p));
        let after = (self.write)(params);
        if self.problems.with_untracked(|list| !list.is_empty()) {
            self.problems.update(|list| list.retain(|p| before.get(&p.name) == after.get(&p.name)));
        }
        let after = self.query.with_untracked(|q| carried(q, after));
        self.own.set_value(after.clone());
        self.query.set(after);
    }

    /// Changes the parameters, as a control does.
    pub fn update(self, change: impl FnOnce(&mut P)) {
        let mut params = self.params.get_untracked();
        change(&mut params);
        self.set(&params);
    }
}
