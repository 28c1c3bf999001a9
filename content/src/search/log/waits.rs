//! Which rank waits in which collective, by the lines of PyTorch's watchdog (`ProcessGroupNCCL.cpp`, `WorkNCCL::checkTimeout`).

use std::collections::BTreeMap;

use ringside_core::quantity::{capital, grouped, listed};
use serde::{Deserialize, Serialize};

/// What a watchdog's line has before the number of the collective.
const MARK: &str = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=";
/// Ranks, and collectives, that are listed.
const LISTED: usize = 8;

/// A collective: its number in its process group, its operation, and how many elements a rank gives to one in which all ranks give as many.
type Collective = (u64, String, Option<u64>);

/// Such collectives.
const ALIKE: [&str; 5] = ["ALLREDUCE", "BROADCAST", "REDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE"];

/// The first collective in which each rank timed out, by process group where the lines name it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Waits(BTreeMap<Option<String>, BTreeMap<u32, Collective>>);

impl Waits {
    /// Takes a line of a rank; other lines than a watchdog's say nothing.
    pub(super) fn take(&mut self, line: &str, rank: Option<u32>) {
        let Some(((before, rest), rank)) = line.split_once(MARK).zip(rank) else { return };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at(digits);
        let operation = rest.strip_prefix(", OpType=").and_then(|rest| rest.split_once(','));
        let Some((number, (operation, rest))) = number.parse::<u64>().ok().zip(operation) else { return };
        let elements = rest.split_once("NumelIn=").and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
        let elements = elements.filter(|_| ALIKE.contains(&operation));
        let group = before.rsplit_once("PG GUID ").and_then(|(_, rest)| rest.split_once(" Rank")).map(|(id, _)| id);
        let of_group = self.0.entry(group.map(str::to_owned)).or_default();
        let own = of_group.entry(rank).or_insert_with(|| (number, operation.to_owned(), elements));
        if number < own.0 {
            *own = (number, operation.to_owned(), elements);
        }
    }

    /// Where ranks of one group time out in different collectives: who waits in which, and with whom to begin. Nothing where all wait in the same.
    pub fn said(&self) -> Option<String> {
        let (group, ranks) = self.0.iter().find(|(_, ranks)| {
            let mut waits = ranks.values();
            let first = waits.next();
            waits.any(|other| Some(other) != first)
        })?;
        let mut waits: BTreeMap<&Collective, Vec<u32>> = BTreeMap::new();
        for (rank, collective) in ranks {
            waits.entry(collective).or_default().push(*rank);
        }
        let is_size = |one: &Collective| waits.keys().any(|two| two != &one && (two.0, &two.1) == (one.0, &one.1));
        let each = waits.iter().take(LISTED).map(|(collective, ranks)| {
            let (number, operation, elements) = collective;
            let verb = if ranks.len() == 1 { "waits" } else { "wait" };
            let size = elements.filter(|_| is_size(collective)).map(|n| format!(" of {} elements", grouped(n)));
            format!(
                "{} {verb} in collective {number} ({operation}{}).",
                ranks_in_words(ranks),
                size.unwrap_or_default()
            )
        });
        let mut said: Vec<String> = each.collect();
        // Numbers count the calls of a group; only of the default group is it certain that it is one and the same.
        let is_one = group.as_ref().is_some_and(|group| group.contains("default_pg"));
        let given = if is_one { "" } else { "If they belong to one process group, " };
        let first = waits.keys().next().map_or(0, |(number, ..)| *number);
        let behind: Vec<u32> =
            waits.iter().filter(|((number, ..), _)| *number == first).flat_map(|(_, r)| r.clone()).collect();
        said.push(if behind.len() == ranks.len() {
            let mut operations = waits.keys().map(|(_, operation, _)| operation);
            let one = operations.next();
            let what = match operations.all(|other| Some(other) == one) {
                true => "called the same operation with different sizes",
                false => "called different operations at the same place",
            };
            capital(&format!("{given}they {what}: compare the code that they run."))
        } else {
            let who = ranks_in_words(&behind);
            let (verb, calls) = if behind.len() == 1 { ("is", "makes") } else { ("are", "make") };
            let who_inside = if given.is_empty() { who } else { who.to_lowercase() };
            format!("{given}{who_inside} {verb} behind or {calls} the calls in another order. Begin there.")
        });
        Some(said.join(" "))
    }
}

/// "Ranks 3 and 17"; of many the first few and how many they are.
fn ranks_in_words(ranks: &[u32]) -> String {
    let few: Vec<String> = ranks.iter().take(LISTED).map(u32::to_string).collect();
    match ranks.len() {
        1 => format!("Rank {}", few.concat()),
        n if n > LISTED => format!("Ranks {} and {} more", few.join(", "), n - LISTED),
        _ => format!("Ranks {}", listed(&few)),
    }
}
