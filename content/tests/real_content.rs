//! The course itself has no mistake that the checker can see.

use ringside_content::Mode;
use ringside_core::catalogue;
use ringside_core::query::Query;

use crate::{SITE, file, find, golden, root};

#[test]
fn the_course_is_clean() {
    let list: Vec<String> = SITE.diagnostics.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} mistakes:\n{}", list.len(), list.join("\n"));
}

#[test]
fn every_file_is_written_and_reads_back() {
    let course: ringside_content::schema::Course = serde_json::from_slice(file("course.json")).expect("course.json");
    let _: ringside_content::schema::Readings = serde_json::from_slice(file("readings.json")).expect("readings.json");
    let _: ringside_content::schema::Glossary = serde_json::from_slice(file("glossary.json")).expect("glossary.json");
    let _: ringside_content::schema::Reference =
        serde_json::from_slice(file("reference.json")).expect("reference.json");
    let index: ringside_content::schema::SearchIndex =
        serde_json::from_slice(file("search.json")).expect("search.json");
    assert!(index.entries.len() > 1000 && !index.same.is_empty());
    for chapter in course.chapters().filter(|c| c.status == ringside_content::schema::Status::Written) {
        let exercises: ringside_content::schema::Exercises =
            serde_json::from_slice(file(&format!("chapters/{}.exercises.json", chapter.slug))).expect(&chapter.slug);
        assert!(!exercises.exercises.is_empty());
        assert!(file(&format!("chapters/{}.html", chapter.slug)).starts_with(b"<article"));
    }
}

#[test]
fn a_link_into_a_figure_says_what_one_sees_there() {
    let said = |(path, bytes): &(String, Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes);
        path.ends_with(".html")
            .then(|| text.to_lowercase().matches(">see it →<").count())
            .filter(|n| *n > 0)
            .map(|n| (path.clone(), n))
    };
    assert_eq!(SITE.files.iter().filter_map(said).collect::<Vec<_>>(), []);
}

#[test]
fn exercises_are_numbered_as_they_stand_on_the_page() {
    let course: ringside_content::schema::Course = serde_json::from_slice(file("course.json")).expect("course.json");
    for chapter in course.chapters().filter(|c| c.status == ringside_content::schema::Status::Written) {
        let text = |ending: &str| file(&format!("chapters/{}.{ending}", chapter.slug));
        let numbered: ringside_content::schema::Exercises =
            serde_json::from_slice(text("exercises.json")).expect(&chapter.slug);
        let numbered: Vec<&str> = numbered.exercises.iter().map(|e| e.id.as_str()).collect();
        let page = String::from_utf8_lossy(text("html"));
        let marks = page.split("data-slot-exercise=\"").skip(1);
        let standing: Vec<&str> = marks.filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(numbered, standing, "{}", chapter.slug);
    }
}

