//! What is found wrong with an exercise.

/// What is found.
#[derive(Default)]
pub(super) struct Report {
    pub(super) messages: Vec<String>,
    /// What is reported once, whichever seed has it.
    seen: Vec<String>,
    pub(super) seed: u64,
    /// Whether to evaluate is pointless.
    pub(super) fatal: bool,
}

impl Report {
    pub(super) fn say(&mut self, message: String) {
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Says what makes every evaluation pointless.
    pub(super) fn fatal(&mut self, message: String) {
        self.fatal = true;
        self.say(message);
    }

    pub(super) fn unless(&mut self, fine: bool, message: impl FnOnce() -> String) {
        if !fine {
            self.say(message());
        }
    }

    /// Reports what is wrong with this seed, once for each `topic`.
    pub(super) fn of_seed(&mut self, topic: &str, message: String) {
        if self.seen.iter().any(|s| s == topic) {
            return;
        }
        self.seen.push(topic.to_owned());
        let seed = if self.seed == 0 { String::new() } else { format!(" (First with seed {}.)", self.seed) };
        self.messages.push(format!("{message}{seed}"));
    }
}
