//! One mistake at a time in the golden course: each is named at its line, and hides nothing else.

use ringside_content::schema::Diagnostic;
use ringside_content::{Mode, Tree, build, build_tree};

use crate::{CHAPTER, EXERCISES, FILES, golden};

/// The golden course with `from` replaced by `to` in `file`.
fn with(file: &str, from: &str, to: &str) -> Vec<(String, String)> {
    let mut files = golden();
    let (_, text) = files.iter_mut().find(|(path, _)| path == file).expect(file);
    assert!(text.contains(from), "{file} has no {from:?}");
    *text = text.replacen(from, to, 1);
    files
}

struct Case {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// What the message has in it, including “did you mean”.
    says: &'static [&'static str],
    /// The text at which it points, in the broken file; empty for the beginning of a file.
    at: &'static str,
}

const fn case(
    file: &'static str,
    from: &'static str,
    to: &'static str,
    says: &'static [&'static str],
    at: &'static str,
) -> Case {
    Case { file, from, to, says, at }
}

const CASES: &[Case] = &[
    // TOML
    case("plan.toml", "goal = \"Bound it.\"", "goal = Bound it.", &["not TOML"], "goal"),
    case("plan.toml", "goal = ", "gaol = ", &["no key `gaol`", "did you mean “goal”"], "gaol"),
    case("plan.toml", "goal = \"Bound it.\"", "", &["`goal` is missing"], "[[week]]"),
    case("plan.toml", "goal = \"Bound it.\"", "goal = 3", &["`goal` must be a string, not an integer"], "3\n"),
    case("plan.toml", "goal = \"Bound it.\"", "goal = \"\"", &["`goal` must not be empty"], "\"\""),
    case("plan.toml", "[1, 3]", "[3, 1]", &["`days`"], "[3, 1]"),
    case("course.toml", "minutes = 5", "minutes = 0", &["`minutes` must be a whole number from 1"], "0\n"),
    case("course.toml", "layers = [1]", "layers = 1", &["`layers` must be a list"], "1\nweeks"),
    // Ids and references
    case("course.toml", "id = \"only\"", "id = \"The Only\"", &["made of a-z"], "The Only"),
    case(
        "readings.toml",
        "id = \"optional\"",
        "id = \"amdahl-1967\"",
        &["two sources", "readings.toml:2"],
        "amdahl-1967\"\ntitle = \"Something",
    ),
    case("course.toml", "slug = \"later\"", "slug = \"everything\"", &["two chapters"], "everything\"\nnumber = 8"),
    case("course.toml", "weeks = [1]", "weeks = [2]", &["no week “2”"], "2]"),
    case("course.toml", "layers = [1]", "layers = [7]", &["no layer “7”"], "7]"),
    case(
        "course.toml",
        "status = \"planned\"",
        "status = \"plannd\"",
        &["`status`", "did you mean “planned”"],
        "plannd",
    ),
    case(
        "course.toml",
        "widgets = [\"amdahl\"]",
        "widgets = [\"amdhal\"]",
        &["no widget “amdhal”", "did you mean “amdahl”"],
        "amdhal",
    ),
    case("course.toml", "everything.bound", "bound", &["id of a skill is `everything.`"], "bound"),
    case(
        "plan.toml",
        "\"amdahl-1967\"",
        "\"amdahl-1966\"",
        &["no source “amdahl-1966”", "did you mean"],
        "amdahl-1966",
    ),
    case("plan.toml", "\"everything\"", "\"everythin\"", &["no chapter", "did you mean “everything”"], "everythin"),
    case(
        "glossary.toml",
        "see = [\"efficiency\"]",
        "see = [\"eficiency\"]",
        &["no glossary term", "did you mean"],
        "eficiency",
    ),
    case("glossary.toml", "see = [\"efficiency\"]", "see = [\"speed-up\"]", &["refers to itself"], "[\"speed-up\"]"),
    case("reference.toml", "chapter = \"everything\"", "chapter = \"nothing\"", &["no chapter “nothing”"], "nothing"),
    case(
        "readings.toml",
        "chapters = [\"everything\"]",
        "chapters = []",
        &["No chapter leads to the source"],
        "amdahl-1967",
    ),
    case("readings.toml", "[\"everything\", \"later\"]", "[\"later\", \"later\"]", &["listed twice"], "later\"]"),
    case("readings.toml", "https://example.org/optional", "javascript:alert(1)", &["`url` must be"], "javascript"),
    case("readings.toml", "kind = \"blog\"", "kind = \"blogg\"", &["`kind`", "did you mean “blog”"], "blogg"),
    case("readings.toml", "documents = [5]", "documents = [6]", &["1 to 5"], "6]"),
    // Front matter and the manifest
    case(CHAPTER, "+++", "", &["begins with front matter"], ""),
    case(CHAPTER, "title = \"Everything at once\"", "title = \"All\"", &["title in course.toml is"], "All"),
    case(CHAPTER, "lede = ", "leed = ", &["no key `leed`", "did you mean “lede”"], "leed"),
    case("course.toml", "status = \"written\"", "status = \"planned\"", &["`planned` in course.toml"], ""),
    case("course.toml", "status = \"planned\"", "status = \"written\"", &["text is missing"], ""),
    case("course.toml", "number = 7", "number = 6", &["must be named “06-everything”"], ""),
    case("course.toml", "slug = \"everything\"", "slug = \"nothing\"", &["no chapter “everything”"], ""),
    case("course.toml", "widgets = [\"amdahl\"]", "widgets = []", &["course.toml does not list it"], ""),
    case(
        "course.toml",
        "widgets = [\"amdahl\"]",
        "widgets = [\"amdahl\", \"memory-breakdown\"]",
        &["its text has none"],
        "",
    ),
    // Markdown
    case(CHAPTER, "Before the", "<script>alert(1)</script>", &["Raw HTML"], "<script>"),
    case(CHAPTER, "Before the", "<!-- note -->", &["HTML comments"], "<!--"),
    case(CHAPTER, "Before the", "![alt](figure.png)", &["Images are not allowed"], "!["),
    case(CHAPTER, "Before the", "[x](javascript:alert(1))", &["“javascript:” are not allowed"], "[x]"),
    case(CHAPTER, "Before the", "[x](chapters:everything)", &["not allowed", "did you mean “chapter:”"], "[x]"),
    case(CHAPTER, "Before the", "[x](../other)", &["relative link"], "[x]"),
    case(CHAPTER, "Before the", "[x](<https://example.org/a b>)", &["percent-encoded"], "[x]"),
    case(CHAPTER, "Before the", "[x](term:sped-up)", &["no glossary term", "did you mean “speed-up”"], "[x]"),
    case(CHAPTER, "Before the", "[x](source:amdahl)", &["no source “amdahl”"], "[x]"),
    case(CHAPTER, "Before the", "[x](chapter:evrything)", &["no chapter", "did you mean “everything”"], "[x]"),
    case(CHAPTER, "Before the", "[x](chapter:later#top)", &["planned and has no text"], "[x]"),
    case(CHAPTER, "Before the", "[x](chapter:everything#lw)", &["no anchor “#lw”", "did you mean “law”"], "[x]"),
    case(CHAPTER, "Before the", "[x](#nowhere)", &["no anchor “#nowhere”"], "[x]"),
    case(CHAPTER, "Before the", "[x](widget:amdhal)", &["no widget", "did you mean “amdahl”"], "[x]"),
    case(CHAPTER, "Before the", "[x](widget:amdahl?m=1)", &["no parameter “m”"], "[x]"),
    case(CHAPTER, "Before the", "[x](see:?n=8)", &["no widget above"], "[x]"),
    case(CHAPTER, "see:?n=1024", "see:?n=many", &["n must be a whole number"], "[See it"),
    case(CHAPTER, "see:?n=1024", "see:", &["must set a parameter"], "[See it"),
    case(CHAPTER, "see:#main", "see:#mian", &["no figure “#mian”", "did you mean “main”"], "[from"),
    case(CHAPTER, "see:?n=1024", "see:n=1024", &["`see:?name=value`"], "[See it"),
    case(CHAPTER, "$\\frac{1}{s + (1-s)/n}$", "$\\frac{1}$", &["not LaTeX"], "$\\frac{1}$"),
    case(CHAPTER, "$\\frac{1}{s + (1-s)/n}$", "$\\def\\a{1}$", &["cannot define macros"], "$\\def"),
    case(CHAPTER, "$\\frac{1}{s + (1-s)/n}$", "$\\textcolor{red}{x}$", &["colours"], "$\\text"),
    case(CHAPTER, "[^limit]\n", "[^limt]\n", &["footnote “limt” is not defined"], "[^limt]"),
    case(CHAPTER, "[^limit]\n", "\n", &["Nothing refers to the footnote “limit”"], "[^limit]"),
    case(CHAPTER, "## Exercises", "# Exercises", &["begin at `##`"], "# Exercises"),
    case(CHAPTER, "### It’s code", "#### It’s code", &["no level may be left out"], "####"),
    case(CHAPTER, "## Read next", "## Read next {#law}", &["“#law” is taken"], "## Read"),
    case(CHAPTER, "## Read next", "## Read next {#Next!}", &["made of a-z"], "## Read"),
    case(CHAPTER, "```python", "```pyton", &["no highlighting", "did you mean “python”"], "```pyton"),
    case(CHAPTER, "[!NOTE]", "[!NOET]", &["no box “NOET”", "did you mean “NOTE”"], "> [!NOET]"),
    case(
        CHAPTER,
        "`=amdahl 1 - efficiency",
        "`=amdhal 1 - efficiency",
        &["no model", "did you mean “amdahl”"],
        "`=amdhal",
    ),
    case(
        CHAPTER,
        "1 - efficiency",
        "1 - eficiency",
        &["neither a quantity", "did you mean “efficiency”"],
        "`=amdahl 1",
    ),
    case(CHAPTER, "as 4`", "as four`", &["not a format"], "`=amdahl speedup"),
    // Fences
    case(
        CHAPTER,
        "```widget amdahl #main",
        "```widget amdhal #main",
        &["no widget", "did you mean “amdahl”"],
        "```widget",
    ),
    case(CHAPTER, "```widget amdahl #main", "```widget amdahl #law", &["“#law” is taken"], "```widget"),
    case(CHAPTER, "```widget amdahl #main", "```widget amdahl #main big", &["“big” means nothing"], "```widget"),
    case(CHAPTER, "n = 64\n", "m = 64\n", &["no parameter “m”", "did you mean “n”"], "m = 64"),
    case(CHAPTER, "n = 64\n", "n = \"many\"\n", &["n must be a whole number"], "n = \"many\""),
    case(CHAPTER, "n = 64\n", "n = [64]\n", &["`n` must be a string, a number"], "n = [64]"),
    case(CHAPTER, "n = 64\n", "n = 64 64\n", &["not TOML"], "64 64"),
    case(CHAPTER, "after=predict-64", "after=limit", &["Only a predict or sketch exercise"], "```widget"),
    case(CHAPTER, "after=predict-64", "after=predict-65", &["no exercise", "did you mean “predict-64”"], "```widget"),
    case(CHAPTER, " after=predict-64", "", &["does not wait for this exercise"], ""),
    case(
        CHAPTER,
        "```exercise predict-64",
        "```exercise predict-63",
        &["no exercise", "did you mean “predict-64”"],
        "```exercise",
    ),
    case(
        CHAPTER,
        "```exercises\n",
        "```exercise predict-64\n",
        &["placed twice"],
        "```exercise predict-64\n```\n\n## Read",
    ),
    case(CHAPTER, "```exercises\n", "```text\n", &["has no place"], ""),
    case(CHAPTER, "```lab ddp hook", "```lab ddpp hook", &["no lab “ddpp”", "did you mean “ddp”"], "```lab"),
    case(CHAPTER, "```lab ddp hook", "```lab ddp hok", &["no part “hok”", "did you mean “hook”"], "```lab"),
    case(CHAPTER, "works.append(", "works.push(", &["in one line of the lab’s part, and in no other"], "works.push("),
    case(CHAPTER, "works.append(", "works", &["“works” must be in one line"], "works ["),
    case(CHAPTER, "(see:?n=2)", "(#law)", &["A step of a lab is"], "work.wait()"),
    case(CHAPTER, "```text\nplain", "```sources\nplain", &["sources are placed twice"], "```sources\n```"),
    // Exercises
    case(EXERCISES, "prompt = ", "promt = ", &["`promt`", "did you mean “prompt”"], "promt"),
    case(EXERCISES, "kind = \"predict\"", "kind = \"perdict\"", &["perdict", "did you mean “predict”"], "\"perdict\""),
    case(
        EXERCISES,
        "unlocks = \"main\"",
        "unlocks = \"mian\"",
        &["no figure “#mian”", "did you mean “main”"],
        "\"mian\"",
    ),
    case(
        EXERCISES,
        "skill = \"everything.bound\"",
        "skill = \"everything.bond\"",
        &["no skill", "did you mean"],
        "\"everything.bond\"",
    ),
    case(EXERCISES, "kind = \"number\"", "kind = \"number\"\nlevel = 4", &["level: It must be 1, 2 or 3"], "4\n"),
    case(EXERCISES, "model = \"amdahl\"", "model = \"amdhal\"", &["no model", "did you mean “amdahl”"], "\"amdhal\""),
    case(
        EXERCISES,
        "id = \"limit-2\"",
        "id = \"limit\"",
        &["two exercises"],
        "limit\"\nkind = \"number\"\nskill = \"everything.bound\"\nprompt = \"And with",
    ),
    case(EXERCISES, "by = \"limit\"", "by = \"lmit\"", &["item 1", "did you mean “limit”"], "{ text = \"one half"),
    case(EXERCISES, "a **tenth**", "a fifth", &["reads the same as"], "{ text = \"a fifth\", set = { serial = 0.2"),
    case(EXERCISES, "left = \"Gustafson\"", "lefd = \"Gustafson\"", &["lefd"], "lefd"),
    case(EXERCISES, "wins = [{ n = 64 }]", "wins = [{ n = 4 }]", &["win 1", "goal 1"], "{ n = 4 }"),
    case(EXERCISES, "factor = 2", "factor = 200", &["0 of 2 prove anything"], "changes = ["),
    case(EXERCISES, "evidence = [\"speedup\"", "evidence = [\"sped-up\"", &["no quantity “sped-up”"], "evidence"),
    case(EXERCISES, "rubric = [", "rubrik = [", &["rubrik"], "rubrik"),
    case(EXERCISES, "- no matter", "# no matter", &["no headings here"], "# no matter"),
    case(EXERCISES, "text = \"*Amdahl's*\"", "text = \"one\\n\\ntwo\"", &["Only one line"], "\"one"),
    case(
        EXERCISES,
        "[[exercise]]\nid = \"which\"",
        "[[exercize]]\nid = \"which\"",
        &["no key `exercize`", "did you mean “exercise”"],
        "exercize",
    ),
    case(EXERCISES, "hints = [\"[See", "hints = [\"{limt} [See", &["hint 1", "limt"], "\"{limt}"),
    case(EXERCISES, "{speedup}.\"", "{speedup\"", &["brace", "no partner"], "{speedup\""),
    case(EXERCISES, "{speedup}.\"", "{speedup|XB}\"", &["reveal: ", "XB"], "\"It is {"),
    case(EXERCISES, "answer = \"n\"", "answer = \"limit\"", &["mistake 1: ", "count as right"], "[[exercise.mistake]]"),
    case(
        EXERCISES,
        "serial = [0.1, 0.2]",
        "serial = [0.1, 2]",
        &["draw: ", "serial must be a number from 0 to 1"],
        "{ serial = [0.1, 2]",
    ),
    case(EXERCISES, "right = true", "rigth = true", &["rigth", "did you mean “right”"], "rigth"),
    case(EXERCISES, "at = [1, 8, 64]", "at = [1, 8, 0]", &["at: n must be"], "[1, 8, 0]"),
    case(EXERCISES, "up_to = \"limit\"", "up_to = \"5\"", &["up_to: The curve leaves"], "\"5\""),
    case(EXERCISES, "set = { serial = 0.1 }", "set = { serial = 7 }", &["item 2, set: serial must"], "{ serial = 7 }"),
    case(EXERCISES, "fixed = [\"serial\"]", "fixed = [\"cereal\"]", &["fixed: ", "“cereal”"], "[\"cereal\"]"),
    case(EXERCISES, "hints = [\"More.\"]\n", "", &["hints: A task needs"], "[[exercise]]\nid = \"task\""),
    case(EXERCISES, "faster**\"]", "faster**\", \"$x$\"]", &["no formulas"], "\"$x$\""),
    case(EXERCISES, "size = \"speedup\"", "size = \"limit/50\"", &["part 2, size: It is under 3%"], "\"limit/50\""),
];

