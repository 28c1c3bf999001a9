//! What an export says, format by format; that others' importers read it is tested over the whole course.

use super::*;
use crate::exercise::by_catalogue;

fn number(more: &str) -> Exercise {
    let text = format!(
        r#"{{ "id": "weights", "skill": "s.t", "kind": "number", "prompt": "<p>{{params|count}} in {{dtype}} &amp; <a href=\"x\">more</a>?</p>",
        "model": "memory-breakdown", "params": {{ "params": "30e9", "dtype": "bf16", "zero": 0 }},
        "draw": {{ "params": ["7e9", "13e9", "34e9"] }}, "answer": "weights", "unit": "bytes", {more}
        "hints": ["<p>Two.</p>"], "solution": ["<p>{{weights|GB}}</p>"],
        "mistake": [
            {{ "set": {{ "dtype": "fp32" }}, "say": "<p>That is fp32.</p>" }},
            {{ "answer": "params", "say": "<p>One byte each.</p>" }}
        ] }}"#
    );
    serde_json::from_str(&text).unwrap()
}

/// Items in the right order.
fn order(items: [&str; 3]) -> Exercise {
    let items = items.map(|text| format!(r#"{{ "text": "{text}", "say": "<p>Later.</p>" }}"#)).join(", ");
    let text = format!(
        r#"{{ "id": "steps", "skill": "s.t", "kind": "order", "prompt": "<p>What comes when?</p>", "items": [{items}],
        "ends": ["first < of all", "last"], "say": "<p>Right.</p>", "hints": [], "solution": ["<p>So.</p>"] }}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn pairs(all: [[&str; 2]; 3]) -> Exercise {
    let all = all.map(|[left, right]| format!(r#"{{ "left": "{left}", "right": "{right}", "say": "<p>So.</p>" }}"#));
    let text = format!(
        r#"{{ "id": "pairs", "skill": "s.t", "kind": "match", "prompt": "<p>What belongs together?</p>",
        "pairs": [{}], "extra": ["y"], "hints": [], "solution": ["<p>So.</p>"] }}"#,
        all.join(", ")
    );
    serde_json::from_str(&text).unwrap()
}

/// What stands between `before` and `after`, each time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| Some(rest.split_once(after)?.0)).collect()
}

fn pooled(exercise: &Exercise, variants: usize) -> Result<Pool, Missing> {
    let source = Source {
        key: "memory/weights",
        chapter: "Memory / states",
        title: "Weights: bf16",
        exercise,
        picture: None,
        seed: 0,
        each: false,
    };
    pool(source, variants, &by_catalogue(exercise))
}

fn text(format: Format, pools: &[Pool]) -> String {
    write(format, "A & B", pools).into_iter().map(|file| file.text).collect()
}

#[test]
fn markup_is_well_formed_and_keeps_what_is_said() {
    for (html, xml) in [
        ("<p>3 < 4 &amp; 5 &gt; 4</p>", "<p>3 &lt; 4 &amp; 5 &gt; 4</p>"),
        ("<p>a<br>b", "<p>a<br/>b</p>"),
        ("<p><em>a</p>b</em>", "<p><em>a</em></p>b"),
        ("<span class=\"x\">a</span> <a href=\"q\" title=\"a > b\">see</a>", "a see"),
        ("&nbsp;&#65;&#x42;&unknown;&", "\u{a0}AB&amp;unknown;&amp;"),
        ("<script>x</script>", "x"),
        ("<", "&lt;"),
        ("\u{1}\u{ffff}a", "a"),
    ] {
        assert_eq!(xhtml(html), xml, "{html}");
        assert_eq!(xhtml(&xhtml(html)), xml, "twice: {html}");
    }
    assert!(
        xhtml("<math display=\"block\"><mi>x</mi></math>")
            .starts_with("<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display")
    );
    assert_eq!(plain_text("<p>a\u{a0}b</p><p><code>c</code> &lt; d</p>"), "a\u{a0}b c < d");
    for (formula, said) in [
        ("<mi>a</mi><mo>&lt;</mo><mn>2</mn><mo>,</mo><mi>b</mi><mo>−</mo><mn>1</mn>", "a < 2, b−1"),
        (
            "<mfrac><mrow><mn>2</mn><mo>(</mo><mi>n</mi><mo>−</mo><mn>1</mn><mo>)</mo></mrow><mi>n</mi></mfrac>",
            "(2(n−1))/n",
        ),
        ("<mfrac><mn>1</mn><mn>12</mn></mfrac><mo>\u{2062}</mo><mi>Ψ</mi>", "1/12Ψ"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10⁻³"),
        ("<msup><mi>e</mi><mi>x</mi></msup><msup><mi>x</mi><mo>′</mo></msup>", "e^xx′"),
        ("<msup><mi>x</mi><msup><mn>2</mn><mn>3</mn></msup></msup>", "x^2³"),
        ("<msub><mi>W</mi><mi>Q</mi></msub><msub><mi>k</mi><mn>12</mn></msub>", "W_Qk₁₂"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑_(i = 1)ⁿi",
        ),
        ("<mover><mi>x</mi><mo>^</mo></mover><mspace width=\"1em\"/><msqrt><mi>d</mi></msqrt>", "x √d"),
        ("<munder><munder><mi>x</mi><mo>⏟</mo></munder><mtext>all\u{a0}of it</mtext></munder>", "x_(all\u{a0}of it)"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "1 2; 3",
        ),
        ("<mphantom><mn>1</mn></mphantom><mi>y", "y"),
        ("<mn>3</mn></mi></b>", "3"),
    ] {
        assert_eq!(plain_text(&format!("so <math>{formula}</math>.")), format!("so {said}."));
    }
}

#[test]
fn a_number_is_asked_in_one_unit_with_its_mistakes_beside_it() {
    let pool = pooled(&number(""), 1).unwrap();
    let question = &pool.variants[0];
    assert!(question.prompt.ends_with("<p>Answer in GB.</p>"), "{}", question.prompt);
    assert!(!question.prompt.contains("<a"), "{}", question.prompt);
    let Form::Number { value, tolerance, unit, mistakes } = &question.form else { panic!("{:?}", question.form) };
    assert_eq!((*value, unit.as_str()), (60.0, "GB"));
    assert!((tolerance - 1.2).abs() < 1e-9);
    let said: Vec<(f64, &str)> = mistakes.iter().map(|m| (m.value, m.say.as_str())).collect();
    assert_eq!(said, [(120.0, "<p>That is fp32.</p>"), (30.0, "<p>One byte each.</p>")]);
    let xml = text(Format::Moodle, std::slice::from_ref(&pool));
    assert!(xml.contains("<answer fraction=\"100\" format=\"moodle_auto_format\">\n<text>60</text>"), "{xml}");
    assert!(
        xml.contains("<text>120</text>\n<feedback format=\"html\"><text>&lt;p&gt;That is fp32.&lt;/p&gt;"),
        "{xml}"
    );
    assert!(xml.contains("$course$/top/Ringside/A &amp; B/Memory // states</text>"), "{xml}");
    assert!(
        text(Format::Gift, std::slice::from_ref(&pool))
            .contains("{#=60:1.2#=%0%120:2.4#<p>That is fp32.</p>=%0%30:0.6#")
    );
}

#[test]
fn an_exact_number_loses_nothing_to_its_unit() {
    let mut exercise = number("\"tolerance\": \"exact\",");
    exercise.params.insert("params".into(), "8191".into());
    let Form::Number { value, tolerance, unit, .. } = pooled(&exercise, 1).unwrap().variants[0].form.clone() else {
        panic!()
    };
    assert_eq!((value, tolerance, unit.as_str()), (16382.0, 0.0, "B"));
}

#[test]
fn no_mistake_is_taken_for_the_answer_or_for_another() {
    let mut exercise = number("\"tolerance\": \"20%\",");
    let crate::exercise::Kind::Number(of) = &mut exercise.kind else { panic!() };
    of.mistakes[0].set.clear();
    of.mistakes[0].answer = Some("weights * 1.21".into());
    of.mistakes[1].answer = Some("weights * 1.22".into());
    of.mistakes.push(of.mistakes[1].clone());
    of.mistakes.push(super::super::MistakeDef { answer: Some("weights * 1.01".into()), ..of.mistakes[1].clone() });
    let Form::Number { value, tolerance, mistakes, .. } = pooled(&exercise, 1).unwrap().variants[0].form.clone() else {
        panic!()
    };
    assert_eq!(mistakes.len(), 2, "a twin and one that counts as right are left out: {mistakes:?}");
    assert!(value + tolerance < mistakes[0].value - mistakes[0].tolerance);
    assert!(mistakes[0].value + mistakes[0].tolerance < mistakes[1].value - mistakes[1].tolerance);
}

#[test]
fn variants_differ_and_are_as_many_as_there_are() {
    let pool = pooled(&number(""), 50).unwrap();
    assert_eq!(pool.variants.len(), 4, "30e9 and the three that are drawn");
    let mut prompts: Vec<&str> = pool.variants.iter().map(|q| q.prompt.as_str()).collect();
    prompts.sort_unstable();
    prompts.dedup();
    assert_eq!(prompts.len(), 4);
    let xml = text(Format::Moodle, std::slice::from_ref(&pool));
    assert!(xml.contains("/Memory // states/Weights: bf16</text>"), "a category of its own: {xml}");
    assert!(text(Format::Canvas, std::slice::from_ref(&pool)).contains("<selection_number>1</selection_number>"));
    assert!(text(Format::Qti21, &[pool]).contains("<selection select=\"1\"/>"));
}

#[test]
fn what_is_lost_is_said_with_the_exercises_that_lose_it() {
    let pool = pooled(&number(""), 1).unwrap();
    let missing = [("A curve".to_owned(), Missing::Stays("the learner draws a curve"))];
    let said = lost(Format::Canvas, &[pool], &missing);
    assert_eq!(said[0].say, "1 exercise left out, because the learner draws a curve.");
    assert_eq!(said[0].titles, ["A curve"]);
    assert!(said.iter().any(|l| l.say.contains("one comment") && l.titles == ["Weights: bf16"]), "{said:?}");
    for format in [Format::Canvas, Format::Gift] {
        let said = lost(format, &[pooled(&order(["a", "b", "c"]), 1).unwrap()], &[]);
        let asked = "1 exercise: Asked as matching: the learner gives each item its place.";
        assert!(said.iter().any(|l| l.say == asked), "{said:?}");
    }
}

#[test]
fn numbers_of_ones_own_are_shared_in_a_file_and_that_is_said() {
    let each = |exercise: &Exercise, variants: usize| {
        let mut pool = pooled(exercise, variants).unwrap();
        pool.each = true;
        pool
    };
    let says = |said: Vec<Lost>, sets: &str| {
        said.iter().any(|l| {
            l.say
                == format!(
                    "1 exercise: Here every learner has numbers of their own. The file has {sets} for all learners."
                )
        })
    };
    for format in Format::ALL {
        assert!(says(lost(format, &[each(&number(""), 50)], &[]), "4 sets of numbers"), "{format:?}");
        assert!(says(lost(format, &[each(&number(""), 1)], &[]), "1 set of numbers"), "{format:?}");
        assert!(!says(lost(format, &[pooled(&number(""), 4).unwrap()], &[]), "4 sets of numbers"), "{format:?}");
    }
    // A cartridge asks the first variant alone.
    assert!(says(cartridge::lost(&[each(&number(""), 50)], &[]), "1 set of numbers"));
    let exercise = order(["a", "b", "c"]);
    let source =
        Source { key: "a/b", chapter: "A", title: "B", exercise: &exercise, picture: None, seed: 0, each: true };
    assert!(!pool(source, 3, &by_catalogue(&exercise)).unwrap().each, "it has no numbers to draw");
    let exercise = number("");
    assert!(pool(Source { exercise: &exercise, ..source }, 3, &by_catalogue(&exercise)).unwrap().each);
}

#[test]
fn gift_keeps_its_own_signs_apart() {
    let mut exercise = number("");
    exercise.prompt = "<pre>a = {{b}}: ~c\\d\n# e -> f</pre>".into();
    let gift = text(Format::Gift, &[pooled(&exercise, 1).unwrap()]);
    assert!(gift.contains("a \\= \\{b\\}\\: \\~c\\\\d\\n\\# e -&gt; f"), "{gift}");
    assert!(gift.contains("::Weights\\: bf16::"));
}

#[test]
fn notes_are_one_line_each_and_keep_their_ids() {
    let notes = text(Format::Anki, &[pooled(&number(""), 3).unwrap()]);
    let lines: Vec<&str> = notes.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 3);
    for (i, line) in lines.iter().enumerate() {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!((cells.len(), cells[0]), (4, format!("ringside-memory-weights-{}", i + 1).as_str()), "{line}");
    }
}

#[test]
fn an_answer_is_not_shown_by_the_order_in_which_things_stand() {
    for items in [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"], ["a", "a", "a"], ["c", "b", "a"]] {
        let shown: Vec<usize> = scrambled(&items).into_iter().map(|(i, _)| i).collect();
        assert_ne!(shown, [0, 1, 2], "{items:?}");
        let mut places = shown.clone();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2], "{items:?}");
    }
    assert_eq!((scrambled::<u8>(&[]), scrambled(&[7])), (vec![], vec![(0, &7)]));
    for items in [["alpha", "beta", "gamma"], ["gamma", "alpha", "beta"], ["beta", "gamma", "alpha"]] {
        let pool = [pooled(&order(items), 1).unwrap()];
        let canvas = text(Format::Canvas, &pool);
        let left = between(&canvas, "<mattext texttype=\"text/plain\">", "<");
        assert_eq!(left.len(), 3, "{canvas}");
        assert_ne!(left, items, "Canvas shows the items as they come");
        // To each item its place, and the places from 1 on.
        for (i, item) in left.iter().enumerate() {
            let place = items.iter().position(|of| of == item).unwrap() + 1;
            let label = format!("ident=\"right{}\"><material><mattext>{place}</mattext>", i + 1);
            assert!(canvas.contains(&label), "{item} has place {place}: {canvas}");
        }
        let places = between(&canvas, "<mattext>", "<");
        assert_eq!(places, ["1", "2", "3", "1", "2", "3", "1", "2", "3"]);
        let qti = text(Format::Qti21, &pool);
        let choices = between(&qti, "<simpleChoice identifier=\"", "</simpleChoice>");
        let shown: Vec<&str> = choices.iter().filter_map(|choice| Some(choice.split_once('>')?.1)).collect();
        assert_ne!(shown, items, "{qti}");
        assert_eq!(between(&qti, "<value>", "</value>")[..3], ["item-1", "item-2", "item-3"]);
        let notes = text(Format::Anki, &pool);
        let front = notes.lines().last().unwrap().split('\t').nth(1).unwrap();
        assert_ne!(between(front, "<li>", "</li>"), items, "{front}");
    }
    // On the right, as the left has them.
    let pool = [pooled(&pairs([["one", "u"], ["two", "v"], ["three", "w"]]), 1).unwrap()];
    let qti = text(Format::Qti21, &pool);
    let right = between(&qti, "<simpleAssociableChoice identifier=\"R", "\"");
    assert_eq!(right, ["4", "3", "2", "1"], "{qti}");
    assert_eq!(between(&qti, "<value>", "</value>")[..3], ["L1 R1", "L2 R2", "L3 R3"]);
    let canvas = text(Format::Canvas, &pool);
    assert_eq!(between(&canvas, "<mattext>", "<")[..4], ["y", "w", "v", "u"], "{canvas}");
    let notes = text(Format::Anki, &pool);
    let front = notes.lines().last().unwrap().split('\t').nth(1).unwrap();
    assert_eq!(between(front, "<li>", "</li>"), ["one", "two", "three", "y", "w", "v", "u"], "{front}");
}

