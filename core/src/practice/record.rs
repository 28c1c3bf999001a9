//! A record: which skills a learner has shown, by which exercises, and what labs they measured. It is a text for a link, with the answers
//! as they were typed, so that anybody can mark them again.

use super::attempt::Attempt;
use super::date::{self, Day};
use super::exam::{Definitions, Evaluator, Mark, verdict};
use super::mastery;
use crate::mission::{self, Move};
use crate::query::{Query, shorten};

/// What counts in a record, for the page, before [`mastery::RULE`]: [`counts`] in words, and what makes a skill one that is shown.
pub const RULE: &str = "An exercise counts if it was right at the first or second answer, without a hint and without the \
                        solution. A skill is shown once it is mastered.";

/// What a record can show and what it cannot: for the page.
pub const HONESTY: &str = "The link holds the answers as they were typed, so anybody can mark them again here. Explanations and kernels are \
                           judged by whoever wrote them, labs ran on a machine that nobody else saw, and there is no server that could \
                           prove who answered, when, or with what help.";

/// The longest text of a record, in characters: mail and chats cut longer links.
pub const LONGEST: usize = 60_000;
/// Most exercises that are read.
pub const MOST: usize = 2000;
/// Most runs of missions that are read.
const MOST_RUNS: usize = 100;
/// The longest answer that is kept, in characters. What is longer is said to be shown, without it.
const LONGEST_ANSWER: usize = 300;
/// The longest name.
const LONGEST_NAME: usize = 80;
/// What separates the parts of an entry; an answer comes last and may have it.
const BETWEEN: char = '~';

/// What somebody has shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// The learner's name, as typed.
    pub name: String,
    /// The day of the record.
    pub made: Day,
    /// Skills that are mastered.
    pub skills: Vec<Shown>,
    /// Exercises that were solved.
    pub solved: Vec<Solved>,
    /// Labs that were measured.
    pub labs: Vec<Lab>,
    /// Missions that were played.
    pub runs: Vec<Run>,
}

/// A skill that is mastered, with the attempts that meet [`mastery::RULE`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// Its id.
    pub skill: String,
    /// The last right answers, the oldest first: the day of each, the answers it took, and hints.
    pub by: Vec<(Day, u32, u32)>,
}

impl Shown {
    /// Of a skill with these attempts, the oldest first; nothing if they don't show it.
    pub fn of(skill: &str, attempts: &[&Attempt]) -> Option<Self> {
        let recent = attempts.iter().rev().take(mastery::RECENT).rev();
        let by = recent.map(|a| (a.day, a.tries, a.hints)).collect();
        mastery::is_met(attempts).then(|| Self { skill: skill.to_owned(), by })
    }

    fn write(&self) -> String {
        let by = self.by.iter().map(|(day, tries, hints)| format!("{BETWEEN}{day}.{tries}.{hints}"));
        std::iter::once(self.skill.clone()).chain(by).collect()
    }

    /// Reads one, if what it names meets the rule.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(BETWEEN);
        let skill = parts.next().filter(|id| id.split('.').all(is_slug))?;
        let attempt = |part: &str| {
            let mut numbers = part.split('.');
            let day = numbers.next()?.parse().ok().filter(|day| is_day(*day))?;
            let (tries, hints) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
            let exercise = String::new();
            Some(Attempt {
                exercise,
                skill: skill.into(),
                day,
                seed: 0,
                level: 1,
                right: true,
                tries,
                hints,
                shown: false,
            })
        };
        let attempts: Vec<Attempt> = parts.take(mastery::RECENT + 1).map(attempt).collect::<Option<_>>()?;
        let in_order = attempts.len() == mastery::RECENT && attempts.is_sorted_by_key(|a| a.day);
        if in_order { Self::of(skill, &attempts.iter().collect::<Vec<_>>()) } else { None }
    }
}

/// An exercise that was solved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Solved {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// The seed of its parameters.
    pub seed: u64,
    /// When; nothing where that was not noted.
    pub day: Option<Day>,
    /// Answers until it was right.
    pub tries: u32,
    /// The answer, in the form of [`crate::exercise::input`]; empty where it is not in the record.
    pub answer: String,
}

