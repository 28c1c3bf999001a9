//! What lies on an author's desk: the course's files, what differs from them, and what the worker makes of it.

use js_sys::Array;
use leptos::prelude::*;
use ringside_content::schema::Draft;
use ringside_learner::draft::{self, Cut, File, Files, Shared, Text};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::page;
use crate::store::store;
use crate::ui::later::Later;
use crate::worker::{Program, Worker};

/// How long the worker waits for the author to pause, in milliseconds.
const PAUSE: u32 = 250;

const RENDERER: Program = Program {
    meta: "ringside-author",
    does: "renders the chapter",
    remedy: "What you wrote is kept: change it, and it starts again.",
};

/// Changes that were taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Discarded {
    folder: String,
    /// The file that they were in.
    pub file: File,
    text: String,
}

/// A chapter from a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Received {
    pub folder: String,
    /// What is edited of each file, in the order of [`File::ALL`].
    files: [String; File::ALL.len()],
    /// Where it differs from the course: "chapter.md from line 12".
    pub changes: Vec<String>,
}

/// The desk.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    /// `source.json`, as it came and as it reads.
    json: StoredValue<String>,
    course: StoredValue<Files>,
    /// What differs from the course.
    drafts: RwSignal<Files>,
    /// The manifest, cut around the chapter's entry, which is all that is edited of it.
    cut: RwSignal<Cut>,
    /// What a chapter can name, as JSON for the editor.
    pub words: RwSignal<String>,
    /// The chapter's folder.
    pub folder: RwSignal<String>,
    /// The file in the editor.
    pub file: RwSignal<File>,
    /// The chapter as the worker last rendered it.
    pub shown: RwSignal<Option<Draft>>,
    /// Why there is nothing newer.
    pub trouble: RwSignal<Option<String>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    /// Whether the worker can be asked.
    ready: StoredValue<bool>,
    /// Whether it has not answered yet.
    asked: StoredValue<bool>,
    /// Whether something was changed since.
    stale: StoredValue<bool>,
    /// Other pages and tests wait until the first chapter is there.
    first: StoredValue<Option<page::OnItsWay>, LocalStorage>,
    later: Later,
}

impl Desk {
    /// A desk with the files of the course and with what the store has of earlier work.
    ///
    /// # Errors
    /// A sentence: the files cannot be read.
    pub fn new(json: &str, folder: Option<String>) -> Result<Self, String> {
        let course: Files = serde_json::from_str(json).map_err(|e| {
            format!("The course’s source does not read as this version expects ({e}). Reload the page.")
        })?;
        let kept = store().peek(|doc| draft::readable(&doc.drafts));
        let chosen = folder.filter(|folder| draft::exists(&course, folder) || draft::exists(&kept, folder));
        let folder = chosen.or_else(|| draft::folders(&course).next()).unwrap_or_default();
        let desk = Self {
            json: StoredValue::new(json.to_owned()),
            course: StoredValue::new(course),
            drafts: RwSignal::new(kept),
            cut: RwSignal::default(),
            words: RwSignal::default(),
            folder: RwSignal::new(folder),
            file: RwSignal::new(File::Text),
            shown: RwSignal::new(None),
            trouble: RwSignal::new(None),
            worker: StoredValue::new_local(None),
            ready: StoredValue::new(false),
            asked: StoredValue::new(false),
            stale: StoredValue::new(false),
            first: StoredValue::new_local(Some(page::pending())),
            later: Later::after(PAUSE),
        };
        desk.cut_anew();
        desk.render();
        Ok(desk)
    }

    /// Every chapter's folder, those of the course first. Tracks.
    pub fn folders(self) -> Vec<String> {
        let mut all: Vec<String> = self.course.with_value(|course| draft::folders(course).collect());
        let own = self.drafts.with(|drafts| draft::folders(drafts).filter(|f| !all.contains(f)).collect::<Vec<_>>());
        all.extend(own);
        all
    }

    /// The path of a file of the chapter. Tracks.
    pub fn path(self, file: File) -> String {
        self.folder.with(|folder| file.path(folder))
    }