#[test]
fn every_format_says_once_from_which_end_an_order_runs() {
    let pool = [pooled(&order(["alpha", "beta", "gamma"]), 1).unwrap()];
    assert!(pool[0].variants[0].prompt.ends_with("<p>Order them from “first &lt; of all” to “last”.</p>"));
    for format in Format::ALL {
        let said = text(format, &pool);
        assert_eq!(said.matches("Order them from “first").count(), 1, "{}: {said}", format.id());
        let pairs = matches!(format, Format::Canvas | Format::Gift);
        assert_eq!(said.contains("Give each item its place, counting from 1."), pairs, "{}: {said}", format.id());
    }
}

#[test]
fn a_foreseen_mistake_is_written_as_the_answer_is() {
    for (value, unit, written) in
        [(120.0, "GB", "120\u{a0}GB"), (60.849, "", "60.85"), (12.0, "%", "12%"), (1.0, "a<b", "1\u{a0}a&lt;b")]
    {
        assert_eq!(shown(value, unit), written);
    }
    let pool = [pooled(&number(""), 1).unwrap()];
    let item = "<li>120\u{a0}GB: <p>That is fp32.</p></li>";
    assert!(text(Format::Anki, &pool).contains(item));
    assert!(text(Format::Canvas, &pool).contains(&markup::escaped(item)));
    let bare = vec![Foreseen { value: 60.849, tolerance: 0.5, say: "<p>Too much.</p>".into() }];
    assert_eq!(foreseen(&bare, ""), "<li>60.85: <p>Too much.</p></li>");
}

