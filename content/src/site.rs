//! The whole course: every file that the browser fetches, and everything that is wrong with the content.

use std::collections::BTreeSet;
use std::path::Path;

use ringside_core::catalogue;
use serde::Serialize;

use crate::article::{Reading, article};
use crate::coverage;
use crate::data::{self, ChapterExercise};
use crate::diagnostic::{Mode, Sink};
use crate::extent;
use crate::fragment;
use crate::language::Lang;
use crate::markdown::scan::Scan;
use crate::markdown::translation::{self, Translation};
use crate::markdown::{self, Page, Slot};
use crate::names::Kind;
use crate::notebook::notebook;
use crate::repeated;
use crate::schema::{
    self, Chapter, Course, Diagnostic, Draft, ExerciseIndex, ExercisePictures, Exercises, Extent, HOME, Html, Indexed,
    Readings, SearchIndex, Status,
};
use crate::search_index;
use crate::source::{SourceFile, Tree};
use crate::toml_reader::Document;
use crate::world::{World, text_of};

/// The result of a build.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Path below the content folder of the site, and bytes: `course.json`, `chapters/<slug>.html`, …
    pub files: Vec<(String, Vec<u8>)>,
    /// Everything that is wrong, by file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// Every page of the site.
    pub routes: Vec<Route>,
}

/// A page of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// From the site's root, without a slash before and with one behind: `chapter/zero/`; the home page's is empty.
    pub path: String,
    /// For the window's title.
    pub title: String,
    /// For search engines: a sentence.
    pub description: String,
    /// The same page in every language that it can be read in, and its own among them: the path of each. Empty if it is in English only.
    pub languages: Vec<(Lang, String)>,
}

/// What the site is called.
const NAME: &str = "Ringside";

/// Renders the folder `content/`. Never fails: what could be read is there, and the rest is in the diagnostics.
pub fn build(root: &Path, mode: Mode) -> Site {
    build_tree(&Tree::read(root), mode)
}

/// Renders a [`Tree`].
pub fn build_tree(tree: &Tree, mode: Mode) -> Site {
    let sink = Sink::default();
    tree.troubles().for_each(|(file, trouble)| sink.report(file.spot(0), trouble));
    let world = survey(tree, &sink, mode);
    let mut files = Files::default();
    let mut course = course(&world);
    let readings = data::readings(&world);
    let glossary = data::glossary(&world);
    files.json("readings.json", &readings);
    files.json("glossary.json", &glossary);
    let signs = data::signs(&world, &course);
    files.json("signs.json", &signs);
    files.json("pictures.json", &fragment::pictures(&glossary));
    files.json("reference.json", &data::reference(&world));
    files.html("sources.html", fragment::list(&course, &readings));

    let formulas = data::formulas(&world);
    if !formulas.is_empty() {
        files.html("formulas.html", fragment::formulas(&formulas, &course, &readings));
    }
    let mut index = search_index::Builder::default();
    for part in &course.parts {
        for chapter in &part.chapters {
            index.chapter(&part.title, chapter);
        }
    }
    let mut exercises = ExerciseIndex::default();
    let (mut extents, mut translated, mut pictures) = (Vec::new(), Vec::new(), ExercisePictures::new());
    for chapter in course.chapters() {
        let (own, sections, other) = write_chapter(&world, &course, chapter, (&mut files, &mut index, &mut pictures));
        exercises.exercises.extend(own);
        extents.push(sections);
        translated.extend(other);
    }
    let chapters = course.parts.iter_mut().flat_map(|part| &mut part.chapters);
    chapters.zip(extents).for_each(|(chapter, sections)| chapter.sections = sections);
    files.json("course.json", &course);
    let groups = data::figures(&world);
    files.html("figures.html", fragment::gallery(&groups));
    let labs = data::labs(&world);
    let missions = data::missions(&world);
    files.html("home.html", fragment::home(&course, &readings, &missions, &labs));
    files.html("contents.html", fragment::contents(&course, &exercises, [missions.len(), labs.len()]));
    if !missions.is_empty() {
        files.html("missions.html", fragment::missions::list(&missions, &course));
    }
    for (i, mission) in missions.iter().enumerate() {
        let page = fragment::missions::page(mission, missions.get(i + 1), &course);
        files.html(&format!("missions/{}.html", mission.slug), page);
        files.json(&format!("missions/{}.json", mission.slug), &mission.mission);
    }
    for program in data::programs(&world) {
        files.json(&format!("programs/{}.json", program.id), &program);
    }
    if !labs.is_empty() {
        files.html("labs.html", fragment::labs::list(&labs, &course));
    }
    for lab in &labs {
        files.html(&format!("labs/{}.html", lab.slug), fragment::labs::page(lab, &course));
        files.html(&format!("labs/{}.txt", lab.slug), lab.output.clone());
        files.json(&format!("labs/{}.ipynb", lab.slug), &notebook(lab));
    }
    let syllabus = data::syllabus(&world, &course, &labs, &missions);
    if !syllabus.courses.is_empty() {
        files.html("syllabus.html", fragment::syllabus(&syllabus, &course));
    }
    files.json("syllabus.json", &fragment::taught(&syllabus, &course));
    files.json("placement.json", &data::placement(&world));
    files.json("exercises.json", &exercises);
    files.json("exercise-pictures.json", &pictures);
    check_folders(&world);
    check_sources(&world, &readings);
    repeated::check(&world);
    if !data::coverage(&world, &readings).is_empty() {
        coverage::check_links(&world);
    }
    index.widgets(&groups);
    index.labs(&labs);
    index.signs(&signs);
    index.formulas(&formulas, &course);
    index.missions(&missions);
    index.pages();
    index.terms(&glossary);
    index.sources(&readings);
    let index: SearchIndex = index.finish(data::searched(&world), &sink);
    files.json("search.json", &index);
    files.json("source.json", &tree.texts());

    let routes = routes(&course, &labs, &missions, translated);
    Site { files: files.0, diagnostics: sink.into_sorted(), routes }
}

