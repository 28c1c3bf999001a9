//! What a build worked out, written down for the next build by the same program: one changed chapter doesn't have every model evaluated
//! and every picture drawn again.

use crate::{drawn, evaluated};

/// The states that were evaluated and the pictures that were drawn so far, as JSON.
pub fn worked_out() -> Vec<u8> {
    serde_json::to_vec(&(evaluated::evaluations(), drawn::pictures())).unwrap_or_default()
}

/// Works out again, on every core, what [`worked_out`] of another program listed: after an edit to a model, pages ask for much the same.
pub fn anticipate(json: &[u8]) {
    let Ok((states, pictures)) = serde_json::from_slice::<(Vec<evaluated::Kept>, Vec<drawn::Kept>)>(json) else {
        return;
    };
    let states = states.into_iter().map(|state| Box::new(move || state.again()) as Box<dyn FnOnce() + Send>);
    let pictures =
        pictures.into_iter().map(|(state, _)| Box::new(move || drawn::again(&state)) as Box<dyn FnOnce() + Send>);
    let work: Vec<_> = states.chain(pictures).collect();
    let work = std::sync::Mutex::new(work.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let next = || work.lock().ok()?.next();
                while let Some(piece) = next() {
                    piece();
                }
            });
        }
    });
}

/// Takes for worked out what [`worked_out`] of this very program wrote; anything else is passed over.
pub fn remember(json: &[u8]) {
    let Ok((states, pictures)) = serde_json::from_slice(json) else { return };
    evaluated::remember(states);
    drawn::remember(pictures);
}

#[cfg(test)]
mod tests {
    use ringside_core::catalogue;
    use ringside_core::query::Query;
    use ringside_drawing::chart::Frame;

    use super::*;

    #[test]
    fn what_is_remembered_is_what_was_worked_out() {
        let room = Frame { width: 300.0, height: 200.0, text: 13.0, pixel: 1.0 };
        let entry = catalogue::find("amdahl").expect("a model");
        let query = Query::parse("serial=0.3&n=17");
        let before = evaluated::evaluated(entry, &query);
        let picture = drawn::drawn("amdahl", &query, room);
        let written = worked_out();
        evaluated::known().clear();
        drawn::known().clear();
        anticipate(&written);
        assert!(evaluated::known().contains_key(&("amdahl", query.to_string())));
        assert!(drawn::known().values().any(|markup| *markup == picture));
        evaluated::known().clear();
        drawn::known().clear();
        remember(&written);
        assert!(evaluated::known().contains_key(&("amdahl", query.to_string())));
        assert!(drawn::known().values().any(|markup| *markup == picture));
        let again = evaluated::evaluated(entry, &query);
        assert_eq!((&again.quantities, &again.error, &again.query), (&before.quantities, &before.error, &before.query));
        assert!(picture.is_some() && drawn::drawn("amdahl", &query, room) == picture);
        remember(b"[[{\"model\":\"amdahl\"}],[]]");
        remember(b"nonsense");
    }
}
