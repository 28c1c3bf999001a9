//! What `content/figures/<id>.toml` says of a figure, as constants: asked for one in a `const`, the compiler puts that one alone
//! into the module that asks.

/// What a figure shows that is not computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// Small print; empty if none, or if it is computed.
    pub notes: &'static str,
    /// States worth looking at.
    pub examples: Examples,
}

/// States worth looking at, a button for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Examples {
    /// What they are, for who does not see them: "Machines".
    pub label: &'static str,
    /// Whether an example leaves alone what it does not name; else that gets its default.
    pub keep_rest: bool,
    /// Parameters that may differ and the example still counts as the one on show, such as how far it has been played.
    pub ignore: &'static [&'static str],
    /// In the order of their buttons.
    pub all: &'static [Example],
}

/// A state worth looking at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What its button says.
    pub label: &'static str,
    /// The state, as in a link.
    pub state: &'static str,
}

/// What the figure `id` has a file for.
pub const fn find(id: &str) -> Option<&'static Figure> {
    include!(concat!(env!("OUT_DIR"), "/find.rs"))
}

#[cfg(test)]
mod tests {
    use ringside_core::catalogue;
    use ringside_core::query::Query;

    use super::*;

    #[test]
    fn every_figure_has_a_file() {
        for entry in catalogue::ALL {
            assert!(find(entry.id).is_some(), "content/figures/{}.toml is missing", entry.id);
        }
        assert_eq!(find("nothing"), None);
    }

    #[test]
    fn every_example_is_a_state_of_its_figure() {
        let mut all = 0;
        for entry in catalogue::ALL {
            for Example { label, state } in find(entry.id).map_or(&[][..], |figure| figure.examples.all) {
                let (written, problems) = (entry.read)(&Query::parse(state));
                assert_eq!(problems, [], "{}: {label}", entry.id);
                assert_eq!((entry.read)(&written).0, written, "{}: {label}", entry.id);
                all += 1;
            }
        }
        assert!(all > 300, "{all}");
    }

    #[test]
    fn a_figure_has_what_its_file_says() {
        let figure = find("ddp-overlap").expect("its file");
        let [first, second, ..] = figure.examples.all else { panic!("{figure:?}") };
        assert_eq!((first.state, second.state), ("", "iteration=first"));
        assert_eq!((figure.examples.ignore, figure.examples.keep_rest), (&["step"][..], false));
        assert!(figure.notes.starts_with("The optimizer’s step"));
    }
}
