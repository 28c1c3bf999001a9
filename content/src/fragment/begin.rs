//! What a newcomer does first: three figures, two of which ask before they answer, and what the course is for.

use ringside_core::catalogue::{self, Entry};
use ringside_core::hardware::H100;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::query::Query;

use super::{labs, missions, still};
use crate::data::{Lab, Listed};
use crate::evaluated::evaluated;
use crate::html::escape;
use crate::language::Lang;
use crate::markdown;
use crate::schema::{Course, Status};
use crate::words;

/// A question about the figure under it. The app makes the buttons alive: `data-guess` is what one sets in the figure, `data-says` what
/// is then said.
struct Guess {
    id: &'static str,
    question: &'static str,
    options: Vec<(String, &'static str, String)>,
    /// What is offered once it is answered.
    then: String,
}

impl Guess {
    fn html(&self) -> String {
        let options: String = self.options.iter().map(|(label, set, says)| button(label, set, says)).collect();
        format!(
            "<div class=\"guess sans\" role=\"group\" aria-labelledby=\"{id}\">\n<p id=\"{id}\">{}</p>\n\
             <p class=\"guess-options\">{options}</p>\n<p class=\"guess-said\" role=\"status\"></p>\n\
             <p class=\"guess-then\" inert>{}</p>\n</div>\n",
            escape(self.question),
            self.then,
            id = self.id,
        )
    }
}

fn button(label: &str, set: &str, says: &str) -> String {
    format!(
        "<button type=\"button\" class=\"secondary\" aria-pressed=\"false\" data-guess=\"{}\" data-says=\"{}\" disabled>{}</button> ",
        escape(set),
        escape(says),
        escape(label)
    )
}

/// A quantity of a model of the catalogue in a state, as a person reads it.
fn quantity(entry: &Entry, query: &str, id: &str) -> String {
    let result = evaluated(entry, &Query::parse(query));
    result.quantities.iter().find(|q| q.id == id).map(|q| q.text()).unwrap_or_default()
}

/// A link to a chapter that is written; else its words alone.
pub(super) fn to_chapter(course: &Course, slug: &str, words: &str) -> String {
    match course.chapter(slug).filter(|chapter| chapter.status == Status::Written) {
        Some(chapter) => format!("<a href=\"{}\">{}</a>", escape(&chapter.href()), escape(words)),
        None => escape(words),
    }
}

/// The figure of the first screen, under the question that it answers, with a guess before it.
pub(super) fn live(course: &Course) -> String {
    let entry = catalogue::find("memory-breakdown");
    let held = |query: &str| entry.map(|entry| quantity(entry, query, "total")).unwrap_or_default();
    let each = |gpus: u64| {
        let now = held(&format!("dp={gpus}"));
        format!(
            "With {} GPUs each still holds {now}: plain data parallelism gives every GPU a whole copy. More GPUs add copies, not room.",
            grouped(gpus)
        )
    };
    let right = format!(
        "Right. At 65,536 GPUs each still holds {}: plain data parallelism gives every GPU a whole copy.",
        held("dp=65536")
    );
    let sharded = format!("ZeRO-3 lets 64 GPUs hold one copy together: {} on each.", held("dp=64&zero=3"));
    let guess = Guess {
        id: "guess-fit",
        question: "How many GPUs does it take until each has room?",
        options: vec![
            ("128".into(), "dp=128", each(128)),
            (grouped(1024), "dp=1024", each(1024)),
            ("No number is enough".into(), "dp=65536", right),
        ],
        then: format!(
            "{} {}",
            button("Share the copy instead: ZeRO-3", "dp=64&zero=3", &sharded),
            to_chapter(course, "zero-and-fsdp", "How that works, and what it costs")
        ),
    };
    format!(
        "<section class=\"live\" aria-labelledby=\"live-question\">\n\
         <h2 id=\"live-question\">Training a 30-billion-parameter model takes more than a GPU with {} holds. You add GPUs with plain data parallelism.</h2>\n\
         {}<p class=\"before-guess sans\">The figure answers once you have guessed, or clicked on it.</p>\n\
         <div class=\"live-figure\">\n{}</div>\n</section>\n",
        Unit::Bytes.format(H100.sold.0),
        guess.html(),
        still::memory(),
    )
}

/// A figure that comes alive when it is seen.
fn figure(id: &str, place: &str, query: &str) -> String {
    let slot = catalogue::find(id).map(|entry| markdown::slot(entry, place, &Query::parse(query), None, Lang::En));
    format!("{}<i class=\"seen-here\" data-seen-of=\"{place}\"></i>\n", slot.unwrap_or_default())
}

/// Two more figures: one that moves, one on the learner's GPU.
pub(super) fn more(course: &Course) -> String {
    let ring = catalogue::find("ring-all-reduce");
    let sent = |ranks: u64| ring.map(|e| quantity(e, &format!("ranks={ranks}&bytes=1e9"), "bytes-sent-per-rank"));
    let [two, sixteen] = [2, 16].map(|ranks| sent(ranks).unwrap_or_default());
    let all = Unit::Bytes.format(15e9);
    let guess = Guess {
        id: "guess-ring",
        question: "Two GPUs add up a gigabyte of gradients, and each sends 1 GB. What does each send when there are sixteen?",
        options: vec![
            (
                "1 GB".into(),
                "ranks=16&step=0",
                format!(
                    "It is {sixteen}: more than with two, and never twice as much. In a ring of n each sends 2(n − 1)/n of the buffer."
                ),
            ),
            (
                "About 2 GB".into(),
                "ranks=16&step=0",
                format!(
                    "Right: {sixteen}, against {two} with two. In a ring of n each sends 2(n − 1)/n of the buffer, and never twice as much."
                ),
            ),
            (
                all,
                "ranks=16&step=0",
                format!(
                    "That is what each would send to tell everyone everything. In a ring it is {sixteen}: step through it."
                ),
            ),
        ],
        then: format!(
            "Press Play in the figure. {}",
            to_chapter(course, "collectives", "The chapter builds it from nothing")
        ),
    };
    format!(
        "<section class=\"begin\" id=\"moves\" aria-labelledby=\"moves-title\">\n\
         <h2 id=\"moves-title\">GPUs agree on a sum. Watch them.</h2>\n{}{}</section>\n\
         <section class=\"begin\" id=\"your-gpu\" aria-labelledby=\"your-gpu-title\">\n\
         <h2 id=\"your-gpu-title\">The same product of two matrices, written several ways. How much faster is the best on your GPU?</h2>\n\
         <p>Press Run: your browser’s GPU multiplies, and each result is checked. Where there is no GPU, the counts are still there. {}.</p>\n{}</section>\n",
        guess.html(),
        figure("ring-all-reduce", "home-ring", "ranks=2"),
        to_chapter(course, "matmul-kernels", "The chapter climbs the ladder step by step"),
        figure("matmul-kernels", "home-gpu", ""),
    )
}

/// For whom it is, and what one can do after it.
const FOR: &str = "<section class=\"for-whom\" aria-labelledby=\"for-whom\">\n\
    <div><h2 id=\"for-whom\">Who it is for</h2>\n\
    <p>You write Python and have trained a small network. You are about to train, tune or serve a language model on more than one GPU, or to \
    pay for it. You need no GPU and no account: figures compute in your browser, and what you do stays there.</p></div>\n\
    <div><h2>What you will be able to do</h2>\n<ul>\n\
    <li>Say to the gigabyte what a model needs, before the job is queued.</li>\n\
    <li>Choose data, tensor, pipeline and expert parallelism for a cluster, and defend the choice with numbers.</li>\n\
    <li>Read a trace, a loss curve or a page of NCCL errors, and name the cause.</li>\n\
    <li>Write a kernel, and say how far it is from what the GPU could do.</li>\n\
    <li>Keep a run of weeks alive through failures, and know what they cost.</li>\n\
    <li>Align a model, evaluate it, and serve it at a latency and a price that you promised.</li>\n\
    </ul></div>\n</section>\n";

pub(super) fn for_whom() -> &'static str {
    FOR
}

/// The missions, in short.
pub(super) fn missions(all: &[Listed]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let items: String = all.iter().map(missions::item).collect();
    format!(
        "<section id=\"missions\" aria-labelledby=\"missions-title\">\n<h2 id=\"missions-title\">{}</h2>\n\
         <p class=\"intro\">A company, a cluster, money and a date. You decide, the models say what follows, and every decision changes those \
         after it. At the end your run stands beside the best that a search finds.</p>\n\
         <ol class=\"lab-links sans\">\n{items}</ol>\n</section>\n",
        words::count(all.len(), "mission", "missions"),
    )
}

/// The labs, in short.
pub(super) fn labs(all: &[Lab]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let items: String = all.iter().map(labs::item).collect();
    format!(
        "<section id=\"labs\" aria-labelledby=\"labs-title\">\n<h2 id=\"labs-title\">{}</h2>\n\
         <p class=\"intro\">Predict a number, measure it on what you have (a laptop will do), and paste it back beside the model. \
         What was measured becomes <a href=\"lab/#my-setup\">your setup</a>, which every figure can take.</p>\n\
         <ol class=\"lab-links sans\">\n{items}</ol>\n</section>\n",
        words::count(all.len(), "lab", "labs"),
    )
}