    /// A whole file. Tracks.
    pub fn whole(self, file: File) -> String {
        let path = self.path(file);
        let own = self.drafts.with(|drafts| drafts.get(&path).cloned());
        own.unwrap_or_else(|| self.course.with_value(|course| course.get(&path).cloned().unwrap_or_default()))
    }

    /// What an author edits of a file: of the manifest, the chapter's entry. Tracks.
    pub fn text(self, file: File) -> String {
        match file {
            File::Manifest => self.cut.with(|cut| cut.entry.clone()),
            _ => self.whole(file),
        }
    }

    /// What the course has of it. Tracks.
    fn published(self, file: File) -> String {
        self.folder.with(|folder| self.published_in(folder, file))
    }

    fn published_in(self, folder: &str, file: File) -> String {
        let text = self.course.with_value(|course| course.get(&file.path(folder)).cloned().unwrap_or_default());
        if file == File::Manifest { Cut::of(&text, folder).entry } else { text }
    }

    /// Lines of a file before what is edited of it. Tracks.
    pub fn lines_before(self, file: File) -> usize {
        if file == File::Manifest { self.cut.with(Cut::lines_before) } else { 0 }
    }

    /// Whether what is edited of a file differs from the course's. Tracks.
    pub fn changed(self, file: File) -> bool {
        self.text(file) != self.published(file)
    }

    /// Writes what is edited of a file: kept at once, rendered when the author pauses.
    pub fn write(self, file: File, text: String) {
        if file != File::Manifest {
            return self.write_whole(file, text);
        }
        // Not cut anew: an entry may have any text while it is written.
        self.cut.update(|cut| cut.entry = text);
        self.put(file, self.cut.with_untracked(Cut::whole));
    }

    /// Writes a whole file.
    pub fn write_whole(self, file: File, text: String) {
        self.put(file, text);
        if file == File::Manifest {
            self.cut_anew();
        }
    }

    fn put(self, file: File, text: String) {
        let path = untrack(|| self.path(file));
        let same = self.course.with_value(|course| course.get(&path) == Some(&text));
        self.drafts.update(|drafts| {
            if same {
                drafts.remove(&path);
            } else {
                drafts.insert(path, text);
            }
        });
        self.keep();
        self.later.run(move || self.render());
    }

    fn cut_anew(self) {
        let cut = untrack(|| Cut::of(&self.whole(File::Manifest), &self.folder.get()));
        self.cut.set(cut);
    }

    /// The chapter, to be shared.
    pub fn shared(self) -> Shared {
        let text = |file: File| Text::of(&self.published(file), &self.text(file));
        untrack(|| Shared { folder: self.folder.get(), files: File::ALL.map(text) })
    }

    /// The files of a shared chapter.
    ///
    /// # Errors
    /// A sentence: they are told by what differs from a course that isn't this one.
    pub fn taken_up(self, shared: Shared) -> Result<Received, String> {
        let Shared { folder, files } = shared;
        let mut changes = Vec::new();
        let mut whole = Vec::new();
        for (file, text) in File::ALL.into_iter().zip(files) {
            changes.extend(text.differs_at().map(|line| format!("{} from line {line}", file.name())));
            whole.extend(text.whole(&self.published_in(&folder, file)));
        }
        let files = whole.try_into().map_err(|_| {
            format!(
                "This link holds changes to another version of {folder} than this site has. Ask its author for the files instead."
            )
        })?;
        Ok(Received { folder, files, changes })
    }

    /// Whether a shared chapter would replace something of the author's own.
    pub fn would_lose(self, shared: &Received) -> bool {
        self.drafts.with_untracked(|drafts| {
            let mine = |file: File| drafts.get(&file.path(&shared.folder));
            [File::Text, File::Exercises]
                .into_iter()
                .zip(&shared.files)
                .any(|(file, new)| mine(file).is_some_and(|own| own != new))
        })
    }

    /// Opens a shared chapter, in the place of what there was of it.
    pub fn receive(self, shared: Received) {
        let Received { folder, files, .. } = shared;
        self.open(folder);
        for (file, text) in File::ALL.into_iter().zip(files) {
            self.write(file, text);
        }
        self.file.set(File::Text);
    }

