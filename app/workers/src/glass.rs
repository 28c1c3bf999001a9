//! The dedicated worker that interprets kernels: downloaded by whoever steps through one, or checks one without WebGPU.
//!
//! The page posts an [`Ask`] and is answered with [`Said`], both as bytes of postcard. One at a time.

use std::cell::RefCell;

use js_sys::Uint8Array;
use ringside_core::kernels::glass::{Ask, Said};
use ringside_core::kernels::job::{self, Note, Trouble};
use ringside_glass::Session;
use ringside_shaders::puzzles;
use ringside_workers::say;

fn main() {
    let session = RefCell::new(None);
    let hears = ringside_workers::hear(move |message| {
        let asked = postcard::from_bytes::<Ask>(&Uint8Array::new(&message).to_vec());
        say(&match asked {
            Ok(ask) => answer(&session, ask),
            Err(why) => refused(&why.to_string()),
        });
    });
    if hears {
        say(&Said::Ready);
    }
}

fn refused(why: &str) -> Said {
    Said::Refused(vec![Note { error: true, line: 0, column: 0, text: why.to_owned() }])
}

fn answer(session: &RefCell<Option<Session>>, ask: Ask) -> Said {
    match ask {
        Ask::Try { puzzle, body, seed } => Said::Job(match puzzles::find(&puzzle) {
            Some(puzzle) => {
                let progress = |done| {
                    let doing = "interpreting".to_owned();
                    say(&Said::Job(job::Said::Progress { doing, done }));
                };
                job::Said::Tried(Box::new(ringside_glass::try_puzzle(puzzle, &body, seed, progress)))
            }
            None => job::Said::Failed(Trouble::NotAccepted("there is no such puzzle.".to_owned())),
        }),
        Ask::Declare { text, given } => Said::Declared(Box::new(ringside_glass::declare(&text, &given))),
        Ask::Open { source, width } => match ringside_glass::open(&source, width) {
            Ok((opened, said)) => {
                session.replace(Some(opened));
                Said::Opened(Box::new(said))
            }
            Err(notes) => Said::Refused(notes),
        },
        Ask::Show { round, warp } => match session.borrow_mut().as_mut() {
            Some(session) => Said::Shown(Box::new(session.show(round, warp))),
            None => refused("No kernel is open. Open it again."),
        },
    }
}
