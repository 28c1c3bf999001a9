//! A run file: predicted next to measured, and assertions about it.

use std::io::{Cursor, Read};

use flate2::read::MultiGzDecoder;
use ringside_content::search::{End, LogReading};
use ringside_core::allocator::Reader as SnapshotReader;
use ringside_core::quantity::{grouped, listed};
use ringside_core::run::{
    Card, Checked, Content, Fails, Kind, Ledger, Link, MOST, Outcome, Output, Report, Row, Run, check, compare,
    content, gather as together, grown, read_all, snapshot, stops, traces, versus,
};
use ringside_core::trace::Reader;
use ringside_core::trace::diagnosis::diagnose;
use ringside_core::trace::versus::Profile;
use serde_json::{Value, json};

use crate::{Given, Output as Printed, Unread, against, pretty, signs};

/// `ringside run`: puts what the files say into the run, and compares.
///
/// # Errors
/// A file couldn't be read.
pub fn main(files: impl Iterator<Item = Given>, as_json: bool) -> Result<Printed, Unread> {
    let (run, brought, replaced) = gather(files)?;
    let report = compare(&run);
    let text =
        if as_json { pretty(&json(&run, &brought, &report, &[])) } else { page(&run, &brought, &replaced, &report) };
    Ok(Printed { text, holds: report.missing.is_empty() && run.fails == Fails::default() })
}

/// `ringside check`: holds its assertions.
///
/// # Errors
/// A file couldn't be read, there is nothing to check, or an assertion couldn't be read or decided.
pub fn judge(files: impl Iterator<Item = Given>, others: &[String], as_json: bool) -> Result<Printed, Unread> {
    let (run, brought, _) = gather(files)?;
    if run.check.is_empty() && others.is_empty() {
        return Err(Unread("There is nothing to check. Put check = [\"memory.total < 75e9\"] into the run file, or add --assert 'mfu > 0.4'.".to_owned()));
    }
    let (report, checked) = check(&run, others);
    if let Some(first) = report.missing.first().filter(|_| checked.iter().all(|c| c.holds.is_none())) {
        return Err(Unread(first.sentence.clone()));
    }
    if let Some(undecided) = checked.iter().find(|c| c.holds.is_none()) {
        return Err(Unread(format!("{}: {}", undecided.text, undecided.why)));
    }
    let holds = checked.iter().all(|c| c.holds == Some(true));
    let text = if as_json {
        pretty(&json(&run, &brought, &report, &checked))
    } else {
        checked
            .iter()
            .map(|c| format!("{}  {}\n", if c.holds == Some(true) { "holds" } else { "FAILS" }, line(c)))
            .chain(run.caveat().map(|caveat| format!("{caveat}\n")))
            .collect()
    };
    Ok(Printed { text, holds })
}

/// The run that the files make together, in their order, what each is and what its errors mean, and what replaced what.
fn gather(files: impl Iterator<Item = Given>) -> Result<(Run, Vec<Brought>, Vec<String>), Unread> {
    let (mut brought, mut refused) = (Vec::new(), Vec::new());
    for file in files {
        match file.and_then(|(name, from)| read_file(&name, from)) {
            Ok(all) => brought.extend(all),
            Err(why) => refused.push(why),
        }
    }
    if refused.is_empty() {
        let (run, replaced) = together(cards(&brought));
        return Ok((run, brought, replaced));
    }
    if !brought.is_empty() {
        let names: Vec<String> =
            cards(&brought).map(|card| format!("{} ({})", card.title(), card.kind.label())).collect();
        refused.push(format!(
            "Ringside can read {}. Leave out the files above and run the command again.",
            listed(&names)
        ));
    }
    Err(Unread(refused.join("\n")))
}

/// A file's card, and what the signs say of its errors.
struct Brought {
    card: Card,
    errors: Option<LogReading>,
}

fn cards(brought: &[Brought]) -> impl Iterator<Item = &Card> + Clone {
    brought.iter().map(|one| &one.card)
}

/// Bytes that are read at once, of which the first say what a file is.
const PIECE: u64 = 1 << 20;