    /// Takes back every change to the file in the editor. Yields what [`Desk::put_back`] needs.
    pub fn discard(self) -> Discarded {
        let (folder, file) = (self.folder.get_untracked(), self.file.get_untracked());
        let text = untrack(|| self.text(file));
        if file == File::Manifest {
            self.write(file, untrack(|| self.published(file)));
        } else {
            self.drafts.update(|drafts| _ = drafts.remove(&file.path(&folder)));
            self.keep();
        }
        // Of a new chapter, nothing is left to show without its text.
        let all = untrack(|| self.folders());
        let next = if all.contains(&folder) { Some(folder.clone()) } else { all.into_iter().next() };
        self.open(next.unwrap_or_default());
        Discarded { folder, file, text }
    }

    /// Undoes [`Desk::discard`].
    pub fn put_back(self, discarded: Discarded) {
        let Discarded { folder, file, text } = discarded;
        self.open(folder);
        self.file.set(file);
        self.write(file, text);
    }

    /// Goes to another chapter.
    pub fn open(self, folder: String) {
        self.folder.set(folder);
        self.cut_anew();
        self.render();
    }

    /// Begins a new chapter with this slug, or one of its own, from the template, at the end of the course.
    ///
    /// # Errors
    /// A sentence: it cannot have this slug.
    pub fn begin(self, slug: &str) -> Result<(), String> {
        let manifest = untrack(|| self.whole(File::Manifest));
        if let Some(why) = draft::refuses(&manifest, slug) {
            return Err(why);
        }
        let (folder, files) = draft::new_chapter(&manifest, slug);
        self.drafts.update(|drafts| drafts.extend(files));
        self.keep();
        self.file.set(File::Text);
        self.open(folder);
        Ok(())
    }

    fn keep(self) {
        let drafts = self.drafts.get_untracked();
        let any = (!drafts.is_empty()).then_some(&drafts);
        store().update(|doc| doc.put("drafts", |doc| &mut doc.drafts, any));
    }

    /// Has the chapter rendered as it is now; if the worker is busy, once it has answered.
    fn render(self) {
        if self.asked.get_value() {
            self.stale.set_value(true);
            return;
        }
        if self.worker.with_value(Option::is_none) {
            match Worker::start(RENDERER, move |said| self.hear(said)) {
                Ok(worker) => self.worker.set_value(Some(worker)),
                Err(why) => {
                    self.trouble.set(Some(why));
                    self.first.set_value(None);
                }
            }
        }
        if !self.ready.get_value() {
            // When it is, it is asked for what is on the desk then.
            return;
        }
        let folder = self.folder.get_untracked();
        let message = Array::of1(&folder.as_str().into());
        for file in File::ALL {
            let path = file.path(&folder);
            if let Some(text) = self.drafts.with_untracked(|drafts| drafts.get(&path).cloned()) {
                message.push(&path.into());
                message.push(&text.into());
            }
        }
        self.asked.set_value(true);
        self.post(&message);
    }

    fn post(self, message: &Array) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(message);
            }
        });
    }

    fn hear(self, said: Result<JsValue, String>) {
        let ready = said.as_ref().is_ok_and(|said| said.as_string().is_some_and(|text| text.is_empty()));
        if ready && let Some(json) = self.json.try_get_value() {
            self.post(&Array::of2(&"".into(), &json.into()));
            self.ready.set_value(true);
            self.render();
            return;
        }
        if let Some(words) = said.as_ref().ok().and_then(|said| said.dyn_ref::<Array>()) {
            // The desk may be gone.
            let _ = self.words.try_set(words.get(0).as_string().unwrap_or_default());
            return;
        }
        let draft = said
            .and_then(|said| serde_json::from_str(&said.as_string().unwrap_or_default()).map_err(|_| RENDERER.stale()));
        // The desk may be gone.
        if self.asked.try_set_value(false).is_some() {
            return;
        }
        match draft {
            Ok(draft) => {
                self.trouble.set(None);
                self.shown.set(Some(draft));
            }
            Err(why) => {
                self.trouble.set(Some(why));
                // What it does next is done by another.
                self.worker.set_value(None);
                self.ready.set_value(false);
                self.stale.set_value(false);
            }
        }
        self.first.set_value(None);
        if self.stale.try_update_value(std::mem::take) == Some(true) {
            self.render();
        }
    }
}