#[test]
fn a_note_breaks_lines_where_the_page_does() {
    let mut exercise = number("");
    exercise.prompt =
        "<p>One <em>and</em>\n<code>two</code>.</p>\n<table>\n<tr>\n<td>3</td></tr></table><pre>a\nb</pre>\n".into();
    let pool = [pooled(&exercise, 1).unwrap()];
    let note = write(Format::Anki, "A \"quiz\" :: of\nmine", &pool).remove(0).text;
    assert!(note.contains("\n#deck:Ringside::A \"quiz\" : of mine\n"), "{note}");
    let shown = "<p>One <em>and</em> <code>two</code>.</p> <table> <tr> <td>3</td></tr></table><pre>a<br>b</pre> ";
    assert!(note.contains(shown), "{note}");
    assert_eq!(note.matches("<br>").count(), 1, "{note}");
}

#[test]
fn every_format_says_what_becomes_of_variants() {
    for format in Format::ALL {
        let says = match format {
            Format::Moodle | Format::Gift => "to ask each learner one, add a random question from it.",
            Format::Canvas => "The quiz asks each learner one variant.",
            Format::Qti21 => {
                "Its test selects one variant of each exercise per learner, if your platform imports tests."
            }
            Format::Anki => "Each variant is a note.",
        };
        assert!(format.steps().ends_with(says), "{}", format.steps());
    }
}