/// What a file says, or why it isn't read. Long ones go through their reader piece by piece, and a text may hold several things.
fn read_file(name: &str, mut from: Box<dyn Read>) -> Result<Vec<Brought>, String> {
    let mut start = piece(&mut *from, 2).map_err(|error| format!("{name} couldn't be read: {error}."))?;
    let is_packed = start == [0x1f, 0x8b];
    if is_packed {
        from = Box::new(MultiGzDecoder::new(Cursor::new(start).chain(from)));
        start = Vec::new();
    }
    let mut pieces = Pieces { from, is_packed, start, ended: None };
    let first = pieces.next().unwrap_or_default();
    if let (true, Some(why)) = (first.is_empty(), pieces.ended.take()) {
        return Err(format!("{name}: {why}"));
    }
    match content(&first).map_err(|why| format!("{name}: {why}"))? {
        Content::Snapshot => {
            let mut reader = SnapshotReader::default();
            pieces.feed(&first, |piece| reader.push(piece));
            let read = pieces.ended.take().map_or_else(|| reader.finish(), Err);
            shown(name, snapshot(name, &read), None).map(|one| vec![one])
        }
        Content::Trace => {
            let mut reader = Reader::default();
            pieces.feed(&first, |piece| reader.push(piece));
            if pieces.ended.is_some() {
                reader.damaged();
            }
            let trace = [reader.finish()];
            let profile = Profile::of(&trace[0], &diagnose(&trace, 0));
            shown(name, traces(name, &trace, profile), None).map(|one| vec![one])
        }
        Content::Text => text(name, first, pieces),
    }
}

/// A text, of which a short one is read as a whole and a long one is what a job printed.
fn text(name: &str, mut first: Vec<u8>, mut pieces: Pieces) -> Result<Vec<Brought>, String> {
    while first.len() <= MOST
        && let Some(piece) = pieces.next()
    {
        first.extend(piece);
    }
    let (mut output, mut end) = (Output::default(), End::default());
    let is_long = first.len() > MOST;
    if is_long {
        pieces.feed(&first, |piece| {
            // A character that a cut splits can only be one of a word: numbers are ASCII.
            let piece = String::from_utf8_lossy(piece);
            output.push(&piece);
            end.push(&piece);
            true
        });
    }
    if let Some(why) = pieces.ended.take() {
        return Err(format!("{name}: {why}"));
    }
    if is_long {
        return shown(name, output.finish(name), Some(end)).map(|one| vec![one]);
    }
    let whole = String::from_utf8_lossy(&first);
    read_all(name, &whole).into_iter().map(|(card, own)| shown(name, card, Some(End::of(&own)))).collect()
}

/// A card with what the signs say of the log, unless nothing of it was read and nothing in it is known.
fn shown(name: &str, mut card: Card, log: Option<End>) -> Result<Brought, String> {
    let reading = log.filter(|_| card.may_hold_errors()).map(|log| log.read(signs::all()));
    let errors = reading.filter(|reading| reading.is_shown(card.kind.is_output(), card.outcome == Outcome::Refused));
    if card.outcome == Outcome::Refused {
        if errors.is_none() {
            return Err(format!("{name}: {}", card.said));
        }
        // Errors in a text that is nothing else make it an error log.
        if card.kind == Kind::Unknown {
            card.said.clear();
        }
        let is_sick = errors.as_ref().is_some_and(LogReading::has_errors);
        let has_others = errors.as_ref().is_some_and(|errors| errors.others() > 0);
        card.kind = if is_sick { Kind::Errors } else { Kind::Log };
        card.outcome = if has_others { Outcome::Partly } else { Outcome::Read };
    }
    Ok(Brought { card, errors })
}

/// A file, unpacked, in pieces.
struct Pieces {
    from: Box<dyn Read>,
    is_packed: bool,
    /// Bytes that were read before.
    start: Vec<u8>,
    /// Why there is no more, if that isn't its end.
    ended: Option<String>,
}

impl Pieces {
    /// Gives the first piece and those that are left to `take`, until it wants no more.
    fn feed(&mut self, first: &[u8], mut take: impl FnMut(&[u8]) -> bool) {
        let mut wants = take(first);
        while wants && let Some(piece) = self.next() {
            wants = take(&piece);
        }
    }
}

impl Iterator for Pieces {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut all = std::mem::take(&mut self.start);
        match piece(&mut *self.from, PIECE) {
            Ok(more) => all.extend(more),
            Err(error) => {
                let what = if self.is_packed { "unpacked" } else { "read to its end" };
                self.ended = Some(format!("It couldn't be {what}: {error}."));
            }
        }
        (!all.is_empty()).then_some(all)
    }
}