/// The chapter in the folder `folder` of `chapters/` alone: as it would be built, with mistakes in their place.
pub fn draft(tree: &Tree, folder: &str) -> Draft {
    let sink = Sink::default();
    let world = survey(tree, &sink, Mode::Lenient);
    let course = course(&world);
    check_folders(&world);
    repeated::check(&world);
    let slug = crate::world::slug_of(folder);
    let written = course.chapter(slug).filter(|c| c.status == Status::Written);
    let (html, exercises) = match written.and_then(|chapter| Some((chapter, read_chapter(&world, chapter)?))) {
        Some((chapter, mut read)) => {
            let mut indexed: Vec<Indexed> = read.list.iter().map(|e| e.indexed(slug)).collect();
            let (extents, _) = extent::measure(&mut read.page, &mut indexed, chapter.minutes);
            let reading = Reading {
                lang: Lang::En,
                title: &chapter.title,
                lede: &read.lede,
                page: &read.page,
                extents: &extents,
                sections: [0; 2],
            };
            (article(&world, &course, chapter, &reading), read.exercises())
        }
        None => Default::default(),
    };
    let (own, manifest) = (format!("content/chapters/{folder}"), "content/course.toml");
    let mut diagnostics = sink.into_sorted();
    diagnostics.retain(|d| d.file.starts_with(&own) || d.file == manifest);
    Draft { slug: slug.to_owned(), html: Html(html), exercises, diagnostics }
}

/// A text slide of a lecture list: its Markdown as the course's own would be rendered, and sentences about what cannot be. It knows no chapter, so
/// that links go to whole addresses only.
pub fn slide(markdown: &str) -> (Html, Vec<String>) {
    let tree = Tree::from_files([(SLIDE, markdown)]);
    let sink = Sink::default();
    let world = World::survey(&tree, &sink, Mode::Strict);
    let before = sink.len();
    let html = tree.file(SLIDE).map(|file| markdown::slide(&world, &file.located())).unwrap_or_default();
    (html, sink.messages_after(before))
}

/// The name of the file in which a slide stands by itself.
const SLIDE: &str = "slide.md";

pub(crate) fn survey<'a>(tree: &'a Tree, sink: &'a Sink, mode: Mode) -> World<'a> {
    let mut world = World::survey(tree, sink, mode);
    for entry in catalogue::ALL {
        // Widgets are defined in code; their place for a message is the manifest.
        if let Some(file) = tree.file("course.toml") {
            world.names.define(Kind::Widget, entry.id, file.spot(0), sink);
        }
    }
    world
}

pub(crate) fn course(world: &World<'_>) -> Course {
    let (layers, parts) = data::course(world);
    let (plan, not_covered) = data::plan(world);
    Course { layers, parts, plan, not_covered }
}