/// The text of a cartridge's only quiz.
fn quiz_of(exercises: &[&Exercise]) -> String {
    let pools = exercises.iter().enumerate().map(|(i, exercise)| {
        let mut pool = pooled(exercise, 1).unwrap();
        pool.variants[0].id = format!("q{i}");
        pool
    });
    let quiz = cartridge::Quiz { title: "A & B".into(), pools: pools.collect() };
    let session = cartridge::Session { quiz: Some(quiz), ..Default::default() };
    let course = cartridge::Course { sessions: vec![session], ..Default::default() };
    cartridge::write(&course).into_iter().find(|file| file.path == "quizzes/quiz-1.xml").unwrap().text
}

#[test]
fn a_cartridge_has_a_module_for_each_session_and_a_file_for_each_resource() {
    let link =
        |title: &str, hidden| cartridge::Link { title: title.into(), url: "https://a.b/?x=1&y=2".into(), hidden };
    let session = cartridge::Session {
        title: "Week 1: a < b".into(),
        aim: "Shard <em>it</em>, <a href=\"x\">now</a>.".into(),
        marks: vec![("Quiz".into(), 4), ("Lab: DDP".into(), 5)],
        links: vec![link("Talk", true), link("Handout", false)],
        quiz: None,
    };
    let course = cartridge::Course { title: "A term".into(), about: "For all.".into(), sessions: vec![session] };
    let files = cartridge::write(&course);
    let named = |path: &str| &files.iter().find(|file| file.path == path).unwrap().text;
    let manifest = named("imsmanifest.xml");
    // Moodle looks for this in the first 500 bytes.
    assert!(manifest[..500].contains("xmlns=\"http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1\""), "{manifest}");
    assert_eq!(
        between(manifest, "<title>", "</title>"),
        ["About the course", "The plan", "Week 1: a &lt; b", "Talk", "Handout"]
    );
    let (refs, ids) = (between(manifest, "identifierref=\"", "\""), between(manifest, "<resource identifier=\"", "\""));
    assert_eq!(refs, ids);
    let paths: Vec<&str> = files.iter().skip(1).map(|file| file.path.as_str()).collect();
    assert_eq!(between(manifest, "<file href=\"", "\""), paths);
    let resources = between(manifest, "<resource ", "</resource>");
    let hidden: Vec<bool> = resources.iter().map(|text| text.contains("<lom:value>Instructor</lom:value>")).collect();
    assert_eq!(hidden, [false, true, false]);
    assert!(named("links/link-1-1.xml").contains("<url href=\"https://a.b/?x=1&amp;y=2\""));
    let plan = named("plan.html");
    assert!(plan.contains("<p>Shard <em>it</em>, now.</p>\n<p>Marks: Quiz 4, Lab: DDP 5</p>"), "{plan}");
}

