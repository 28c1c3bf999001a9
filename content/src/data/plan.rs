//! `plan.toml`: the weeks, and what is not covered.

use super::{ids, inline, read};
use crate::names::Kind;
use crate::schema::{Block, NotCovered, Week};
use crate::toml_reader::Table;
use crate::world::World;

/// The plan, and what the reading lists leave out.
pub(crate) fn plan(world: &World<'_>) -> (Vec<Week>, Vec<NotCovered>) {
    read(world, "plan.toml", |root| {
        let weeks = root.tables("week").into_iter().map(|t| week(world, t)).collect();
        let rest = root.tables("not_covered").into_iter().map(|t| not_covered(world, t)).collect();
        (weeks, rest)
    })
}

fn week(world: &World<'_>, mut table: Table<'_, '_>) -> Week {
    let week = Week {
        number: table.number("number", 1..=52) as u8,
        title: table.string("title"),
        goal: inline(world, &table.text("goal")),
        blocks: table.tables("block").into_iter().map(|t| block(world, t)).collect(),
    };
    table.finish();
    week
}

fn block(world: &World<'_>, mut table: Table<'_, '_>) -> Block {
    let numbers: Vec<u64> = table.numbers("days").into_iter().map(|(n, _)| n).collect();
    let days = match numbers[..] {
        [first, last] if (1..=366).contains(&first) && (first..=366).contains(&last) => [first as u32, last as u32],
        _ => {
            world.sink.report(table.spot_of("days"), "`days` must be the first and the last day, such as [1, 3].");
            [1, 1]
        }
    };
    let block = Block {
        days,
        title: table.string("title"),
        concept: inline(world, &table.text("concept")),
        chapters: ids(world, &mut table, "chapters", Kind::Chapter),
        sources: ids(world, &mut table, "sources", Kind::Source),
    };
    table.finish();
    block
}

fn not_covered(world: &World<'_>, mut table: Table<'_, '_>) -> NotCovered {
    let topic = NotCovered { topic: inline(world, &table.text("topic")), place: inline(world, &table.text("where")) };
    table.finish();
    topic
}
