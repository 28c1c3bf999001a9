//! What the course's signs say of the errors in a log, in the words of the page `/run`.

use std::sync::LazyLock;

use ringside_content::schema::{Sign, Signs};
use ringside_content::search::{At, LogReading, Seen, UNKNOWN, filled};
use serde_json::{Value, json};

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/signs.json"));
    // A test holds the build to the form.
    serde_json::from_str(text).unwrap_or_default()
});

/// Every sign.
pub(crate) fn all() -> &'static [Sign] {
    &SIGNS.0
}

/// Text with what was kept of the line.
fn said(text: &str, seen: &Seen) -> String {
    filled(text, &seen.kept, str::to_owned)
}

/// All of it, for a person: where to begin, then each sign.
pub(crate) fn page(reading: &LogReading) -> String {
    let mut unknown = String::new();
    if !reading.unknown.is_empty() {
        unknown += "  Not known here\n";
        for at in &reading.unknown {
            unknown += &format!("    {} ({})\n", at.text, at.place(1));
        }
        let more = reading.unknown_lines.saturating_sub(reading.unknown.len());
        if more > 0 {
            unknown += &format!("    {more} more are not shown.\n");
        }
        unknown += &format!("    {UNKNOWN}\n");
    }
    let known = reading.seen.iter().filter_map(|seen| Some((seen, all().get(seen.sign)?)));
    let known = known.map(|(seen, sign)| {
        let (means, remedy) = (said(&sign.means.0, seen), said(&sign.remedy.0, seen));
        let title = format!("{}{}", sign.kind.certainty(), sign.title);
        format!("  {title}\n    {} ({})\n    {means}\n    {remedy}\n", seen.place.text, seen.place.place(seen.times))
    });
    let known: String = known.collect();
    let all = if reading.begins_unknown() { unknown + &known } else { known + &unknown };
    format!("  What went wrong: {}\n{all}", reading.summary())
}

/// All of it, for a program.
pub(crate) fn json(reading: &LogReading) -> Value {
    let at = |at: &At| json!({ "line": at.line, "text": at.text, "rank": at.rank });
    let seen = reading.seen.iter().filter_map(|seen| {
        let sign = all().get(seen.sign)?;
        Some(json!({
            "id": sign.id, "kind": sign.kind, "title": sign.title, "place": at(&seen.place), "times": seen.times,
            "means": said(&sign.means.0, seen), "remedy": said(&sign.remedy.0, seen), "program": sign.program,
        }))
    });
    json!({
        "begin": reading.begin(), "lines": reading.lines, "recognized": reading.recognized, "signs": seen.collect::<Value>(),
        "unknown": reading.unknown.iter().map(at).collect::<Value>(), "unknown-lines": reading.unknown_lines,
    })
}