#[derive(Default)]
struct Files(Vec<(String, Vec<u8>)>);

impl Files {
    fn json(&mut self, path: &str, value: &impl Serialize) {
        // Serialising plain structs of strings and finite numbers into memory cannot fail; `null` would be seen at once.
        let bytes = serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec());
        self.0.push((path.to_owned(), bytes));
    }

    fn html(&mut self, path: &str, html: String) {
        self.0.push((path.to_owned(), html.into_bytes()));
    }
}

/// Every page of the site, the home page first.
fn routes(course: &Course, labs: &[data::Lab], missions: &[data::Listed], translated: Vec<Translated>) -> Vec<Route> {
    let route = |path: String, title: &str, description: &str| Route {
        path,
        title: if title.is_empty() { NAME.to_owned() } else { format!("{title} · {NAME}") },
        description: description.to_owned(),
        languages: Vec::new(),
    };
    let languages = |slug: &str| {
        let others: Vec<Lang> = translated.iter().filter(|t| t.slug == slug).map(|t| t.lang).collect();
        let all = others.first().map(|_| Lang::En).into_iter().chain(others.iter().copied());
        all.map(|lang| (lang, lang.chapter(slug))).collect::<Vec<_>>()
    };
    let chapter = |lang: Lang, slug: &str, title: &str, question: &str| Route {
        languages: languages(slug),
        ..route(lang.chapter(slug), title, question)
    };
    let is_there = |page: &&schema::Page| match page {
        schema::Page::Labs => !labs.is_empty(),
        schema::Page::Missions => !missions.is_empty(),
        _ => true,
    };
    let pages = schema::Page::ALL.iter().filter(is_there);
    let written = course.chapters().filter(|c| c.status == Status::Written);
    std::iter::once(route(String::new(), "", HOME))
        .chain(written.map(|c| chapter(Lang::En, &c.slug, &c.title, &c.question)))
        .chain(translated.iter().map(|t| chapter(t.lang, &t.slug, &t.title, &t.question)))
        .chain(pages.map(|page| route(format!("{}/", page.path()), page.title(), page.description())))
        .chain(labs.iter().map(|lab| route(format!("lab/{}/", lab.slug), &lab.title, &lab.question)))
        .chain(
            missions
                .iter()
                .map(|m| route(format!("mission/{}/", m.slug), &m.mission.title, &first_sentence(&m.plain()))),
        )
        .chain(catalogue::ALL.iter().map(|e| route(format!("w/{}/", e.id), e.title, e.summary)))
        .collect()
}

/// A text up to its first full stop.
fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or(text.to_owned(), |(first, _)| format!("{first}."))
}

// -------------------------------------------------------------------- chapters

/// A chapter that can be read in another language.
struct Translated {
    slug: String,
    lang: Lang,
    title: String,
    question: String,
}

/// Writes a chapter's files; yields its exercises in short, its sections, and what it is in other languages.
fn write_chapter(
    world: &World<'_>,
    course: &Course,
    chapter: &Chapter,
    (files, index, pictures): (&mut Files, &mut search_index::Builder, &mut ExercisePictures),
) -> (Vec<Indexed>, Vec<Extent>, Vec<Translated>) {
    let Some(mut read) = read_chapter(world, chapter) else { return Default::default() };
    let slug = &chapter.slug;
    let mut indexed: Vec<Indexed> = read.list.iter().map(|e| e.indexed(slug)).collect();
    let (extents, parts) = extent::measure(&mut read.page, &mut indexed, chapter.minutes);
    let page = &read.page;
    index.page(slug, &chapter.title, page, &read.list);
    pictures.extend(read.list.iter().filter_map(|e| Some((format!("{slug}/{}", e.exercise.id), e.picture()?))));
    let reading =
        Reading { lang: Lang::En, title: &chapter.title, lede: &read.lede, page, extents: &extents, sections: [0; 2] };
    files.html(&Lang::En.rendered(slug), article(world, course, chapter, &reading));
    let translated = Lang::others()
        .filter_map(|lang| {
            let (html, translated) = translate(world, course, chapter, (&read, &extents, &parts), lang)?;
            files.html(&lang.rendered(slug), html);
            Some(translated)
        })
        .collect();
    if !page.notes.is_empty() {
        let note = |(i, note): (usize, &Html)| format!("<div data-notes=\"{}\">\n{}\n</div>\n", i + 1, note.0);
        files.html(&format!("chapters/{slug}.notes.html"), page.notes.iter().enumerate().map(note).collect());
    }
    files.json(&format!("chapters/{slug}.exercises.json"), &read.exercises());
    (indexed, extents, translated)
}

