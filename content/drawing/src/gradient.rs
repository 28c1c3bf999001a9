//! Colours and gradients as browsers write them, as a drawing has them.

use std::fmt::Write as _;

use ringside_core::decimal;

/// A rectangle of the picture.
#[derive(Clone, Copy)]
pub struct Area {
    /// Its left edge, in pixels.
    pub x: f64,
    /// Its top, in pixels.
    pub y: f64,
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
}

/// A `<linearGradient>` with this id for what a browser says of a background with a linear gradient in pixels or in parts of
/// its box, repeated or not. None for any other.
pub fn drawn(image: &str, id: &str, area: Area) -> Option<String> {
    let (kind, inner) = image.split_once('(')?;
    let repeats = match kind {
        "linear-gradient" => false,
        "repeating-linear-gradient" => true,
        _ => return None,
    };
    let mut parts = pieces(inner.strip_suffix(')')?);
    let turned = parts.first().and_then(|first| decimal::parse(first.strip_suffix("deg")?));
    if turned.is_some() {
        parts.remove(0);
    }
    // From above downwards, unless it says otherwise; 0 is upwards.
    let angle = turned.unwrap_or(180.0).to_radians();
    let (dx, dy) = (angle.sin(), -angle.cos());
    let length = area.width * dx.abs() + area.height * dy.abs();
    let mut stops: Vec<(f64, &str)> = Vec::new();
    let last = parts.len().checked_sub(1).filter(|last| *last > 0)?;
    for (i, part) in parts.iter().enumerate() {
        let end = part.rfind(')').map_or(0, |end| end + 1);
        let end = end + part.get(end..)?.find(' ').unwrap_or(part.len() - end);
        let (colour, places) = part.split_at(end);
        let mut places: Vec<f64> = places.split_whitespace().filter_map(|place| at(place, length)).collect();
        if places.is_empty() {
            places.push(length * i as f64 / last as f64);
        }
        stops.extend(places.into_iter().map(|place| (place, colour)));
    }
    let reach = if repeats { stops.last()?.0 } else { length };
    if reach <= 0.0 {
        return None;
    }
    let (x1, y1) = (area.x + area.width / 2.0 - dx * length / 2.0, area.y + area.height / 2.0 - dy * length / 2.0);
    let (x2, y2) = (x1 + dx * reach, y1 + dy * reach);
    let spread = if repeats { "repeat" } else { "pad" };
    let mut out = format!(
        "<linearGradient id=\"{id}\" gradientUnits=\"userSpaceOnUse\" spreadMethod=\"{spread}\" \
         x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\">"
    );
    for (place, colour) in stops {
        let (colour, alpha) = plain_colour(colour);
        let offset = place / reach;
        // Writing into a text does not fail.
        let _ = write!(out, "<stop offset=\"{offset:.4}\" stop-color=\"{colour}\" stop-opacity=\"{alpha}\"/>");
    }
    out.push_str("</linearGradient>");
    Some(out)
}

/// What commas outside of brackets separate.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut pieces) = (0_usize, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(text[begin..i].trim());
                begin = i + 1;
            }
            _ => {}
        }
    }
    pieces.push(text[begin..].trim());
    pieces
}

/// A place on the line of a gradient, which is `length` pixels long.
fn at(place: &str, length: f64) -> Option<f64> {
    match place.strip_suffix('%') {
        Some(percent) => decimal::parse(percent).map(|part| part / 100.0 * length),
        None => decimal::parse(place.strip_suffix("px")?),
    }
}

/// `rgb(…)` of what a browser writes: `rgb(1, 2, 3)`, `rgba(1, 2, 3, 0.5)`, `color(srgb 0.1 0.2 0.3 / 0.5)`.
pub fn plain_colour(text: &str) -> (String, f64) {
    let Some((kind, inner)) = text.split_once('(') else { return (text.to_owned(), 1.0) };
    let inner = inner.trim_end_matches(')').trim_start_matches("srgb");
    let numbers: Vec<f64> = inner.split([' ', ',', '/']).filter(|p| !p.is_empty()).filter_map(decimal::parse).collect();
    let whole = match kind {
        "rgb" | "rgba" => 1.0,
        "color" => 255.0,
        _ => return (text.to_owned(), 1.0),
    };
    let [red, green, blue, rest @ ..] = numbers.as_slice() else { return (text.to_owned(), 1.0) };
    let part = |value: &f64| (value * whole).round();
    (format!("rgb({}, {}, {})", part(red), part(green), part(blue)), rest.first().copied().unwrap_or(1.0))
}

/// A fill or a stroke, which may be none, or a pattern.
pub fn drawn_colour(value: &str) -> String {
    match plain_colour(value) {
        (colour, alpha) if alpha < 1.0 && colour.starts_with("rgb(") => {
            format!("rgba({}, {alpha})", colour.trim_start_matches("rgb(").trim_end_matches(')'))
        }
        (colour, _) => colour,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 10.0, y: 20.0, width: 100.0, height: 50.0 };

    #[test]
    fn stripes_repeat_downwards() {
        let image = "repeating-linear-gradient(color(srgb 1 0 0) 0px, color(srgb 1 0 0) 8px, rgba(0, 0, 0, 0) 8px, rgba(0, 0, 0, 0) 10px)";
        let drawn = drawn(image, "g", AREA).expect("a gradient");
        assert!(drawn.contains(r#"spreadMethod="repeat" x1="60.00" y1="20.00" x2="60.00" y2="30.00""#), "{drawn}");
        assert!(drawn.contains(r#"<stop offset="0.8000" stop-color="rgb(255, 0, 0)" stop-opacity="1"/>"#), "{drawn}");
        assert!(drawn.contains(r#"<stop offset="0.8000" stop-color="rgb(0, 0, 0)" stop-opacity="0"/>"#), "{drawn}");
    }

    #[test]
    fn a_turned_one_reaches_across_and_others_are_left_alone() {
        let drawn =
            super::drawn("linear-gradient(90deg, rgb(1, 2, 3), rgb(4, 5, 6) 50%)", "g", AREA).expect("a gradient");
        assert!(drawn.contains(r#"spreadMethod="pad" x1="10.00" y1="45.00" x2="110.00" y2="45.00""#), "{drawn}");
        assert!(drawn.contains(r#"offset="0.0000" stop-color="rgb(1, 2, 3)""#) && drawn.contains(r#"offset="0.5000""#));
        for other in ["none", "url(\"a.png\")", "radial-gradient(red, blue)", "linear-gradient()", "linear-gradient("] {
            assert_eq!(super::drawn(other, "g", AREA), None, "{other}");
        }
    }

    #[test]
    fn colours_are_read_as_browsers_write_them() {
        assert_eq!(plain_colour("rgb(1, 2, 3)"), ("rgb(1, 2, 3)".to_owned(), 1.0));
        assert_eq!(plain_colour("rgba(1, 2, 3, 0.5)"), ("rgb(1, 2, 3)".to_owned(), 0.5));
        assert_eq!(plain_colour("color(srgb 1 0.5 0 / 0.25)"), ("rgb(255, 128, 0)".to_owned(), 0.25));
        assert_eq!(plain_colour("none"), ("none".to_owned(), 1.0));
    }

    #[test]
    fn what_cannot_be_seen_keeps_its_alpha() {
        assert_eq!(drawn_colour("rgba(1, 2, 3, 0)"), "rgba(1, 2, 3, 0)");
    }
}
