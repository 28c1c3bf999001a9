//! The pages that are not of the course's text: stated once, for the router, the app and the build.

/// Declares them: the variant, its path, title, description and the style sheets of `app/styles/on-demand/` that it needs.
macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident = $path:literal, $title:literal, $description:literal, [$($style:literal),*];)+) => {
        /// A page that is not of the course's text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Page {
            $($(#[$doc])* $name,)+
        }

        impl Page {
            /// Every one.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its path from the site's root, without slashes at its ends.
            pub const fn path(self) -> &'static str {
                match self { $(Self::$name => $path,)+ }
            }

            /// For the window and for lists.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// For search engines: a sentence.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$name => $description,)+ }
            }

            /// The style sheets that come with it.
            pub const fn styles(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($style),*],)+ }
            }
        }
    };
}

pages! {
    /// Every figure.
    Gallery = "w", "Figures", "Every figure of Ringside, by what you want to do.", ["gallery"];
    /// Formulas, variables, hardware, tools.
    Reference = "reference", "Reference", "Formulas, variables, hardware and tools on one page.", ["reference"];
    /// The list of labs.
    Labs = "lab", "Labs", "Experiments for a laptop, a GPU or a cluster, compared with the models.", ["labs"];
    /// A run of one's own, predicted and measured.
    Run = "run", "Your run", "Paste a run’s configuration and output: predicted next to measured, and where its time and memory go.", ["run"];
    /// The list of missions.
    Missions = "mission", "Missions", "Whole training and serving runs to plan, decision by decision.", ["missions"];
    /// What to do next, and progress so far.
    Practice = "practice", "Practice", "What to practice now, what you can do already, and the four-week plan.", ["to-do-now", "practice"];
    /// One exercise at a time.
    PracticeNow = "practice/now", "Practice now", "Ten minutes of exercises, one at a time, beginning with those you missed.", ["practice-now"];
    /// What was shown so far, to print and to link.
    Record = "record", "Record", "The skills you have shown, with the evidence, to print or to send.", ["exam", "record"];
    /// Questions that find a starting point.
    Placement = "placement", "Find your starting point", "A few questions that find the chapter to begin with.", ["practice-now"];
    /// What there is for whoever teaches, in the order of a term.
    Teach = "teach", "Teach", "Ringside in class: choose a syllabus, present, let the room vote, set quizzes and export to Moodle or Canvas.", ["teach"];
    /// How to teach with the course.
    Syllabus = "syllabus", "Syllabus", "A term, a week and an afternoon, with lecture lists and quizzes that open by link.", ["teach", "syllabus"];
    /// To compose a quiz, or to take it.
    Quiz = "quiz", "Quiz", "Compose a quiz from the course’s exercises, or take one that you were sent.", ["teach", "exam"];
    /// Questions and pages for learning platforms.
    Export = "export", "Export", "Take questions into Moodle, Canvas or Anki, and pages into a course as SCORM packages.", ["teach", "exam"];
    /// To look at what was handed in.
    Check = "check", "Check", "Mark a class’s results again, from the files alone.", ["teach", "exam"];
    /// The two windows of a talk.
    Presenter = "presenter", "Presenter", "Notes, the next state and a timer in one window; what the room sees in another.", ["teach", "projector", "talk"];
    /// Cards to vote with, to print.
    Cards = "cards", "Voting cards", "Cards to print, with which a room answers A, B, C or D and a camera counts.", ["teach", "cards"];
    /// A list of states for a talk.
    Lecture = "lecture", "Lecture", "A list of states to step through in a talk and to hand out.", ["teach", "talk"];
    /// What is stored.
    Settings = "settings", "Settings", "Theme, and everything this browser keeps of your progress.", [];
    /// To write a chapter.
    Author = "author", "Author", "Write a chapter and see it as the site will show it.", ["teach", "author"];
}

impl Page {
    /// Those for whoever teaches with the course.
    pub const TEACHING: [Self; 9] = [
        Self::Teach,
        Self::Syllabus,
        Self::Lecture,
        Self::Presenter,
        Self::Cards,
        Self::Quiz,
        Self::Check,
        Self::Export,
        Self::Author,
    ];

    /// Addresses that people type for a page, beside its own: the build writes a page there that leads on.
    pub const TYPED: [(&str, Self); 3] =
        [("figures", Self::Gallery), ("labs", Self::Labs), ("missions", Self::Missions)];

    /// The page at a path without slashes at its ends.
    pub fn at(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|page| page.path() == path)
    }
}

/// What the home page says of the site.
pub const HOME: &str =
    "An interactive lab, in the browser, that teaches how large language models are trained and served on many GPUs.";
