//! All that `memory-breakdown` shows of a result.

mod bars;
mod readout;

use ringside_core::memory::{Breakdown, Layout, Mode, Params};

pub use bars::{Plot, Row};
pub use readout::{Reading, Readout};

/// The drawing, and what stands under it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawn {
    /// The bars.
    pub plot: Plot,
    /// The numbers and the verdict.
    pub readout: Readout,
}

impl Drawn {
    /// Of the result on show, in this state: it may be an impossible one, which has none.
    pub fn of(p: &Params, b: &Breakdown) -> Self {
        Self { plot: Plot::of(p, b), readout: Readout::of(b) }
    }
}

/// The state in a few words.
pub fn subtitle(p: &Params) -> String {
    let what = match p.mode {
        Mode::Inference => "inference".to_owned(),
        Mode::Training if p.dtype.is_mixed() => format!("{} with fp32 master weights", p.optimizer.label()),
        Mode::Training => p.optimizer.label().to_owned(),
    };
    let split = if p.layout == Layout::default() { String::new() } else { format!(" · {}", p.layout.in_words()) };
    format!("{} · {} · {what}{split}", p.model.name(), p.dtype.id())
}

/// What a ZeRO stage is called, and what it shards beyond the stage before.
pub fn stage_name(mode: Mode, stage: u8) -> [&'static str; 2] {
    match (mode, stage) {
        (Mode::Inference, _) => ["Serving", "weights and cache"],
        (_, 0) => ["DDP", "nothing sharded"],
        (_, 1) => ["ZeRO-1", "optimizer sharded"],
        (_, 2) => ["ZeRO-2", "and gradients"],
        _ => ["ZeRO-3", "and weights"],
    }
}

#[cfg(test)]
mod tests {
    use ringside_core::declare::Model as _;
    use ringside_core::hardware;
    use ringside_core::memory::{Params, breakdown};
    use ringside_core::query::Query;

    use super::*;

    fn drawn(query: &str) -> Drawn {
        let params = Params::read(&Query::parse(query)).0;
        Drawn::of(&params, &breakdown(&params).expect("a result"))
    }

    #[test]
    fn the_stage_on_show_is_the_one_that_is_checked() {
        let plot = drawn("zero=2").plot.markup(true);
        assert_eq!(plot.matches(" checked").count(), 1);
        assert!(
            plot.contains("value=\"2\" aria-label=\"ZeRO-2, and gradients: 66.6 GB, fits\" disabled checked"),
            "{plot}"
        );
        assert_eq!(plot.matches(" nowhere\"").count(), 0);
        assert_eq!(drawn("mode=inference").plot.markup(true).matches(" nowhere\"").count(), 3);
    }

    #[test]
    fn what_can_be_pressed_keeps_its_structure_when_another_stage_is_chosen() {
        let tags = |query: &str| {
            let markup = drawn(query).readout.markup(false);
            markup.split('<').filter_map(|tag| tag.split([' ', '>']).next().map(str::to_owned)).collect::<Vec<_>>()
        };
        assert_eq!(tags("zero=0"), tags("zero=3"));
        assert!(!drawn("zero=1").plot.markup(false).contains("checked"));
        assert!(drawn("zero=0").readout.markup(true).contains("class=\"secondary\" disabled>"));
    }

    #[test]
    fn a_stage_is_chosen_though_its_state_has_no_result() {
        let read = |query: &str| Params::read(&Query::parse(query)).0;
        let plot = Drawn::of(&read("zero=3"), &breakdown(&read("zero=0")).expect("a result")).plot;
        assert_eq!(plot.rows.map(|row| row.selected), [false, false, false, true]);
    }

    #[test]
    fn parts_fill_the_bar_and_labels_are_only_where_they_fit() {
        let [ddp, .., zero3] = drawn("").plot.rows;
        assert_eq!(ddp.layers[0].matches("<rect").count(), 3);
        assert_eq!((ddp.end.as_str(), ddp.amounts[0].as_str()), ("100.000%", "480 GB"));
        for label in ["60 GB", ">master<", ">momentum<", ">variance<"] {
            assert!(ddp.layers[1].contains(label), "{label}");
        }
        assert_eq!(zero3.layers[1], "");
        assert_eq!(zero3.amounts, ["7.5 GB", "✓ fits", "938 MB + 938 MB + 5.62 GB"]);
    }

    #[test]
    fn what_is_called_has_no_signs_of_markup() {
        let plain = |text: &str| !text.contains(['<', '>', '&', '"']);
        assert!(hardware::ALL.iter().all(|gpu| plain(gpu.name)));
        assert!(ringside_core::memory::Concept::ALL.iter().all(|c| plain(c.id()) && plain(c.label())));
    }
}