fn diagnostics(files: Vec<(String, String)>) -> Vec<Diagnostic> {
    build_tree(&Tree::from_files(files), Mode::Strict).diagnostics
}

#[test]
fn every_mistake_is_named_where_it_is() {
    for Case { file, from, to, says, at } in CASES {
        let files = with(file, from, to);
        let text = files.iter().find(|(path, _)| path == file).map(|(_, t)| t.clone()).expect(file);
        let found = diagnostics(files);
        let list: Vec<String> = found.iter().map(ToString::to_string).collect();
        let hit = found.iter().find(|d| says.iter().all(|s| d.to_string().contains(s)));
        let hit = hit.unwrap_or_else(|| panic!("{file}: {to:?} gave\n{}\nnot {says:?}", list.join("\n")));
        if at.is_empty() {
            continue;
        }
        let place = text.find(at).unwrap_or_else(|| panic!("{file} has no {at:?}"));
        let line = text[..place].matches('\n').count() + 1;
        assert_eq!((hit.file.as_str(), hit.line), (format!("content/{file}").as_str(), line), "{hit}");
    }
}

#[test]
fn one_mistake_hides_nothing_else() {
    for Case { file, from, to, .. } in CASES {
        let site = build_tree(&Tree::from_files(with(file, from, to)), Mode::Lenient);
        for path in ["course.json", "readings.json", "glossary.json", "reference.json", "search.json"] {
            let bytes = site.files.iter().find(|(p, _)| p == path).map(|(_, b)| b.len());
            assert!(bytes > Some(50), "{file}: {to:?} left {path} with {bytes:?} bytes");
        }
        let chapter = site.files.iter().find(|(p, _)| p == "chapters/everything.html");
        let unwritten = *file == "course.toml" && (from.contains("written") || from.contains("slug"));
        assert!(unwritten || chapter.is_some_and(|(_, html)| html.len() > 3000), "{file}: {to:?} hid the chapter");
    }
}