/// Whether an exercise that was right in the end counts: no progress elsewhere asks for more.
pub fn counts(tries: u32, hints: u32, shown: bool) -> bool {
    tries <= 2 && hints == 0 && !shown
}

/// A lab that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lab {
    /// Its id.
    pub id: String,
    /// Numbers that the model holds for, and all numbers.
    pub holds: [u32; 2],
    /// Where it ran.
    pub on: String,
}

/// A run of a mission, which its page plays again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    /// The mission's slug.
    pub mission: String,
    /// The seed of its failures.
    pub seed: u64,
    /// Its moves, as [`crate::mission::write`] writes them.
    pub moves: String,
}

/// What marking an answer again says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It is right.
    Right,
    /// It is not.
    NotRight,
    /// Its author judged it, or the answer is not in the record.
    Unmarked,
    /// The course has no such exercise, or has changed it so that it cannot be marked.
    Unknown,
}

impl Again {
    /// For a person.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::NotRight => "not right",
            Self::Unmarked => "not marked",
            Self::Unknown => "not in this version of the course",
        }
    }
}

impl Solved {
    /// What is made of its answer now.
    pub fn again(&self, definitions: &Definitions, evaluate: Evaluator<'_>) -> Again {
        let Some(exercise) = definitions.get(&self.exercise) else { return Again::Unknown };
        if self.answer.is_empty() {
            return Again::Unmarked;
        }
        match verdict(exercise, self.seed, &self.answer, evaluate).map(|id| (id, Mark::of(id))) {
            Ok((_, Mark::Right)) => Again::Right,
            Ok(("unmarked", _)) => Again::Unmarked,
            Ok(_) => Again::NotRight,
            Err(_) => Again::Unknown,
        }
    }

    fn write(&self) -> String {
        let day = self.day.map(|day| day.to_string()).unwrap_or_default();
        let answer = if self.answer.chars().count() > LONGEST_ANSWER { "" } else { &self.answer };
        format!("{}{BETWEEN}{}{BETWEEN}{day}{BETWEEN}{}{BETWEEN}{answer}", self.id(), self.seed, self.tries)
    }

    fn read(chapter: &str, text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, BETWEEN);
        let id = parts.next().filter(|id| is_slug(id))?;
        let seed = parts.next()?.parse().ok()?;
        let day = match parts.next()? {
            "" => None,
            day => Some(day.parse().ok().filter(|day| is_day(*day))?),
        };
        let tries = parts.next()?.parse().ok()?;
        let answer = parts.next().filter(|a| a.chars().count() <= LONGEST_ANSWER)?.to_owned();
        Some(Self { exercise: format!("{chapter}/{id}"), seed, day, tries, answer })
    }

    /// The chapter's slug.
    pub fn chapter(&self) -> &str {
        self.exercise.split_once('/').map_or("", |(chapter, _)| chapter)
    }

    fn id(&self) -> &str {
        self.exercise.split_once('/').map_or("", |(_, id)| id)
    }
}

impl Lab {
    fn write(&self) -> String {
        let [holds, all] = self.holds;
        format!("{}{BETWEEN}{holds}{BETWEEN}{all}{BETWEEN}{}", self.id, self.on)
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, BETWEEN);
        let id = parts.next().filter(|id| crate::lab::find(id).is_some())?.to_owned();
        let [holds, all] = [parts.next()?.parse().ok()?, parts.next()?.parse().ok()?];
        let on = parts.next().filter(|on| on.chars().count() <= LONGEST_ANSWER)?.to_owned();
        (holds <= all).then_some(Self { id, holds: [holds, all], on })
    }
}

impl Run {
    fn write(&self) -> String {
        format!("{}{BETWEEN}{}{BETWEEN}{}", self.mission, self.seed, self.moves)
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, BETWEEN);
        let mission = parts.next().filter(|slug| is_slug(slug))?.to_owned();
        let seed = parts.next()?.parse().ok()?;
        let moves = parts.next().filter(|moves| mission::read(moves).is_ok_and(|moves| !moves.is_empty()))?.to_owned();
        Some(Self { mission, seed, moves })
    }

    /// How many answers it has, those included that failed or were taken back: a decision may have several.
    pub fn answers(&self) -> usize {
        mission::read(&self.moves).map_or(0, |moves| moves.iter().filter(|m| matches!(m, Move::Decide(_))).count())
    }
}

