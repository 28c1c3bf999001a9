//! One search at a time, the one that was asked for last.

use ringside_core::planner::wire::Said;
use ringside_core::planner::{Found, Params, Search};
use ringside_core::query::Query;

/// How many layouts, about, are worked out before the page is listened to again: some ten milliseconds.
const SLICE: usize = 2000;

/// What is searched.
#[derive(Debug, Default)]
pub(crate) struct Seeker {
    /// Under which number it was asked for, and how far it is; the error says why it is impossible.
    asked: Option<(u32, Result<Search, String>)>,
}

impl Seeker {
    /// Begins anew.
    pub(crate) fn ask(&mut self, number: u32, query: &str) {
        let (params, _) = Params::read(&Query::parse(query));
        self.asked = Some((number, params.search()));
    }

    /// Goes on for a slice with what was asked for under `number`: how far it is, or in the end what was found. Nothing if
    /// something else is searched now, or nothing.
    pub(crate) fn go_on(&mut self, number: u32) -> Option<Said> {
        let (_, search) = self.asked.as_mut().filter(|(asked, _)| *asked == number)?;
        match search.as_mut().map(|search| search.step(SLICE)) {
            Ok(progress) if !progress.finished() => Some(Said::Progress(number, progress)),
            _ => self.end(false),
        }
    }

    /// Ends it: what was found so far. Nothing if nothing is searched.
    pub(crate) fn stop(&mut self) -> Option<Said> {
        self.end(true)
    }

    fn end(&mut self, stopped: bool) -> Option<Said> {
        let (number, search) = self.asked.take()?;
        let found = search.map_or_else(Found::impossible, |search| Found::of(&search, stopped));
        Some(Said::Found(number, Box::new(found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More than a slice.
    const FREE: &str = "tp=0&cp=0&ep=0&mbs=0&zero=any";

    fn run(seeker: &mut Seeker, number: u32) -> (usize, Found) {
        let mut slices = 0;
        loop {
            match seeker.go_on(number).expect("it is searched") {
                Said::Found(asked, found) => {
                    assert_eq!(asked, number);
                    return (slices, *found);
                }
                Said::Progress(asked, progress) => {
                    assert_eq!(asked, number);
                    assert!(progress.layouts >= SLICE);
                    slices += 1;
                }
                Said::Ready => panic!("it has been ready"),
            }
        }
    }

    #[test]
    fn it_finds_what_the_search_finds() {
        let mut seeker = Seeker::default();
        seeker.ask(1, FREE);
        let (slices, found) = run(&mut seeker, 1);
        assert!(slices > 3, "{slices}");
        let (params, problems) = Params::read(&Query::parse(FREE));
        assert!(problems.is_empty());
        let search = params.search().expect("possible").run();
        assert_eq!(found.best.as_ref(), search.best());
        assert_eq!((found.all, found.valid), (search.layouts().len(), search.valid()));
        assert!(seeker.go_on(1).is_none());
    }

    #[test]
    fn what_was_asked_for_last_is_searched_and_it_can_be_stopped() {
        let mut seeker = Seeker::default();
        assert!(seeker.stop().is_none());
        seeker.ask(1, FREE);
        assert!(matches!(seeker.go_on(1), Some(Said::Progress(1, _))));
        seeker.ask(2, "");
        assert!(seeker.go_on(1).is_none());
        assert!(run(&mut seeker, 2).1.all < SLICE);
        seeker.ask(3, FREE);
        assert!(matches!(seeker.go_on(3), Some(Said::Progress(3, _))));
        let Some(Said::Found(3, found)) = seeker.stop() else { panic!("what was found so far") };
        assert!(found.finding.contains("stopped") && found.all >= SLICE);
        assert!(seeker.go_on(3).is_none());
        seeker.ask(4, "tp=7");
        assert!(run(&mut seeker, 4).1.finding.starts_with("No layout is possible"));
    }
}
