//! A GPU's memory to scale: weights, then requests in blocks, in one room each, and with what is alike kept once.

use std::fmt::Write as _;

use leptos::html;
use leptos::prelude::*;
use ringside_core::kv_cache::blocks::figure::{Params, Shown};
use ringside_core::quantity::{Unit, grouped};

use super::Seen;
use crate::ui::markup::renewed;
use crate::ui::timeline::follow_width;

/// Width of the bars, in a figure that has room and in a narrow one.
const WIDE: f64 = 900.0;
const SLIM: f64 = 450.0;
/// A figure of fewer pixels is a narrow one.
const NARROW: f64 = 600.0;
const BAR: f64 = 34.0;
/// Height of a line of text over a bar.
const HEAD: f64 = 20.0;
const APART: f64 = 12.0;
/// Requests that are drawn one by one.
const MOST: u64 = 450;

struct Bars {
    svg: String,
    wide: f64,
    y: f64,
    /// Units for a byte.
    scale: f64,
    weights: f64,
}

impl Bars {
    fn head(&mut self, what: &str, says: &str) {
        let mut line = |class: &str, (x, y): (f64, f64), text: &str| {
            // Writing to a string does not fail; so below.
            let _ = write!(self.svg, "<text class=\"{class}\" x=\"{x}\" y=\"{:.1}\">{text}</text>", y + 14.0);
        };
        line("what", (0.0, self.y), what);
        if self.wide < WIDE {
            self.y += HEAD;
            line("under", (0.0, self.y), says);
        } else {
            line("says", (self.wide, self.y), says);
        }
        self.y += HEAD;
    }

    fn part(&mut self, class: &str, from: f64, bytes: f64, inside: f64) {
        let (x, wide) = (from * self.scale, bytes * self.scale);
        if wide > 0.0 {
            let _ = write!(
                self.svg,
                "<rect class=\"{class}\" x=\"{x:.2}\" y=\"{:.1}\" width=\"{wide:.2}\" height=\"{BAR}\"/>",
                self.y
            );
        }
        if inside > 0.0 && wide > 60.0 {
            let _ = write!(
                self.svg,
                "<text class=\"in {class}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 6.0,
                self.y + BAR / 2.0 + 4.5,
                Unit::Bytes.format(inside)
            );
        }
    }

    /// So many requests of `each` bytes one beside the other, `filled` of each with tokens.
    fn requests(&mut self, count: f64, each: f64, filled: f64, from: f64) {
        self.part("weights", 0.0, self.weights, 0.0);
        let drawn = (count as u64).min(MOST);
        let stride = if drawn == 0 { 0.0 } else { each * count / drawn as f64 };
        let (mut rooms, mut tokens) = (String::new(), String::new());
        let gap = if stride * self.scale > 4.0 { 1.0 } else { stride * self.scale * 0.2 };
        for i in 0..drawn {
            let x = (from + i as f64 * stride) * self.scale;
            let wide = (stride * self.scale - gap).max(0.05);
            let _ = write!(rooms, "M{x:.2} {:.1}h{wide:.2}v{BAR}h-{wide:.2}z", self.y);
            let part = wide * (filled / each).min(1.0);
            let _ = write!(tokens, "M{x:.2} {:.1}h{part:.2}v{BAR}h-{part:.2}z", self.y);
        }
        let _ = write!(self.svg, "<path class=\"room\" d=\"{rooms}\"/><path class=\"token\" d=\"{tokens}\"/>");
        self.y += BAR + APART;
    }
}

fn picture(params: &Params, shown: &Shown, wide: f64) -> String {
    let fit = &shown.fit;
    let memory = params.gpu.memory.0;
    let weights = fit.weights.min(memory);
    let mut bars = Bars { svg: String::new(), wide, y: 0.0, scale: wide / memory, weights };
    bars.head(
        params.gpu.name,
        &format!("{} of {} may be used", Unit::Bytes.format(fit.usable), Unit::Bytes.format(memory)),
    );
    bars.part("weights", 0.0, weights, fit.weights);
    bars.part("pool", weights, fit.room, fit.room);
    let used = fit.usable.max(weights).min(memory);
    bars.part("unused", used, memory - used, 0.0);
    bars.y += BAR + APART;
    let fits = |count: f64| match count as u64 {
        1 => "1 request fits".to_owned(),
        n => format!("{} requests fit", grouped(n)),
    };
    let filled = params.tokens as f64 * fit.on_gpu;
    bars.head(&format!("In blocks of {}", grouped(params.block)), &fits(fit.requests));
    bars.requests(fit.requests, fit.request.max(1.0), filled.min(fit.request), weights);
    bars.head(
        &format!("With {} tokens reserved for each", grouped(params.longest.max(params.tokens))),
        &fits(fit.requests_reserved),
    );
    bars.requests(fit.requests_reserved, fit.reserved.max(1.0), filled.min(fit.reserved), weights);
    let alike = params.shared.min(params.tokens);
    bars.head(&format!("In blocks, {} shared tokens kept once", grouped(alike)), &fits(fit.requests_shared));
    bars.part("token", weights, fit.alike.min(fit.room), 0.0);
    bars.requests(fit.requests_shared, (fit.request - fit.alike).max(1.0), filled - fit.alike, weights + fit.alike);
    format!(
        "<svg viewBox=\"0 0 {wide} {:.1}\" role=\"img\" aria-label=\"{}\">{}</svg>",
        bars.y,
        ringside_drawing::escaped(&params.finding(shown)),
        bars.svg
    )
}

/// The bars, and what they show.
pub(super) fn view(params: Memo<Params>, shown: Seen) -> AnyView {
    let (node, width) = (NodeRef::<html::Div>::new(), RwSignal::new(WIDE));
    follow_width(node, width);
    let wide = Memo::new(move |_| if width.get() < NARROW { SLIM } else { WIDE });
    let svg = move || params.with(|p| shown.with(|s| picture(p, s, wide.get())));
    view! {
        <ul class="kv-legend">
            <li><i class="key weights" aria-hidden="true"></i>"weights"</li>
            <li><i class="key pool" aria-hidden="true"></i>"left for the pool"</li>
            <li><i class="key token r3" aria-hidden="true"></i>"tokens of a request"</li>
            <li><i class="key room" aria-hidden="true"></i>"held and empty"</li>
            <li><i class="key unused" aria-hidden="true"></i>"not to be used"</li>
        </ul>
        <div class="kv-fit" data-answer="" node_ref=node use:renewed=svg></div>
    }
    .into_any()
}