/// The next bytes, fewer only at the end.
fn piece(from: &mut dyn Read, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn line(checked: &Checked) -> String {
    match checked.values {
        Some(sides) => against(&checked.text, sides),
        None => checked.text.clone(),
    }
}

fn page(run: &Run, brought: &[Brought], replaced: &[String], report: &Report) -> String {
    let mut text = String::new();
    if !run.name.is_empty() {
        text += &format!("{}\n", run.name);
    }
    if !run.source.is_empty() {
        text += &format!("{}\n", run.source);
    }
    if !run.note.is_empty() {
        text += &format!("Note: {}\n", run.note);
    }
    for (name, stop) in stops(cards(brought)) {
        text += &format!("{} ({})\n", stop.what, stop.place(name));
        if !stop.text.is_empty() {
            text += &format!("  {}\n", stop.text);
        }
        text += &format!("  {}\n\n", stop.why);
    }
    for Brought { card, errors } in brought {
        let (kind, outcome) = (card.kind.label(), card.outcome.label().to_lowercase());
        text += format!("{}: {kind} ({outcome}). {}", card.title(), card.said).trim_end();
        text += "\n";
        for found in &card.found {
            text += &format!("  {}: {}\n", found.what, found.value);
        }
        for unread in &card.unread {
            let why = if unread.why.is_empty() { String::new() } else { format!(": {}", unread.why) };
            text += &format!("  not read: {}{why}\n", unread.text);
        }
        let more = card.unread_count.saturating_sub(card.unread.len());
        if more > 0 {
            text += &format!("  not read: {} more\n", grouped(more as u64));
        }
        text += &errors.as_ref().map(signs::page).unwrap_or_default();
    }
    for line in replaced {
        text += &format!("  {line}\n");
    }
    if let Some(v) = versus(cards(brought)) {
        let lines = v.lines.iter().map(|line| (line.label.clone(), line.texts(), line.difference_text()));
        text += &side_by_side(v.names, lines, &v.finding, &v.notes);
    }
    if let Some(v) = grown(cards(brought)) {
        let lines = v.lines.iter().map(|line| (line.label.clone(), line.texts(), line.difference_text()));
        text += &side_by_side(v.names, lines, &v.finding, &v.notes);
    }
    if run.is_empty() {
        return text;
    }
    text += "\n";
    if let Some(question) = &report.question {
        text += &format!("{}\n", question.sentence);
        let mut rows = vec![[question.setting.key.to_owned(), "step".to_owned(), "memory".to_owned(), String::new()]];
        rows.extend(question.answers.iter().map(|answer| {
            let [step, memory] = answer.rows.each_ref().map(Row::predicted_text);
            let too_large = if answer.is_too_large { "more than the GPU has" } else { "" };
            [answer.label.to_owned(), step, memory, too_large.to_owned()]
        }));
        text += &format!("{}\n", table(&rows));
    }
    if !report.rows.is_empty() {
        let mut rows = vec![["".to_owned(), "predicted".to_owned(), "measured".to_owned(), "gap".to_owned()]];
        rows.extend(
            report
                .rows
                .iter()
                .map(|row| [row.label.clone(), row.predicted_text(), row.measured_text(), row.gap_text()]),
        );
        text += &table(&rows);
    }
    for ledger in &report.ledgers {
        text += &format!("\n{}\n{}", ledger.title, parts(ledger));
    }
    for missing in &report.missing {
        text += &format!("\n{}", missing.sentence);
    }
    for assumed in &report.assumed {
        text += &format!("\nAssumed: {} ({})", assumed.sentence, assumed.key);
    }
    text += &format!("\n\n{}\n", report.verdict);
    for next in &report.next {
        text += &format!("\nNext: {}\n", next.why);
        if !next.command.is_empty() {
            text += &format!("  {}\n", next.command);
        }
    }
    text
}

/// Two traces or two snapshots.
fn side_by_side(
    [first, second]: [String; 2],
    lines: impl Iterator<Item = (String, [String; 2], String)>,
    finding: &str,
    notes: &[String],
) -> String {
    let mut rows = vec![["".to_owned(), first, second, "difference".to_owned()]];
    rows.extend(lines.map(|(label, [a, b], difference)| [label, a, b, difference]));
    format!("\n{}\n{}{finding}\n", notes.join("\n"), table(&rows))
}

/// Columns, the first to the left and the others to the right.
fn table(rows: &[[String; 4]]) -> String {
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2, 3].map(wide);
    let line = |row: &[String; 4]| {
        let [a, b, c, d] = widths;
        format!("{:a$}  {:>b$}  {:>c$}  {:>d$}\n", row[0], row[1], row[2], row[3])
    };
    rows.iter().map(line).collect()
}

