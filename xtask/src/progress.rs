//! How far a build is: a bar that grows by what each stage usually takes.

use std::time::{Duration, Instant};

use crate::failure::Result;
use crate::process::say;

/// Characters of the bar.
const WIDTH: u64 = 20;

/// The stages of a build.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    /// What all stages together usually take, and those that are done, in seconds on two cores.
    all: u64,
    done: u64,
}

impl Progress {
    /// Begins a build whose stages together usually take `all` seconds.
    pub(crate) fn new(all: u64) -> Self {
        Self { started: Instant::now(), all, done: 0 }
    }

    /// Runs a stage that usually takes `usual` seconds; says before what it is, and then how long it took.
    pub(crate) fn stage<T>(&mut self, what: &str, usual: u64, run: impl FnOnce() -> Result<T>) -> Result<T> {
        say(format_args!("{} {what} (usually {})", self.bar(), spoken(Duration::from_secs(usual))));
        let begun = Instant::now();
        let result = run()?;
        self.done += usual;
        let (took, so_far) = (spoken(begun.elapsed()), spoken(self.started.elapsed()));
        say(format_args!("{} {what}: {took}; {so_far} so far", self.bar()));
        Ok(result)
    }

    fn bar(&self) -> String {
        let full = (self.done * WIDTH / self.all.max(1)).min(WIDTH);
        (0..WIDTH).map(|place| if place < full { '█' } else { '░' }).collect()
    }
}

/// `45 s`, `2 min 5 s`.
fn spoken(time: Duration) -> String {
    let seconds = (time.as_secs_f64()).round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_grows_by_what_stages_usually_take() {
        let mut progress = Progress::new(40);
        assert_eq!(progress.bar(), "░░░░░░░░░░░░░░░░░░░░");
        assert_eq!(progress.stage("one", 10, || Ok(7)).ok(), Some(7));
        assert_eq!(progress.bar(), "█████░░░░░░░░░░░░░░░");
        assert!(progress.stage("two", 30, || Err::<(), _>("no".into())).is_err());
        assert_eq!(progress.bar(), "█████░░░░░░░░░░░░░░░", "what failed is not done");
        assert!(progress.stage("two", 30, || Ok(())).is_ok());
        assert_eq!(progress.bar(), "████████████████████");
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let said = |seconds| spoken(Duration::from_secs(seconds));
        assert_eq!([said(0), said(45), said(120), said(125)], ["0 s", "45 s", "2 min", "2 min 5 s"]);
    }
}