/// A chapter's page in another language, and how it is listed; nothing if it isn't translated.
fn translate(
    world: &World<'_>,
    course: &Course,
    chapter: &Chapter,
    (read, extents, parts): (&Read<'_>, &[Extent], &[usize]),
    lang: Lang,
) -> Option<(String, Translated)> {
    let slug = &chapter.slug;
    let (original, folder) = (world.scans.get(slug)?, world.folders.get(slug)?);
    let file = world.tree.file(&text_of(folder, lang))?;
    let text = Translation::of(original, file, world.sink);
    let Some(front) = &text.scan.front else {
        let message =
            "A translation begins with front matter: `title`, `question` and `lede` in TOML between two lines `+++`.";
        world.sink.report(file.spot(0), message);
        return None;
    };
    let document = Document::parse(front, world.sink);
    let mut table = document.root();
    let (title, question, lede) = (table.string("title"), table.string("question"), table.text("lede"));
    table.finish();
    if let Some(front) = &original.front {
        let quiet = Sink::default();
        translation::compare_lines(&Document::parse(front, &quiet).root().text("lede"), &lede, world.sink);
    }
    let mut page = markdown::translated(world, slug, lang, &text, &read.slots());
    extent::divide(&mut page, parts, lang);
    extent::say_asides(&mut page, extents, lang);
    let lede = markdown::inline_in(world, Some(slug), &lede, lang);
    let reading = Reading { lang, title: &title, lede: &lede, page: &page, extents, sections: text.sections };
    let html = article(world, course, chapter, &reading);
    Some((html, Translated { slug: slug.clone(), lang, title, question }))
}

/// A chapter, read and checked.
struct Read<'a> {
    lede: Html,
    page: Page,
    list: Vec<ChapterExercise<'a>>,
}

impl Read<'_> {
    fn slots(&self) -> Vec<Slot> {
        slots(&self.list)
    }

    fn exercises(self) -> Exercises {
        Exercises { exercises: self.list.into_iter().map(|e| e.exercise).collect() }
    }
}

/// Reads a chapter; `None` if it is not written, or its text is missing.
fn read_chapter<'a>(world: &World<'a>, chapter: &Chapter) -> Option<Read<'a>> {
    let slug = &chapter.slug;
    if chapter.status != Status::Written {
        return None;
    }
    let (Some(scan), Some(folder)) = (world.scans.get(slug), world.folders.get(slug)) else {
        let missing = SourceFile::missing(text_of(&format!("{:02}-{slug}", chapter.number), Lang::En));
        world.sink.report(missing.spot(0), "This chapter is `written` in course.toml, and its text is missing here.");
        return None;
    };
    let path = format!("chapters/{folder}/exercises.toml");
    let mut exercises = match world.tree.file(&path) {
        Some(file) => data::exercises(world, slug, file),
        None => {
            let missing = SourceFile::missing(path);
            world.sink.report(
                missing.spot(0),
                "This chapter is `written` in course.toml, and its exercises are missing here.",
            );
            Vec::new()
        }
    };
    let lede = front_matter(world, chapter, scan);
    let page = markdown::chapter(world, slug, scan, &slots(&exercises));
    check_chapter(world, chapter, scan, &page, &exercises);
    // Their numbers are those of the page, wherever they stand in their file.
    exercises.sort_by_key(|e| page.exercises.iter().position(|id| *id == e.exercise.id));
    Some(Read { lede, page, list: exercises })
}

