//! What is wrong with the chapter, each with the way to its line.

use leptos::prelude::*;
use ringside_content::schema::Diagnostic;
use ringside_learner::draft::{File, range};
use wasm_bindgen::JsCast as _;
use web_sys::{CustomEvent, CustomEventInit, HtmlTextAreaElement};

use super::desk::Desk;
use super::editor::TEXT;

pub(super) fn view(desk: Desk) -> AnyView {
    let all = Memo::new(move |_| desk.shown.with(|shown| shown.as_ref().map(|draft| draft.diagnostics.clone())));
    let count = move || match all.with(|all| all.as_ref().map(Vec::len)) {
        None => "Rendering …".to_owned(),
        Some(0) => "No mistakes.".to_owned(),
        Some(1) => "1 mistake".to_owned(),
        Some(n) => format!("{n} mistakes"),
    };
    let list = move || all.get().unwrap_or_default().into_iter().map(|one| mistake(desk, one)).collect_view();
    view! {
        <div class="author-mistakes">
            <div role="status"><h2>{count}</h2></div>
            <ol>{list}</ol>
        </div>
    }
    .into_any()
}

fn mistake(desk: Desk, one: Diagnostic) -> AnyView {
    let hint = (!one.hint.is_empty()).then(|| format!(" ({})", one.hint));
    let message = one.message.clone();
    let place = match place(desk, &one) {
        Some((file, line)) => {
            let column = one.column;
            let go = move |_| {
                desk.file.set(file);
                // The text of another file is in the editor only after this.
                request_animation_frame(move || select(line, column));
            };
            view! {
                <button type="button" class="quiet" on:click=go>{format!("{}:{line}", file.name())}</button>
            }
            .into_any()
        }
        // It is in what others wrote.
        None => view! { <span>{format!("{}:{}", one.file, one.line)}</span> }.into_any(),
    };
    view! {
        <li>
            {place}
            " "
            {message}
            {hint}
        </li>
    }
    .into_any()
}

/// The file that a mistake is in and the line of what is edited of it; nothing if it is in no such line. Tracks.
fn place(desk: Desk, one: &Diagnostic) -> Option<(File, usize)> {
    let file = one.file.rsplit('/').next().and_then(File::named)?;
    let line = one.line.checked_sub(desk.lines_before(file)).filter(|line| *line > 0)?;
    // The last line of a text is where its end is missed.
    (line <= desk.text(file).lines().count() + 1).then_some((file, line))
}

/// What is wrong with a file, as the editor takes it: a line for each, "line:column message". Tracks.
pub(super) fn marks(desk: Desk, file: File) -> String {
    desk.shown.with(|shown| {
        let all = shown.iter().flat_map(|draft| &draft.diagnostics);
        let own = all.filter_map(|one| place(desk, one).filter(|(of, _)| *of == file).map(|(_, line)| (line, one)));
        own.map(|(line, one)| format!("{line}:{} {}", one.column, one.message.replace('\n', " ")))
            .collect::<Vec<_>>()
            .join("\n")
    })
}

/// Puts the cursor on a line of the text in the editor at a column, both counted from 1, and brings it into view.
fn select(line: usize, column: usize) {
    let Some(editor) = document().get_element_by_id(TEXT) else { return };
    if editor.shadow_root().is_some() {
        let init = CustomEventInit::new();
        init.set_detail(&format!("{line}:{column}").into());
        if let Ok(event) = CustomEvent::new_with_event_init_dict("go-to", &init) {
            // Nobody stops it.
            let _ = editor.dispatch_event(&event);
        }
        return;
    }
    let text = editor.query_selector("textarea").ok().flatten().and_then(|e| e.dyn_into::<HtmlTextAreaElement>().ok());
    let Some(text) = text else { return };
    let value = text.value();
    let (start, end) = range(&value, line, column);
    // The focus can be there already.
    let _ = text.focus();
    let _ = text.set_selection_range(start, end);
    let lines = value.lines().count().max(1);
    let above = line.saturating_sub(4) as f64 / lines as f64;
    text.set_scroll_top((above * f64::from(text.scroll_height())) as i32);
}