fn is_slug(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=80).contains(&text.len()) && text.bytes().all(plain)
}

/// From 1970 to 2100.
fn is_day(day: Day) -> bool {
    (0..47_500).contains(&day)
}

impl Record {
    /// The text for a link, which [`Record::read`] reads back.
    ///
    /// # Errors
    /// A sentence: it is too long for one.
    pub fn write(&self) -> Result<String, String> {
        let mut pairs = vec![
            ("name".to_owned(), self.name.trim().chars().take(LONGEST_NAME).collect()),
            ("made".to_owned(), date::iso(self.made)),
        ];
        pairs.extend(self.skills.iter().map(|skill| ("skill".to_owned(), skill.write())));
        pairs.extend(self.labs.iter().map(|lab| ("lab".to_owned(), lab.write())));
        pairs.extend(self.runs.iter().map(|run| ("run".to_owned(), run.write())));
        // The slug of a chapter stands once, before its exercises.
        let mut chapter = "";
        for solved in &self.solved {
            if solved.chapter() != chapter {
                chapter = solved.chapter();
                pairs.push(("chapter".to_owned(), chapter.to_owned()));
            }
            pairs.push(("e".to_owned(), solved.write()));
        }
        let text = Query::new(pairs).to_string();
        if text.len() > LONGEST {
            return Err(format!(
                "The record has {} characters, and mail and chats cut links over {LONGEST}. Print it instead.",
                text.len()
            ));
        }
        Ok(text)
    }