#[test]
fn all_mistakes_are_reported_at_once_and_shown_in_place() {
    let mut files = with(CHAPTER, "Before the", "<b>x</b> [y](z) $\\frac$");
    for (path, from, to) in [("plan.toml", "goal", "gaol"), ("glossary.toml", "\"efficiency\"", "\"x\"")] {
        let (_, text) = files.iter_mut().find(|(p, _)| p == path).expect(path);
        *text = text.replacen(from, to, 1);
    }
    let site = build_tree(&Tree::from_files(files), Mode::Lenient);
    let list: Vec<String> = site.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(list.len(), 7, "{}", list.join("\n"));
    let html = site.files.iter().find(|(p, _)| p == "chapters/everything.html").map(|(_, b)| b.clone());
    let html = String::from_utf8(html.expect("the chapter")).expect("UTF-8");
    assert_eq!(html.matches("<span class=\"diagnostic\" role=\"note\">").count(), 4);
    assert!(html.contains("&lt;b&gt;"));
}

#[test]
fn missing_files_are_named() {
    for path in FILES {
        let files: Vec<_> = golden().into_iter().filter(|(p, _)| p != path).collect();
        let found = diagnostics(files);
        assert!(
            found.iter().any(|d| d.file == format!("content/{path}") && d.message.contains("missing")),
            "{path}: {found:?}"
        );
    }
    assert_eq!(diagnostics(Vec::new()).len(), 5);
    let folder = std::env::temp_dir().join("ringside-content-nowhere");
    assert_eq!(build(&folder, Mode::Strict).diagnostics.len(), 5);
}

#[test]
fn too_few_exercises_are_too_few() {
    let mut files = golden();
    let (_, text) = files.iter_mut().find(|(p, _)| p == EXERCISES).expect("exercises");
    let second = text.match_indices("[[exercise]]").nth(1).map_or(0, |(i, _)| i);
    text.truncate(second);
    let found = diagnostics(files);
    assert!(found.iter().any(|d| d.message.contains("this one has 1 of 1")), "{found:?}");

    let skill = with("course.toml", "skills = [{", "skills = [{ id = \"everything.new\", text = \"New.\" }, {");
    assert!(diagnostics(skill).iter().any(|d| d.message.contains("No exercise of this chapter trains")));
}

#[test]
fn a_file_that_is_not_text_is_named() {
    let folder = std::env::temp_dir().join(format!("ringside-content-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("plan.toml"), b"# \xff\n").expect("written");
    let found = build(&folder, Mode::Strict).diagnostics;
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(found.iter().any(|d| d.file == "content/plan.toml" && d.message.contains("UTF-8")), "{found:?}");
}
