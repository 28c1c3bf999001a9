//! What the class got wrong: by exercise, the mistakes that it made and how many made each.

use leptos::prelude::*;
use ringside_core::practice::exam::{Common, Points, Shared};

/// The report. `title_of` says what an exercise is called.
pub(super) fn view(report: &[Common], title_of: impl Fn(&str) -> String) -> AnyView {
    let rows = report.iter().enumerate().map(|(i, common)| exercise(i + 1, common, title_of(&common.exercise)));
    view! { <ol class="mistakes sans">{rows.collect_view()}</ol> }.into_any()
}

fn exercise(number: usize, common: &Common, title: String) -> AnyView {
    let Common { asked, right, empty, to_mark, worth, points, mistakes, .. } = common;
    let read = asked - to_mark;
    let most = read * worth;
    let came = match (read, *worth) {
        (0, _) => None,
        (_, 1) => Some(format!("{right} of {read} right")),
        _ => Some(format!("{points} of {most} points")),
    };
    let none = (*empty > 0).then(|| format!("{empty} without an answer"));
    let unread = (*to_mark > 0).then(|| format!("{to_mark} to mark"));
    let tally = [came, none, unread].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let share = 100.0 * points.count() / most.max(1) as f64;
    let made = mistakes.iter().map(mistake).collect_view();
    let all_right = mistakes.is_empty() && read == *asked && *points == Points::whole(most);
    view! {
        <li>
            <p class="what">
                <b>{format!("{number}. {title}")} </b> <span class="tally">{tally}</span>
            </p>
            <div class="share" aria-hidden="true"><i style=("width", format!("{share:.0}%"))></i></div>
            {all_right.then(|| view! { <p class="why">"Nobody made a mistake."</p> })}
            <ul>{made}</ul>
        </li>
    }
    .into_any()
}

fn mistake(shared: &Shared) -> AnyView {
    let count = shared.learners.len();
    let who = shared.learners.iter().map(|name| super::check::name_of(name)).collect::<Vec<_>>().join(", ");
    let said = if shared.slip.is_html {
        view! { <div class="said" inner_html=shared.slip.say.clone()></div> }.into_any()
    } else {
        view! { <div class="said">{shared.slip.say.clone()}</div> }.into_any()
    };
    view! { <li><b class="times">{count} "×"</b> <div>{said} <small>{who}</small></div></li> }.into_any()
}