    /// Reads one, and says what of it could not be used.
    ///
    /// # Errors
    /// A sentence: it is none.
    pub fn read(text: &str) -> Result<(Self, Vec<String>), String> {
        if text.len() > LONGEST {
            return Err(format!("The link is longer than {LONGEST} characters: no record is."));
        }
        let query = Query::parse(text);
        let made = query.get("made").and_then(date::from_iso).filter(|day| is_day(*day));
        let made = made.ok_or("The link holds no record: it does not say of which day.")?;
        let name =
            query.get("name").unwrap_or_default().chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
        let mut record = Self { name, made, ..Self::default() };
        let (mut problems, mut chapter) = (Vec::new(), String::new());
        for (name, value) in query.iter() {
            let is_read = match name {
                "name" | "made" => true,
                "chapter" => {
                    chapter = if is_slug(value) { value.to_owned() } else { String::new() };
                    !chapter.is_empty()
                }
                "e" if chapter.is_empty() || record.solved.len() >= MOST => false,
                "e" => Solved::read(&chapter, value).map(|solved| record.solved.push(solved)).is_some(),
                "skill" if record.skills.len() >= MOST => false,
                "skill" => Shown::read(value).map(|skill| record.skills.push(skill)).is_some(),
                "lab" if record.labs.len() >= crate::lab::ALL.len() => false,
                "lab" => Lab::read(value).map(|lab| record.labs.push(lab)).is_some(),
                "run" if record.runs.len() >= MOST_RUNS => false,
                "run" => Run::read(value).map(|run| record.runs.push(run)).is_some(),
                _ => false,
            };
            if !is_read && problems.len() < 5 {
                problems.push(format!("“{}={}” could not be read and was left out.", shorten(name), shorten(value)));
            }
        }
        Ok((record, problems))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::exam::by_catalogue;
    use super::*;

    fn definitions() -> Definitions {
        let json = serde_json::json!({
            "id": "e", "skill": "c.s", "level": 1, "prompt": "?", "kind": "number", "answer": "60e9", "unit": "bytes"
        });
        Definitions::from([("c/e".to_owned(), serde_json::from_value(json).unwrap())])
    }

    fn solved(exercise: &str, answer: &str) -> Solved {
        Solved { exercise: exercise.into(), seed: 3, day: Some(20_050), tries: 2, answer: answer.into() }
    }

    #[test]
    fn a_record_reads_back_and_its_answers_are_marked_again() {
        let record = Record {
            name: "Ada & Co ~ é".into(),
            made: 20_100,
            skills: vec![Shown { skill: "c.s".into(), by: vec![(20_050, 1, 0), (20_050, 2, 1), (20_053, 1, 0)] }],
            solved: vec![solved("c/e", "60 GB"), solved("c/e", "6 ~ GB"), solved("c/gone", "1"), solved("d/x", "")],
            labs: vec![Lab { id: "ddp".into(), holds: [8, 9], on: "2 ranks on cpu, PyTorch 2.9".into() }],
            runs: vec![Run { mission: "fit-it".into(), seed: 7, moves: "tp:8,pp:2;back:0;answer:bf16".into() }],
        };
        let text = record.write().unwrap();
        assert_eq!(Record::read(&text), Ok((record.clone(), Vec::new())));
        assert_eq!(record.runs[0].answers(), 2);
        let again: Vec<Again> = record.solved.iter().map(|s| s.again(&definitions(), &by_catalogue)).collect();
        assert_eq!(again, [Again::Right, Again::NotRight, Again::Unknown, Again::Unknown]);
        assert_eq!(solved("c/e", "").again(&definitions(), &by_catalogue), Again::Unmarked);
    }

    #[test]
    fn a_skill_is_shown_by_the_rule_of_mastery_alone() {
        let attempt = |day, right, tries| {
            let (exercise, skill) = ("c/e".into(), "c.s".into());
            Attempt { exercise, skill, day, seed: 0, level: 1, right, tries, hints: 0, shown: false }
        };
        let of = |attempts: &[Attempt]| Shown::of("c.s", &attempts.iter().collect::<Vec<_>>());
        let good = |day| attempt(day, true, 1);
        let shown = of(&[attempt(1, false, 2), good(2), good(2), good(3)]).unwrap();
        assert_eq!((shown.write(), Shown::read(&shown.write())), ("c.s~2.1.0~2.1.0~3.1.0".into(), Some(shown)));
        // Two of one day, three of one day, and a wrong answer since.
        for attempts in
            [&[good(1), good(1)][..], &[good(1), good(1), good(1)], &[good(1), good(2), good(3), attempt(4, false, 1)]]
        {
            assert_eq!(of(attempts), None);
        }
        // A link is believed no more than the store.
        for text in [
            "c.s",
            "c.s~2.1.0~2.1.0~2.1.0",
            "c.s~2.3.0~2.1.0~3.1.0",
            "c.s~2.1.0~3.1.0",
            "c.s~9.1.0~2.1.0~3.1.0",
            "~2.1.0~2.1.0~3.1.0",
        ] {
            assert_eq!(Shown::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_record_is_told_why_and_the_rest_of_one_is_kept() {
        assert!(Record::read("").unwrap_err().contains("no record"));
        assert!(Record::read(&"made=2026-01-01&".repeat(9999)).unwrap_err().contains("longer"));
        let text = "made=2026-01-01&e=x~1~~1~2&chapter=c&e=a~1~~1~2&e=B~1~~1~2&e=b~-1~~1~2&lab=none~1~2~x&lab=ddp~3~2~x&run=x~1~nonsense";
        let (record, problems) = Record::read(text).unwrap();
        assert_eq!((record.solved.len(), record.labs.len(), record.runs.len(), problems.len()), (1, 0, 0, 5));
        let long = Record { solved: vec![solved("c/e", &"x".repeat(999))], ..Record::default() };
        assert_eq!(Record::read(&long.write().unwrap()).unwrap().0.solved[0].answer, "");
        let many = Record { solved: vec![solved("c/e", &"x".repeat(299)); 300], ..Record::default() };
        assert!(many.write().unwrap_err().contains("Print it"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_record_or_told_why(text in "(made=2026-11-23&)?([a-z]{1,7}=[\\PC]{0,20}&){0,6}") {
            match Record::read(&text) {
                Ok((record, _)) => {
                    let again = record.write().unwrap();
                    prop_assert_eq!(Record::read(&again).unwrap().0, Record { name: record.name.trim().into(), ..record });
                }
                Err(why) => prop_assert!(why.ends_with('.')),
            }
        }
    }
}
