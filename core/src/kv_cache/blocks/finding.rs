//! What the figure says.

use super::figure::{Params, Shown, View};
use super::serve::{Event, Stage};
use crate::kv_cache::figure::before_activations;
use crate::quantity::{Unit, counted, grouped, listed, named, number};

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Pool => self.pool_finding(shown),
            View::Walk => self.walk_finding(shown),
            View::Fit => self.fit_finding(shown),
        }
    }

    /// What has just happened, in sentences.
    pub fn caption(&self, shown: &Shown) -> String {
        let run = &shown.run;
        if run.step == 0 {
            return format!("Before the first step: {} wait.", counted(run.queue.len() as u64, "request", "requests"));
        }
        if run.events.is_empty() {
            let rows = run.rows.iter().filter(|row| row.stage == Stage::Running).count() as u64;
            return format!(
                "{} each write a token into a slot that they hold already.",
                counted(rows, "sequence", "sequences")
            );
        }
        // What is rare first.
        let rank = |event: &Event| match event {
            Event::Evicted { .. } | Event::SwappedOut { .. } | Event::SwappedIn { .. } => 0,
            Event::Copied { .. } | Event::Forked { .. } | Event::Replaced { .. } => 1,
            Event::Admitted { .. } => 2,
            Event::Ended(_) => 3,
            Event::Grew { .. } => 4,
        };
        let mut events = run.events.clone();
        events.sort_by_key(rank);
        const MOST: usize = 4;
        let more = events.len().saturating_sub(MOST);
        let mut text: Vec<String> = events.iter().take(MOST).map(Event::text).collect();
        if more > 0 {
            text.push(format!("And {more} more."));
        }
        text.join(" ")
    }

    fn pool_finding(&self, shown: &Shown) -> String {
        let (run, usage) = (&shown.run, &shown.run.usage);
        let stuck = run.stuck.as_ref().map(|why| format!(" It does not go on: {why}")).unwrap_or_default();
        let all = format!(
            "On average over {}, {} and {} of the pool holds tokens.",
            counted(run.ticks.len() as u64, "step", "steps"),
            named(&number(run.mean(|t| t.running as f64)), "sequence runs", "sequences run concurrently"),
            Unit::Fraction.format(run.mean(|t| t.usage.tokens as f64 / t.usage.slots.max(1) as f64)),
        );
        if usage.held() == 0 {
            return format!("No slot is allocated at this step. {all}{stuck}");
        }
        let mut parts =
            vec![format!("{} hold a token ({})", grouped(usage.tokens), Unit::Fraction.format(usage.utilisation()))];
        for (slots, what) in [(usage.later, "are reserved for later tokens"), (usage.never, "are never used")] {
            if slots > 0 {
                parts.push(format!("{} {what}", grouped(slots)));
            }
        }
        let waste = if parts.len() == 1 { "all of them hold a token".to_owned() } else { listed(&parts) };
        let shared = if usage.in_tables > usage.blocks {
            format!(
                " Tables name {} blocks and hold {}: sharing saves {}.",
                grouped(usage.in_tables),
                grouped(usage.blocks),
                Unit::Fraction.format(usage.saved())
            )
        } else {
            String::new()
        };
        let external = if usage.external > 0 {
            format!(" {} slots are free, enough for the next request, but not contiguous.", grouped(usage.external))
        } else {
            String::new()
        };
        format!(
            "{} of {} slots are allocated: {waste}.{shared}{external} {all}{stuck}",
            grouped(usage.held()),
            grouped(usage.slots)
        )
    }

    fn walk_finding(&self, shown: &Shown) -> String {
        let Some(row) = self.walked(shown) else {
            return if self.keeper.has_blocks() {
                "No sequence has a table at this step: step on in the pool, or back.".to_owned()
            } else {
                "One room in one piece needs no table: token i lies at the room’s first slot + i.".to_owned()
            };
        };
        let read = self.blocks_read(shown);
        let Some(visit) = read.checked_sub(1).and_then(|i| shown.visits.get(i)) else {
            return format!(
                "{} has {} in {}. Nothing has been read yet.",
                row.name,
                counted(row.stored, "token", "tokens"),
                counted(row.blocks.len() as u64, "block", "blocks")
            );
        };
        let end = if read == shown.visits.len() {
            " All blocks are read, and the result is that of one tensor in one piece."
        } else {
            ""
        };
        format!(
            "Block {} of {}’s table lies at {}: slots {} to {} hold tokens {} to {}. The largest score so far is {}, the sum of \
             exponentials {}.{end}",
            visit.logical,
            row.name,
            visit.physical,
            grouped(visit.slot),
            grouped(visit.slot + visit.tokens - 1),
            visit.logical as u64 * self.block,
            visit.logical as u64 * self.block + visit.tokens - 1,
            number(visit.maximum),
            number(visit.sum),
        )
    }

    fn fit_finding(&self, shown: &Shown) -> String {
        let fit = &shown.fit;
        let gpus =
            if self.tp > 1 { format!("each of {} × {}", self.tp, self.gpu.name) } else { self.gpu.name.to_owned() };
        let name = self.model.name();
        if fit.room <= 0.0 {
            return format!(
                "{name}’s weights take {} on {gpus}, of which {} may be used{}: there is no room for a cache.",
                Unit::Bytes.format(fit.weights),
                Unit::Bytes.format(fit.usable),
                if self.activations > 0.0 { ", activations included" } else { "" }
            );
        }
        let copies = match (self.tp > 1, fit.kv_heads) {
            (true, 0.0) => " The latent has no heads to divide: every GPU keeps all of it.",
            (true, 1.0) if fit.on_gpu * self.tp as f64 > fit.per_token * 1.001 => {
                " There are fewer heads than GPUs, so some keep the same one."
            }
            _ => "",
        };
        let alike = if self.shared > 0 {
            format!(
                " With the first {}, which all requests share, kept once: {}.",
                counted(self.shared, "token", "tokens"),
                grouped(fit.requests_shared as u64)
            )
        } else {
            String::new()
        };
        let reserved = if fit.requests_reserved < fit.requests {
            format!(
                " If {} tokens were reserved for each request, {} would fit.",
                grouped(self.longest.max(self.tokens)),
                grouped(fit.requests_reserved as u64)
            )
        } else {
            String::new()
        };
        let (ahead, before) = if self.activations > 0.0 {
            ("", String::new())
        } else {
            (", before activations", before_activations(self.tp, fit.beside, ["request", "requests"]))
        };
        format!(
            "{} of {} tokens fit{} beside the weights of {name}{ahead}. It keeps {} per token. {} of the {} on {gpus}, minus {} of weights{}, leaves {}: {} tokens.{reserved}{alike}{copies}{before}",
            counted(fit.requests as u64, "request", "requests"),
            grouped(self.tokens),
            if fit.requests == 1.0 { "s" } else { "" },
            Unit::Bytes.format(fit.per_token),
            Unit::Fraction.format(self.used),
            Unit::Bytes.format(self.gpu.memory.0),
            Unit::Bytes.format(fit.weights),
            if self.activations > 0.0 { " and activations" } else { "" },
            Unit::Bytes.format(fit.room),
            grouped(fit.slots as u64),
        )
    }
}
