//! The missions: a list of them, and a page for each. The app brings to life what `data-island="play"` and `data-island="mark"` mark.

use crate::data::Listed;
use crate::html::escape;
use crate::schema::Course;
use crate::words::duration;

/// Every mission.
pub(crate) fn list(missions: &[Listed], course: &Course) -> String {
    let items: String = missions
        .iter()
        .map(|one| {
            format!(
                "<li><h2><a href=\"mission/{slug}/\"><i>{}</i> {}</a></h2>\n<p>{}</p>\n\
                 <p class=\"sans small\">{} · {} decisions · <span data-run=\"{slug}\"></span>{}</p></li>\n",
                escape(&one.number),
                escape(&one.mission.title),
                escape(&one.mission.question),
                duration(one.mission.minutes),
                one.mission.decision.len(),
                chapters(one, course),
                slug = escape(&one.slug),
            )
        })
        .collect();
    let first: String = for_newcomers(missions)
        .map(|one| {
            format!(
                "<li><a class=\"button\" href=\"mission/{}/\">Play {} {}</a> <span>{}</span></li>\n",
                escape(&one.slug),
                escape(&one.number),
                escape(&one.mission.title),
                escape(&one.mission.newcomers)
            )
        })
        .collect();
    format!(
        "<article class=\"missions\" data-title=\"Missions\">\n<h1>Missions</h1>\n\
         <p class=\"lede\">One run each, from the budget to the end. You decide; the models of the chapters say what follows, and every decision \
         changes those after it. At the end your run stands beside the best that a search finds.</p>\n\
         <section class=\"mission-first sans\" aria-labelledby=\"mission-first\">\n<h2 id=\"mission-first\">New to missions? Start here</h2>\n\
         <ul>\n{first}</ul>\n</section>\n<ol class=\"mission-list\">\n{items}</ol>\n<div data-island=\"mark\"></div>\n</article>\n"
    )
}

/// A mission as an item of a list: its title and how long it takes.
pub(super) fn item(one: &Listed) -> String {
    format!(
        "<li><a href=\"mission/{}/\"><i>{}</i> {}</a> <small>{}</small></li>\n",
        escape(&one.slug),
        escape(&one.number),
        escape(&one.mission.title),
        duration(one.mission.minutes)
    )
}

/// The page of a mission: its brief, what will be decided, and which mission is the next one.
pub(crate) fn page(one: &Listed, next: Option<&Listed>, course: &Course) -> String {
    let after = next.map_or_else(String::new, |next| {
        format!(" data-next=\"{}\" data-next-title=\"{}\"", escape(&next.slug), escape(&next.mission.title))
    });
    let decisions: String = one.mission.decision.iter().map(|d| format!("<li>{}</li>\n", escape(&d.title))).collect();
    format!(
        "<article class=\"mission-page\" data-mission=\"{slug}\" data-title=\"{title}\"{after}>\n\
         <p class=\"eyebrow sans\"><a href=\"mission/\">Mission</a> {} · {} · {}</p>\n<h1>{title}</h1>\n<p class=\"lede\">{}</p>\n\
         <div data-island=\"play\"><div class=\"mission-brief chapter-text\">{}</div>\n\
         <h2>You decide</h2>\n<ol class=\"mission-plan\">\n{decisions}</ol></div>\n</article>\n",
        escape(&one.number),
        duration(one.mission.minutes),
        chapters(one, course),
        escape(&one.mission.question),
        one.brief,
        slug = escape(&one.slug),
        title = escape(&one.mission.title),
    )
}

/// Links to the chapters that a mission draws on.
fn chapters(one: &Listed, course: &Course) -> String {
    let slugs = one.chapters();
    let links: Vec<String> = course
        .chapters()
        .filter(|c| slugs.contains(&c.slug.as_str()))
        .map(|c| format!("<a href=\"{}\" title=\"{}\">{}</a>", escape(&c.href()), escape(&c.title), c.number))
        .collect();
    format!("chapters {}", links.join(", "))
}

/// Those that say why a newcomer begins with them.
pub(super) fn for_newcomers(all: &[Listed]) -> impl Iterator<Item = &Listed> {
    all.iter().filter(|one| !one.mission.newcomers.is_empty())
}
