//! Every exercise of the course, as the browser gets it, over 200 draws of its parameters: its own solution is right, and
//! what its author says is a mistake is not.

use std::collections::BTreeSet;

use ringside_content::schema::{Course, Exercises, Status};
use ringside_core::exercise::input::{mark, solve};
use ringside_core::exercise::{
    Exercise, Kind, Marks, Template, by_catalogue, draw, on_paper, option_order, resolve, right_order,
};

use crate::file;

const SEEDS: u64 = 200;

fn list(all: impl IntoIterator<Item = usize>) -> String {
    all.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(",")
}

fn exercises() -> Vec<Exercise> {
    let course: Course = serde_json::from_slice(file("course.json")).expect("a course");
    let written = course.chapters().filter(|c| c.status == Status::Written);
    let of = |slug: &str| serde_json::from_slice::<Exercises>(file(&format!("chapters/{slug}.exercises.json")));
    written.flat_map(|c| of(&c.slug).expect(&c.slug).exercises).collect()
}

#[test]
fn every_exercise_is_solved_by_its_own_solution() {
    for exercise in exercises() {
        let evaluate = by_catalogue(&exercise);
        for seed in 0..SEEDS {
            let verdict = |answer: &str| mark(&exercise, seed, answer, &evaluate).expect(&exercise.id);
            match solve(&exercise, seed, &evaluate).expect(&exercise.id) {
                Some(own) => assert_eq!(verdict(&own), "right", "{} with seed {seed}: {own}", exercise.id),
                None => assert_eq!(verdict("Because."), "unmarked", "{}", exercise.id),
            }
        }
    }
}

#[test]
fn no_mistake_and_no_beginning_is_right() {
    for exercise in exercises() {
        let evaluate = by_catalogue(&exercise);
        for seed in 0..SEEDS {
            let parameters = draw(&exercise, seed);
            let wrong: Vec<String> = match &exercise.kind {
                Kind::Number(_) | Kind::Predict(_) => {
                    let resolved = resolve(&exercise, &parameters, &evaluate).expect(&exercise.id);
                    resolved.mistakes.iter().map(|mistake| format!("{:e}", mistake.value)).collect()
                }
                Kind::Choice(choice) => {
                    let all = choice.options.iter().enumerate();
                    all.filter(|(_, option)| !option.right).map(|(i, _)| i.to_string()).collect()
                }
                Kind::Order(order) => {
                    let ordered = right_order(&exercise, order, &parameters, &evaluate).expect(&exercise.id);
                    vec![list(ordered.begin(option_order(&exercise, seed)))]
                }
                Kind::Match(pairs) => vec![list((0..pairs.pairs.len()).rev())],
                Kind::Label(label) => vec![list((0..label.parts.len()).rev())],
                Kind::Sketch(sketch) => vec![list(sketch.at.iter().map(|_| 0))],
                Kind::Task(_) => vec![parameters.to_string()],
                Kind::Trace(trace) => {
                    let causes = trace.causes.iter().enumerate().filter(|(_, cause)| !cause.right);
                    causes.flat_map(|(i, _)| (0..trace.changes.len()).map(move |j| format!("{i};{j}"))).collect()
                }
                Kind::Explain(_) | Kind::Kernel(_) | Kind::Program(_) => Vec::new(),
            };
            for answer in wrong {
                let verdict = mark(&exercise, seed, &answer, &evaluate).expect(&exercise.id);
                assert!(!verdict.starts_with("right"), "{} with seed {seed}: {answer} is {verdict}", exercise.id);
            }
        }
    }
}

/// With what is under its prompt an exercise can be answered with a pencil: every text of it that a learner chooses from, puts
/// in order or pairs is there, filled in, and no list gives the answer away.
#[test]
fn every_exercise_can_be_answered_on_paper() {
    let mut kinds = BTreeSet::new();
    for exercise in exercises() {
        let evaluate = by_catalogue(&exercise);
        let lists = on_paper(&exercise, 0, &evaluate).expect(&exercise.id);
        let id = &exercise.id;
        kinds.insert(exercise.kind.name());
        let shape: Vec<(Marks, usize, bool)> = lists.iter().map(|l| (l.marks, l.items.len(), l.fill_in)).collect();
        let (none, letters, numbers) = (Marks::None, Marks::Letters, Marks::Numbers);
        let expected = match &exercise.kind {
            Kind::Number(_) | Kind::Predict(_) | Kind::Explain(_) => vec![],
            Kind::Choice(choice) => vec![(letters, choice.options.len(), false)],
            Kind::Order(order) => {
                let items: Vec<&String> = order.items.iter().map(|item| &item.text).collect();
                let given: Vec<&String> = lists.iter().flat_map(|list| &list.items).collect();
                assert!(order.by.is_some() || items != given, "{id} begins in the right order");
                vec![(none, order.items.len(), true)]
            }
            Kind::Match(pairs) => {
                let (left, right) = (pairs.pairs.len(), pairs.pairs.len() + pairs.extra.len());
                vec![(none, left, true), (letters, right, false)]
            }
            Kind::Label(label) => vec![(letters, label.parts.len(), true), (numbers, label.parts.len(), false)],
            Kind::Trace(trace) => vec![
                (none, trace.evidence.len(), false),
                (letters, trace.causes.len(), false),
                (numbers, trace.changes.len(), false),
            ],
            Kind::Task(task) => vec![(none, task.goals.len(), false)],
            Kind::Sketch(sketch) => vec![(none, sketch.at.len(), true)],
            Kind::Kernel(_) => vec![(none, 1, false)],
            Kind::Program(_) => vec![(none, 0, false)],
        };
        assert_eq!(shape, expected, "{id}");
        assert!(lists.first().is_none_or(|list| !list.lead.is_empty()), "{id} does not say what to do");
        for text in lists.iter().flat_map(|list| &list.items) {
            assert!(
                !text.trim().is_empty() && Template::holes(text).is_ok_and(|holes| holes.is_empty()),
                "{id}: {text}"
            );
        }
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}

#[test]
fn no_lede_answers_the_prediction_that_follows_it() {
    let course: Course = serde_json::from_slice(file("course.json")).expect("a course");
    let all = exercises();
    let mut asked = 0;
    for chapter in course.chapters().filter(|c| c.status == Status::Written) {
        let page = String::from_utf8_lossy(file(&format!("chapters/{}.html", chapter.slug))).replace('\u{a0}', " ");
        let lede = page.split("<p class=\"lede\">").nth(1).and_then(|rest| rest.split("</p>").next()).expect("a lede");
        let first = page.split("data-slot-exercise=\"").nth(1).and_then(|rest| rest.split('"').next());
        let Some(exercise) = all.iter().find(|e| Some(e.id.as_str()) == first) else { continue };
        let Kind::Predict(predict) = &exercise.kind else { continue };
        let resolved = resolve(exercise, &draw(exercise, 0), &by_catalogue(exercise)).expect(&exercise.id);
        let answer = predict.number.unit.format(resolved.expected).replace('\u{a0}', " ");
        assert!(!lede.contains(&format!(">{answer}<")), "{}: the lede says {answer}", chapter.slug);
        asked += 1;
    }
    assert!(asked > 10, "{asked} chapters begin with a prediction");
}