/// The places of exercises.
fn slots(exercises: &[ChapterExercise<'_>]) -> Vec<Slot> {
    exercises.iter().map(|e| Slot { id: e.exercise.id.clone(), prompt: e.prompt.clone() }).collect()
}

/// What the chapter is about.
fn front_matter(world: &World<'_>, chapter: &Chapter, scan: &Scan<'_>) -> Html {
    let Some(front) = &scan.front else {
        let message = "A chapter begins with front matter: `title` and `lede` in TOML between two lines `+++`.";
        world.sink.report(scan.body.spot(0), message);
        return Html::default();
    };
    let document = Document::parse(front, world.sink);
    let mut table = document.root();
    let title = table.text("title");
    if title.text != chapter.title && !title.text.is_empty() {
        let message = format!("The title in course.toml is “{}”; the two must be the same.", chapter.title);
        world.sink.report(title.spot(0), message);
    }
    let lede = markdown::inline(world, Some(&chapter.slug), &table.text("lede"));
    table.finish();
    lede
}

/// The least that a written chapter has.
const EXERCISES: usize = 8;
const EXERCISE_KINDS: usize = 4;

fn check_chapter(
    world: &World<'_>,
    chapter: &Chapter,
    scan: &Scan<'_>,
    page: &Page,
    exercises: &[ChapterExercise<'_>],
) {
    let sink = world.sink;
    let begin = scan.body.spot(0);
    let used: BTreeSet<&str> = page.widgets.iter().map(String::as_str).collect();
    for widget in &chapter.widgets {
        if !used.contains(widget.as_str()) {
            sink.report(
                begin,
                format!("course.toml lists the widget “{widget}” for this chapter, and its text has none."),
            );
        }
    }
    for widget in used.iter().filter(|w| world.names.has(Kind::Widget, w)) {
        if !chapter.widgets.iter().any(|w| w == widget) {
            sink.report(begin, format!("This chapter has the widget “{widget}”, and course.toml does not list it."));
        }
    }
    let exercises_file = exercises.first().map_or(begin, |e| e.spot.file.spot(0));
    for skill in &chapter.skills {
        if !exercises.iter().any(|e| e.exercise.skill == skill.id) {
            sink.report(exercises_file, format!("No exercise of this chapter trains its skill “{}”.", skill.id));
        }
    }
    let kinds: BTreeSet<&str> = exercises.iter().map(|e| e.exercise.kind.name()).collect();
    if exercises.len() < EXERCISES || kinds.len() < EXERCISE_KINDS {
        let message = format!(
            "A chapter has at least {EXERCISES} exercises of at least {EXERCISE_KINDS} kinds; this one has {} of {}.",
            exercises.len(),
            kinds.len()
        );
        sink.report(exercises_file, message);
    }
}

/// Disk against manifest: every folder has its line, and is named after it; every text is in a language that there is.
fn check_folders(world: &World<'_>) {
    for folder in world.tree.chapters() {
        let texts: Vec<String> = Lang::ALL.into_iter().map(|lang| text_of(folder, lang)).collect();
        let files = format!("chapters/{folder}");
        let own = world.tree.files_in(&files).filter(|file| file.path.ends_with(".md"));
        for file in own.filter(|file| !texts.contains(&file.path)) {
            let others: Vec<String> = Lang::others().map(|lang| format!("chapter.{}.md", lang.code())).collect();
            let message = format!(
                "A chapter’s text is chapter.md, and in another language {}; this is neither.",
                others.join(" or ")
            );
            world.sink.report(file.spot(0), message);
        }
        let slug = crate::world::slug_of(folder);
        let place = ["chapter.md", "exercises.toml"]
            .iter()
            .find_map(|name| world.tree.file(&format!("chapters/{folder}/{name}")));
        let missing = SourceFile::missing(format!("chapters/{folder}"));
        let spot = place.unwrap_or(&missing).spot(0);
        match world.entries.get(slug) {
            None => {
                world.names.resolve(Kind::Chapter, slug, spot, world.sink);
            }
            Some(entry) => {
                let name = format!("{:02}-{slug}", entry.number);
                if name != *folder {
                    let message =
                        format!("This folder must be named “{name}”, by the chapter’s number in course.toml.");
                    world.sink.report(spot, message);
                }
                if entry.status == Status::Planned {
                    let message = format!(
                        "The chapter “{slug}” has a folder and is `planned` in course.toml; make it `written`."
                    );
                    world.sink.report(spot, message);
                }
            }
        }
    }
}

/// Every source is in a chapter's "Read next".
fn check_sources(world: &World<'_>, readings: &Readings) {
    for source in readings.sources.iter().filter(|s| s.chapters.is_empty()) {
        if let Some((_, spot)) = world.names.all(Kind::Source).find(|(id, _)| *id == source.id) {
            let message = format!("No chapter leads to the source “{}”; name one in its `chapters`.", source.id);
            world.sink.report(spot, message);
        }
    }
}