fn parts(ledger: &Ledger) -> String {
    let wide =
        ledger.predicted.iter().chain(&ledger.gap).map(|c| c.label.chars().count()).max().unwrap_or_default().max(12);
    let line = |label: &str, size: String| format!("  {label:wide$}  {size:>10}\n");
    let mut text: String = ledger.predicted.iter().map(|c| line(&c.label, ledger.text(c.size))).collect();
    if ledger.is_measured {
        text += &ledger.gap.iter().map(|c| line(&c.label, ledger.gap_text(c.size))).collect::<String>();
        text.extend(ledger.unexplained().map(|size| line("Unexplained", size)));
        text += &line("Measured", ledger.text(ledger.total));
    } else {
        text += &line("Predicted", ledger.text(ledger.total));
    }
    text
}

fn json(run: &Run, brought: &[Brought], report: &Report, checked: &[Checked]) -> Value {
    let link = |link: Option<&Link>| link.map(|link| json!({ "figure": link.figure, "query": link.query.to_string() }));
    let cause = |c: &ringside_core::run::Cause| json!({ "label": c.label, "size": c.size, "why": c.why, "link": link(c.link.as_ref()) });
    json!({
        "run": run,
        "files": brought.iter().map(|Brought { card, errors }| json!({
            "name": card.title(), "kind": card.kind.id(), "outcome": card.outcome.id(), "said": card.said,
            "stop": card.stop.as_ref().map(|s| json!({ "line": s.line, "text": s.text, "what": s.what, "why": s.why, "link": link(s.link.as_ref()) })),
            "found": card.found.iter().map(|f| json!({ "line": f.line, "what": f.what, "value": f.value, "link": link(f.link.as_ref()) })).collect::<Value>(),
            "errors": errors.as_ref().map(signs::json),
            "histories": card.histories.iter().map(|h| json!({
                "device": h.device, "entries": h.entries, "is-timed": h.is_timed,
                "moments": h.moments.iter().map(|m| json!({ "before": m.before, "allocated": m.allocated, "reserved": m.reserved })).collect::<Value>(),
            })).collect::<Value>(),
            "unread": card.unread.iter().map(|u| json!({ "line": u.line, "text": u.text, "why": u.why })).collect::<Value>(),
        })).collect::<Value>(),
        "traces": versus(cards(brought)).map(|v| json!({
            "names": v.names, "per-step": v.per_step, "finding": v.finding, "notes": v.notes,
            "lines": v.lines.iter().map(|l| json!({ "label": l.label, "seconds": l.seconds })).collect::<Value>(),
        })),
        "snapshots": grown(cards(brought)).map(|v| json!({
            "names": v.names, "finding": v.finding, "notes": v.notes,
            "lines": v.lines.iter().map(|l| json!({ "label": l.label, "bytes": l.bytes })).collect::<Value>(),
        })),
        "rows": report.rows.iter().map(|row| json!({
            "id": row.id, "label": row.label, "unit": row.unit, "predicted": row.predicted, "measured": row.measured,
            "gap": row.gap(), "from": row.from,
        })).collect::<Value>(),
        "sums": report.ledgers.iter().map(|l| json!({
            "id": l.id, "unit": l.unit, "predicted": l.predicted.iter().map(cause).collect::<Value>(),
            "gap": l.gap.iter().map(cause).collect::<Value>(), "unexplained": l.remainder, "total": l.total, "measured": l.is_measured,
        })).collect::<Value>(),
        "missing": report.missing.iter().map(|missing| missing.sentence.as_str()).collect::<Vec<_>>(),
        "assumed": report.assumed.iter().map(|a| json!({ "key": a.key, "text": a.sentence })).collect::<Value>(),
        "question": report.question.as_ref().map(|q| json!({
            "key": q.setting.key, "text": q.sentence, "answers": q.answers.iter().map(|a| json!({
                "value": a.id, "label": a.label, "too-large": a.is_too_large,
                "predicted": a.rows.iter().map(|row| (row.id.to_owned(), json!(row.predicted))).collect::<serde_json::Map<_, _>>(),
            })).collect::<Value>(),
        })),
        "verdict": report.verdict,
        "next": report.next.iter().map(|n| json!({ "why": n.why, "command": n.command })).collect::<Value>(),
        "assertions": checked.iter().map(|c| json!({ "text": c.text, "holds": c.holds, "values": c.values })).collect::<Value>(),
    })
}