#[test]
fn a_cartridge_asks_a_number_by_the_mistakes_that_were_foreseen() {
    let mut exercise = number("");
    let asked = quiz_of(&[&exercise]);
    assert!(asked.contains("<fieldentry>cc.multiple_choice.v0p1</fieldentry>"), "{asked}");
    let options = between(&asked, "<response_label ident=\"", "</mattext>");
    let texts: Vec<&str> = options.iter().filter_map(|text| Some(text.rsplit_once('>')?.1)).collect();
    assert_eq!(texts, ["30\u{a0}GB", "60\u{a0}GB", "120\u{a0}GB"], "least first, so the place says nothing");
    let conditions = between(&asked, "<respcondition continue=\"No\">", "</respcondition>");
    let said = |i: usize| format!("<displayfeedback feedbacktype=\"Response\" linkrefid=\"option{i}_fb\"/>");
    assert!(conditions[0].ends_with(&said(1)) && conditions[2].ends_with(&said(3)), "{asked}");
    assert!(
        conditions[1]
            .ends_with(">option2</varequal></conditionvar><setvar action=\"Set\" varname=\"SCORE\">100</setvar>")
    );
    assert!(asked.contains(
        "<itemfeedback ident=\"option3_fb\"><flow_mat><material><mattext texttype=\"text/html\">&lt;p&gt;That is fp32."
    ));
    let crate::exercise::Kind::Number(of) = &mut exercise.kind else { panic!() };
    of.mistakes.truncate(1);
    let asked = quiz_of(&[&exercise]);
    assert!(asked.contains("<fieldentry>cc.fib.v0p1</fieldentry>"), "{asked}");
    assert!(asked.contains("Write the number alone, without commas."), "{asked}");
    assert!(
        asked.contains("<conditionvar><varequal respident=\"response1\">60</varequal></conditionvar><setvar"),
        "{asked}"
    );
    assert!(asked.contains("120</varequal></conditionvar><displayfeedback"), "{asked}");
}

