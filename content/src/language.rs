//! The languages that a chapter can be read in, and what its page says around the chapter's own text: one table, with a phrase in every language
//! in each row.
//!
//! A language is added here: to [`Lang`] and as a column of the table. A chapter's text in it is `chapter.<code>.md`.

use ringside_core::exercise::Kind;

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Lang {
    /// English, which every chapter is written in.
    #[default]
    En,
    /// German.
    De,
}

impl Lang {
    /// All of them, in the order of the table's columns.
    pub const ALL: [Self; 2] = [Self::En, Self::De];

    /// All but English.
    pub fn others() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|lang| *lang != Self::En)
    }

    /// The language with this code.
    pub fn of(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lang| lang.code() == code)
    }

    /// The language that a path below the site's base begins with, English if none, and the rest of the path.
    pub fn of_path(path: &str) -> (Self, &str) {
        let other = path.split_once('/').and_then(|(code, rest)| Some((Self::of(code)?, rest)));
        other.filter(|(lang, _)| *lang != Self::En).unwrap_or((Self::En, path))
    }

    /// Its code, as in `lang="de"`, in addresses and in the names of files.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
        }
    }

    /// What it calls itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::De => "Deutsch",
        }
    }

    /// A chapter's page in it, relative to the site's base: `chapter/<slug>/`, `de/chapter/<slug>/`.
    pub fn chapter(self, slug: &str) -> String {
        match self {
            Self::En => format!("chapter/{slug}/"),
            other => format!("{}/chapter/{slug}/", other.code()),
        }
    }

    /// A chapter's text as the build renders it, below the content folder: `chapters/<slug>.html`, `chapters/<slug>.de.html`.
    pub fn rendered(self, slug: &str) -> String {
        match self {
            Self::En => format!("chapters/{slug}.html"),
            other => format!("chapters/{slug}.{}.html", other.code()),
        }
    }

    /// What the `lang` of an element says that is English on a page in this language; nothing on an English page.
    pub fn english(self) -> Option<&'static str> {
        (self != Self::En).then_some(Self::En.code())
    }

    /// What the `lang` of an element says that is in this language on a page that is English around it.
    pub fn marked(self) -> Option<&'static str> {
        (self != Self::En).then_some(self.code())
    }

    /// What an exercise of the kind with this name is called.
    pub fn kind(self, name: &str) -> &str {
        match self {
            Self::En => Kind::called(name),
            Self::De => KINDS.iter().find(|(kind, _)| *kind == name).map_or(name, |(_, called)| called),
        }
    }
}

/// The attribute of an element in a language other than that around it; nothing without one.
pub fn attribute(code: Option<&str>) -> String {
    code.map(|code| format!(" lang=\"{code}\"")).unwrap_or_default()
}

/// The kinds of exercises in German. In English they are called as `core` calls them.
const KINDS: [(&str, &str); 13] = [
    ("number", "Zahl"),
    ("choice", "Auswahl"),
    ("predict", "Vorhersage"),
    ("sketch", "Skizze"),
    ("order", "Reihenfolge"),
    ("match", "Zuordnung"),
    ("label", "Beschriftung"),
    ("task", "Aufgabe an der Abbildung"),
    ("trace", "Diagnose"),
    ("explain", "Erklärung"),
    ("kernel", "Kernel"),
    ("program", "Programm"),
    ("prediction", "Vorhersage"),
];