#[test]
fn no_leg_takes_much_more_than_ten_minutes() {
    let minutes = |text: &str| -> Option<u32> {
        let (hours, minutes) = text.split_once(" h").unwrap_or(("0", text));
        let minutes = minutes.trim().trim_end_matches(" min");
        Some(hours.parse::<u32>().ok()? * 60 + if minutes.is_empty() { 0 } else { minutes.parse().ok()? })
    };
    let mut long = Vec::new();
    let pages = SITE.files.iter().filter(|(path, _)| path.starts_with("chapters/") && path.ends_with(".html"));
    for (path, html) in pages {
        for leg in String::from_utf8_lossy(html).split("<li class=\"leg\">").skip(1) {
            // A program to write takes as long as it takes.
            let is_one_exercise = [">Exercise ", ">Aufgabe "].iter().any(|one| leg.contains(one));
            let leg = leg.split('<').next().unwrap_or_default();
            let time = leg.rsplit(" · ").next().and_then(minutes).unwrap_or_else(|| panic!("{path}: {leg}"));
            if time > 15 && !is_one_exercise {
                long.push(format!("{path}: {leg}"));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn one_or_two_exercises_stand_under_a_section_and_the_rest_at_the_end() {
    let pages = SITE.files.iter().filter(|(path, _)| path.starts_with("chapters/") && path.ends_with(".html"));
    let mut many = Vec::new();
    for (path, html) in pages {
        let html = String::from_utf8_lossy(html);
        let html = ["h2", "h3"].iter().fold(html.into_owned(), |html, h| {
            html.replace(&format!("<{h} lang=\"en\" id=\""), "<h2 id=\"").replace(&format!("<{h} id=\""), "<h2 id=\"")
        });
        // An aside keeps its own, so that nobody has to open it. It ends before the next heading.
        let behind = |piece: &str| {
            let (_, text) = piece.split_once("</summary>")?;
            Some(text.get(text.find("<h2 id=\"")?..)?.to_owned())
        };
        let mut pieces = html.split("<details class=\"aside-fold\"");
        let first = pieces.next().map(str::to_owned);
        let outside: String = first.into_iter().chain(pieces.filter_map(behind)).collect();
        for section in outside.split("<h2 id=\"").skip(1) {
            let id = section.split('"').next().unwrap_or_default();
            let count = section.matches("data-slot-exercise=\"").count();
            if count > 2 && !id.starts_with("exercises") {
                many.push(format!("{path}#{id}: {count}"));
            }
        }
    }
    assert!(many.is_empty(), "{many:#?}");
}

/// Of three or four options the right one is the longest in a third of the questions by chance. In half of them it was.
#[test]
fn the_longest_option_is_no_clue() {
    let (mut longest, mut all) = (0, 0);
    for chapter in std::fs::read_dir(root().join("chapters")).expect("chapters") {
        let Ok(text) = std::fs::read_to_string(chapter.expect("a folder").path().join("exercises.toml")) else {
            continue;
        };
        let file: toml::Table = toml::from_str(&text).expect("TOML");
        let list = |value: Option<&toml::Value>| value.and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for exercise in list(file.get("exercise")) {
            let mut right = Vec::new();
            let mut wrong = Vec::new();
            for option in list(exercise.get("options")) {
                let Some(text) = option.get("text").and_then(toml::Value::as_str) else { continue };
                let is_right = option.get("right").and_then(toml::Value::as_bool) == Some(true);
                let of = if is_right { &mut right } else { &mut wrong };
                of.push(text.replace(['`', '*'], "").chars().count());
            }
            if let ([one], Some(other)) = (&right[..], wrong.iter().max()) {
                all += 1;
                longest += usize::from(one > other);
            }
        }
    }
    assert!(all > 90 && 3 * longest <= all, "{longest} of {all}");
}

#[test]
fn the_plan_has_every_chapter_in_the_weeks_that_it_names() {
    let course: ringside_content::schema::Course = serde_json::from_slice(file("course.json")).expect("course.json");
    for chapter in course.chapters() {
        let here =
            |week: &&ringside_content::schema::Week| week.blocks.iter().any(|b| b.chapters.contains(&chapter.slug));
        let weeks: Vec<u8> = course.plan.iter().filter(here).map(|week| week.number).collect();
        assert_eq!(weeks, chapter.weeks, "{}", chapter.slug);
        assert!(!weeks.is_empty() || chapter.number == 0, "{} is in no week", chapter.slug);
    }
}

/// Every address in `tests/fixtures/links/earlier.txt`, with the commit that it is from.
#[test]
fn a_link_from_an_earlier_version_opens_what_it_names() {
    let links = include_str!("../../tests/fixtures/links/earlier.txt");
    let links: Vec<(&str, &str)> =
        links.lines().filter_map(|line| line.split_once(' ')).filter(|(c, _)| *c != "#").collect();
    assert!(links.len() > 500, "{} links", links.len());
    let wrong: Vec<String> = links
        .iter()
        .filter_map(|(commit, address)| Some(format!("{commit} {address}: {}", what_is_wrong(address)?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} links:\n{}", wrong.len(), links.len(), wrong.join("\n"));
}

/// What an address of a figure or of a place in a chapter does not say rightly today.
fn what_is_wrong(address: &str) -> Option<String> {
    let parts = address.split_once('/').and_then(|(page, rest)| Some((page, rest.split_once('/')?)));
    let Some((page, (name, rest))) = parts else { return Some("is no address of a page".to_owned()) };
    if page == "w" {
        let Some(model) = catalogue::find(name) else { return Some("there is no such figure".to_owned()) };
        let query = Query::parse(rest.trim_start_matches('?'));
        // The page's own words.
        let of_model = query.iter().filter(|(name, _)| !["present", "embed"].contains(name));
        let result = (model.evaluate)(&Query::new(of_model));
        let messages = result.problems.into_iter().map(|problem| problem.message).chain(result.error);
        return messages.reduce(|all, message| format!("{all} {message}"));
    }
    let page = format!("chapters/{name}.html");
    let Some(html) = find(&page) else { return Some("there is no such chapter".to_owned()) };
    let id = rest.split_once('#').map(|(_, id)| format!("id=\"{id}\""));
    let is_there = |id: &String| String::from_utf8_lossy(html).contains(id.as_str());
    id.filter(|id| !is_there(id)).map(|id| format!("nothing has {id}"))
}

#[test]
fn everything_of_the_reading_map_has_a_place() {
    let (text, wrong) = ringside_content::coverage(root());
    assert!(wrong.is_empty(), "{wrong:#?}");
    let counts = "topics, ";
    let last = text.lines().find(|line| line.contains(counts)).unwrap_or_else(|| panic!("{text}"));
    assert!(last.contains("184 sources of 5 documents"), "{last}");
    assert!(
        text.contains("able to  Say how much memory the weights of a 30-billion-parameter model take in bf16"),
        "{text}"
    );
    assert!(text.contains("03 memory-accounting#sixteen-bytes"), "{text}");
}

#[test]
fn a_place_that_does_not_exist_is_named() {
    let coverage = |item: &str| format!("[[document]]\nnumber = 1\ntitle = \"A document\"\nitems = [{item}]\n");
    let messages = |item: &str| {
        let with = golden().into_iter().chain([("coverage.toml".to_owned(), coverage(item))]);
        let site = ringside_content::build_tree(&ringside_content::Tree::from_files(with), Mode::Strict);
        let own = site.diagnostics.iter().filter(|d| d.file == "content/coverage.toml");
        own.map(|d| d.message.clone()).collect::<Vec<_>>().join("\n")
    };
    let item = "{ kind = \"topic\", text = \"All\", at = [\"everything#nowhere\"], figures = [\"roofline\"], exercises = [\"none\"] }";
    let said = messages(item);
    for part in [
        "has no section “#nowhere”",
        "has no section.",
        "No chapter of `at` has the figure",
        "no exercise “none”",
        "has no exercise.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn what_launches_print_is_recognized() {
    use ringside_content::schema::Signs;
    use ringside_content::search::read_log;
    use ringside_core::declare::Model as _;
    use ringside_core::launch::Params;
    let signs: Signs = serde_json::from_slice(file("signs.json")).expect("signs");
    let unknown: Vec<String> = (1..=24)
        .filter_map(|case| {
            let params = Params::read(&Query::new([("case", case.to_string())])).0;
            let log = params.launch().log(params.world()).join("\n");
            let silent = ["12", "18", "22"].contains(&case.to_string().as_str());
            let seen = read_log(&signs.0, &log).seen;
            (seen.is_empty() && !silent && !log.is_empty()).then(|| format!("case {case}:\n{log}"))
        })
        .collect();
    assert!(unknown.is_empty(), "{}", unknown.join("\n\n"));
}