#[test]
fn a_cartridge_asks_pairs_and_orders_one_by_one_and_weighs_them_as_one() {
    let (order, pairs) = (order(["alpha", "beta", "gamma"]), pairs([["one", "u"], ["two", "v"], ["three", "w"]]));
    let asked = quiz_of(&[&number(""), &pairs, &order]);
    let idents = between(&asked, "<item ident=\"", "\"");
    assert_eq!(idents, ["q0", "q1-1", "q1-2", "q1-3", "q2-1", "q2-2", "q2-3"]);
    assert_eq!(between(&asked, "cc_weighting</fieldlabel><fieldentry>", "<"), ["3", "1", "1", "1", "1", "1", "1"]);
    let items = between(&asked, "<item ident=\"", "</item>");
    for (item, right) in [(items[1], "u"), (items[3], "w")] {
        let right_one = between(item, "respident=\"response1\">", "</varequal></conditionvar><setvar");
        let label =
            format!("<response_label ident=\"{}\"><material><mattext texttype=\"text/html\">{right}<", right_one[0]);
        assert!(item.contains(&label), "{item}");
        assert_eq!(between(item, "<response_label ident=\"", "\"").len(), 4, "three and one that belongs to nothing");
    }
    for item in &items[4..] {
        let place = ["alpha", "beta", "gamma"].iter().position(|text| item.contains(text)).unwrap() + 1;
        let right = between(item, "respident=\"response1\">", "</varequal></conditionvar><setvar");
        assert_eq!(right, [format!("option{place}")], "{item}");
    }
    let said = cartridge::lost(&[pooled(&order, 1).unwrap(), pooled(&number(""), 1).unwrap()], &[]);
    assert!(
        said.iter()
            .any(|l| l.say == "1 exercise: Each item is a question of its own, whose answer is the item’s place."),
        "{said:?}"
    );
}