/// A phrase in every language, in the order of [`Lang::ALL`].
#[derive(Debug, Clone, Copy)]
pub struct Phrase([&'static str; Lang::ALL.len()]);

impl Phrase {
    /// The phrase in one language.
    pub fn to(self, lang: Lang) -> &'static str {
        let [english, german] = self.0;
        match lang {
            Lang::En => english,
            Lang::De => german,
        }
    }

    /// The same with a value in each place: `{name}`.
    pub fn with(self, lang: Lang, values: &[(&str, &str)]) -> String {
        values
            .iter()
            .fold(self.to(lang).to_owned(), |text, (name, value)| text.replacen(&format!("{{{name}}}"), value, 1))
    }
}

/// Makes a constant of each row, and for the test a list of all.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident = $english:literal, $german:literal;)*) => {
        $($(#[$doc])* #[doc = $english] pub const $name: Phrase = Phrase([$english, $german]);)*

        #[cfg(test)]
        const TABLE: &[(&str, Phrase)] = &[$((stringify!($name), $name)),*];
    };
}

table! {
    /// How long an aside takes, beside its heading.
    ASIDE = "Aside · {time}", "Exkurs · {time}";
    /// Over the links to the other languages.
    LANGUAGES = "Languages", "Sprachen";
    /// How much of a chapter is in this language, and what isn't.
    TRANSLATED =
        "{done} of {all} sections are in English. All other sections, the figures, exercises, glossary, search, lectures and quizzes are in \
         English too. Numbers are written as 4,096 and 1.5 everywhere.",
        "{done} von {all} Abschnitten sind übersetzt. Die übrigen sind auf Englisch, ebenso Abbildungen, Aufgaben, Glossar, Suche, Vorträge und \
         Quiz. Zahlen stehen überall in englischer Schreibweise: 4,096 und 1.5.";
    /// The same of a chapter that is all in this language.
    TRANSLATED_WHOLE =
        "The text is in English. The figures, exercises, glossary, search, lectures and quizzes are in English too. Numbers are written as \
         4,096 and 1.5 everywhere.",
        "Der Text ist übersetzt. Abbildungen, Aufgaben, Glossar, Suche, Vorträge und Quiz sind auf Englisch. Zahlen stehen überall in \
         englischer Schreibweise: 4,096 und 1.5.";
    /// Before sections that aren't translated.
    UNTRANSLATED = "From here on, the text is still in English.", "Ab hier gibt es den Text bisher nur auf Englisch.";
    /// Where the chapter belongs, after the name of its part.
    PLACE = "chapter {number}", "Kapitel {number}";
    /// Over the list of sections, of a chapter in one piece and in several.
    OUTLINE = "In this chapter · {time}", "In diesem Kapitel · {time}";
    OUTLINE_LEGS = "In this chapter · {time} in {legs} parts", "In diesem Kapitel · {time} in {legs} Teilen";
    /// In the list, before the sections of one.
    LEG = "Part {number} · {time}", "Teil {number} · {time}";
    /// Over a later part of the exercises at the end.
    EXERCISES = "Exercises {from}–{to}", "Aufgaben {from}–{to}";
    ONE_EXERCISE = "Exercise {from}", "Aufgabe {from}";
    /// Chapters that link to this one.
    COMES_BACK = "The course comes back to this in {chapters}.", "Darauf kommt der Kurs zurück in: {chapters}.";
    /// The links to the chapters around this one.
    CHAPTERS = "Chapters", "Kapitel";
    PREVIOUS = "Previous", "Vorheriges";
    NEXT = "Next", "Nächstes";
    PLANNED = "{title} (planned)", "{title} (geplant)";
    /// What screen readers call what scrolls by itself.
    FORMULA = "Formula", "Formel";
    TABLE_NAME = "Table", "Tabelle";
    FOOTNOTES = "Footnotes", "Fußnoten";
    FOOTNOTE = "Footnote {number}", "Fußnote {number}";
    BACK = "Back to the text", "Zurück zum Text";
    /// Boxes in the text.
    BOX_NOTE = "Note", "Hinweis";
    BOX_TIP = "Tip", "Tipp";
    BOX_IMPORTANT = "Important", "Wichtig";
    BOX_WARNING = "Warning", "Warnung";
    BOX_CAUTION = "Caution", "Vorsicht";
    BOX_BREAKS = "Where it breaks", "Woran es scheitert";
    /// Under code from a lab.
    LAB = "lab {number}", "Lab {number}";
    FROM_LAB = "From {lab}, which runs it on your machine.", "Aus {lab}. Dort läuft es auf deinem Rechner.";
    /// In the place of a figure whose numbers a prediction asks for, and what shows it all the same.
    COVERED =
        "The figure answers once you have committed to a prediction above.",
        "Die Abbildung antwortet, sobald du dich oben auf eine Vorhersage festgelegt hast.";
    UNCOVER = "Show it without a prediction", "Ohne Vorhersage zeigen";
    /// Before a link to where the learner stopped.
    STOPPED = "You stopped at ", "Zuletzt gelesen: ";
    /// A chapter of which everything is read and solved; one that the learner says is done; and the button that says so.
    DONE = "✓ Done: everything is read and solved", "✓ Erledigt: alles gelesen und gelöst";
    MARKED_DONE = "✓ Marked as done and read", "✓ Als erledigt und gelesen markiert";
    MARK_DONE = "Mark as done and read", "Als erledigt und gelesen markieren";
    PRINT = "Print", "Drucken";
    WITH_SOLUTIONS = "with solutions at the end", "mit Lösungen am Ende";

    // Around every exercise.
    EXERCISE = "Exercise {number} of {all}", "Aufgabe {number} von {all}";
    LEVEL = "level {level}", "Stufe {level}";
    SOLVED = "✓ solved", "✓ gelöst";
    /// With other numbers, or before another answer.
    SOLVED_EARLIER = "✓ solved earlier", "✓ schon gelöst";
    NEXT_EXERCISE = "Next exercise", "Nächste Aufgabe";
    READ_ON = "Read on: {title}", "Weiterlesen: {title}";
    ADD = "Add to lecture", "Zum Vortrag hinzufügen";
    HINT = "Hint", "Tipp";
    ANOTHER_HINT = "Another hint", "Noch ein Tipp";
    SHOW_SOLUTION = "Show the solution", "Lösung zeigen";
    HIDE_SOLUTION = "Hide the solution", "Lösung ausblenden";
    FRESH = "Fresh numbers", "Neue Zahlen";
    COPY_NUMBERS = "Copy link to these numbers", "Link zu diesen Zahlen kopieren";
    SET = "set {seed}", "Satz {seed}";

    // What an exercise is answered with, and what verdicts begin with. What else a form says is English, as the exercise is.
    YOUR_ANSWER = "Your answer", "Deine Antwort";
    CHECK = "Check", "Prüfen";
    COMMIT = "Commit", "Festlegen";
    SURE = "How sure are you? (optional)", "Wie sicher bist du? (freiwillig)";
    GUESS = "a guess", "geraten";
    FAIRLY = "fairly sure", "ziemlich sicher";
    CERTAIN = "certain", "sicher";
    CHOOSE_ALL = "Choose all that apply", "Wähle alles, was zutrifft";
    CHOOSE_ONE = "Choose one", "Wähle eine Antwort";
    RIGHT = "Right.", "Richtig.";
    NOT_ALL = "Not all of it yet.", "Noch nicht alles.";
    NOT_YET = "Not yet.", "Noch nicht.";
    AND_MISSING = "Not yet, and something is missing.", "Noch nicht, und es fehlt etwas.";
    EXPLANATION = "Your explanation", "Deine Erklärung";
    OWN_WORDS = "In your own words, as to a colleague", "In eigenen Worten, wie gegenüber Kollegen";
    COMPARE = "Compare", "Vergleichen";
    GOOD_ANSWER = "A good answer", "Eine gute Antwort";
    TICK = "Tick each point that your answer makes", "Hake an, was auch in deiner steht";
    OPEN_FIGURE = "Open the figure", "Abbildung öffnen";
    OPEN_WORKBENCH = "Open the workbench", "Workbench öffnen";
    CAUSE = "What is the cause?", "Was ist die Ursache?";
    PROOF = "What will you change to prove it?", "Was änderst du, um es zu beweisen?";
    MEASURE = "Measure", "Messen";
    CAUSE_AND_PROOF = "Right: the cause, and its proof.", "Richtig: die Ursache und der Beweis.";
    CAUSE_ALONE = "The cause is right, but it isn’t proved yet.", "Die Ursache stimmt, der Beweis fehlt noch.";
    SYMPTOMS = "The symptoms", "Die Symptome";
    SCORE = "You ticked ", "Angekreuzt: ";
    EARNS = "It earns:", "Dafür gibt es:";
    CHOOSE = "Choose …", "Wähle …";
    ALL_RIGHT = "Right, all of them.", "Richtig, alle.";
    RIGHT_SO_FAR = "Right so far; {missing} to go.", "Bis hierher richtig, {missing} noch offen.";
    SOME_NOT_YET = "{wrong} of {all} not yet.", "{wrong} von {all} noch nicht.";
    DRAW = "Draw it on the axes. By keys: Tab from point to point, arrows to move one.",
        "Zeichne sie in die Achsen. Mit Tasten: Tab von Punkt zu Punkt, Pfeile bewegen einen.";
    NOT_DRAWN = "Not drawn yet: {left} of {all} points.", "Noch nicht gezeichnet: {left} von {all} Punkten.";
    NEAR = "Close: {near} of {all} points are near the curve.", "Gut getroffen: {near} von {all} Punkten liegen nahe an der Kurve.";
    FAR = "Not close yet: {near} of {all} points are near the curve.",
        "Noch nicht getroffen: {near} von {all} Punkten liegen nahe an der Kurve.";
    NUMBERS = "The numbers", "Die Zahlen";
    NOW = "now: ", "jetzt: ";
    MET = ": met", ": erreicht";
    UNMET = ": not yet", ": noch nicht";
    STRAYED = "This task fixes {names}. Begin again to reset.", "Diese Aufgabe legt {names} fest. Beginne neu, um zurückzusetzen.";
    BEGIN_AGAIN = "Begin again", "Neu beginnen";
    OTHER_CAUSE = "This change helps, but not because of that cause.", "Die Änderung hilft, aber nicht wegen dieser Ursache.";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names in braces, sorted.
    fn places(text: &str) -> Vec<&str> {
        let mut places: Vec<&str> =
            text.split('{').skip(1).map(|rest| rest.split_once('}').expect("a closed brace").0).collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn every_language_has_every_phrase_with_the_same_places() {
        for (name, phrase) in TABLE {
            let english = phrase.to(Lang::En);
            for lang in Lang::others() {
                let text = phrase.to(lang);
                assert!(!text.trim().is_empty() && text != english, "{name} in {}", lang.name());
                assert_eq!(places(text), places(english), "{name} in {}", lang.name());
                let edges = |text: &str| [text.starts_with(' '), text.ends_with(' ')];
                assert_eq!(edges(text), edges(english), "{name} in {}", lang.name());
            }
        }
        assert_eq!(PLACE.with(Lang::De, &[("number", "3")]), "Kapitel 3");
    }

    #[test]
    fn every_language_names_every_kind_of_exercise() {
        for kind in Kind::NAMES.iter().chain(&["prediction"]) {
            assert!(KINDS.iter().any(|(known, _)| known == kind), "{kind}");
            assert_eq!(Lang::En.kind(kind), Kind::called(kind));
        }
        assert_eq!(Lang::De.kind("trace"), "Diagnose");
    }

    #[test]
    fn a_language_is_found_by_its_code_and_has_pages_of_its_own() {
        for (i, lang) in Lang::ALL.into_iter().enumerate() {
            assert_eq!((lang as usize, Lang::of(lang.code())), (i, Some(lang)));
        }
        assert_eq!(Lang::of("xx"), None);
        assert_eq!([Lang::En, Lang::De].map(|lang| lang.chapter("zero")), ["chapter/zero/", "de/chapter/zero/"]);
        assert_eq!(Lang::De.rendered("zero"), "chapters/zero.de.html");
        for lang in Lang::ALL {
            assert_eq!(Lang::of_path(&lang.chapter("zero")), (lang, "chapter/zero/"));
        }
        assert_eq!(Lang::of_path("en/chapter/zero/"), (Lang::En, "en/chapter/zero/"));
    }
}