#[test]
fn a_text_is_worth_what_its_rubric_says() {
    let essay = r#"{ "id": "why", "kind": "explain", "skill": "s.s", "prompt": "Why?", "rubric": ["a", "b", "c", "d"],
                     "hints": [], "model_answer": "So.", "weak_answer": "No.", "weak_points": [], "solution": ["s"] }"#;
    let essay: Exercise = serde_json::from_str(essay).unwrap();
    let pools = [pooled(&essay, 1).unwrap(), pooled(&number(""), 1).unwrap()];
    assert_eq!(between(&text(Format::Moodle, &pools), "<defaultgrade>", "</defaultgrade>"), ["4", "1"]);
    let canvas = text(Format::Canvas, &pools);
    assert!(canvas.contains("<points_possible>5.0</points_possible>"), "{canvas}");
    let each = between(&canvas, "<fieldlabel>points_possible</fieldlabel><fieldentry>", "</fieldentry>");
    assert_eq!(each, ["4.0", "1.0"]);
    let items = write(Format::Qti21, "", &pools);
    let most: Vec<&str> = items.iter().flat_map(|file| between(&file.text, "normalMaximum=\"", "\"")).collect();
    assert_eq!(most, ["4", "1"]);
    let said = lost_by(Format::Gift, &pools[0].variants[0]);
    assert!(said.iter().any(|say| say.contains("its points")), "{said:?}");
}

#[test]
fn a_figure_goes_along_where_a_format_holds_files() {
    let exercise = order(["alpha", "beta", "gamma"]);
    let picture = Picture { alt: "A < ring".into(), svg: "<svg xmlns=\"http://www.w3.org/2000/svg\"/>".into() };
    let source = Source {
        key: "a/b",
        chapter: "A",
        title: "B",
        exercise: &exercise,
        picture: Some(&picture),
        seed: 0,
        each: false,
    };
    let pools = [pool(source, 1, &by_catalogue(&exercise)).unwrap()];
    // `printf '<svg xmlns="http://www.w3.org/2000/svg"/>' | base64`
    let base64 = "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
    assert_eq!(picture.base64(), base64);
    let moodle = text(Format::Moodle, &pools);
    assert!(
        moodle.contains("&lt;img src=&quot;@@PLUGINFILE@@/a-b-1.svg&quot; alt=&quot;A &amp;lt; ring&quot;/&gt;"),
        "{moodle}"
    );
    assert!(
        moodle.contains(&format!("<file name=\"a-b-1.svg\" path=\"/\" encoding=\"base64\">{base64}</file>")),
        "{moodle}"
    );
    for (format, path, src) in [
        (Format::Canvas, "web_resources/a-b-1.svg", "$IMS-CC-FILEBASE$/a-b-1.svg"),
        (Format::Qti21, "images/a-b-1.svg", "../images/a-b-1.svg"),
    ] {
        let files = write(format, "Q", &pools);
        let find =
            |path: &str| files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}: {files:?}"));
        assert_eq!(find(path).text, picture.svg);
        assert!(find("imsmanifest.xml").text.contains(&format!("<file href=\"{path}\"/>")));
        assert!(files.iter().any(|file| file.text.contains(src)), "{format:?}");
    }
    assert!(text(Format::Anki, &pools).contains(&format!("data:image/svg+xml;base64,{base64}")));
    assert!(!text(Format::Gift, &pools).contains("img"));
    assert!(lost_by(Format::Gift, &pools[0].variants[0]).iter().any(|say| say.contains("figure")));
    // A name for each remainder of three bytes.
    let of = |svg: &str| Picture { alt: String::new(), svg: svg.into() }.base64();
    assert_eq!([of(""), of("f"), of("fo"), of("foo")], ["", "Zg==", "Zm8=", "Zm9v"]);
}
