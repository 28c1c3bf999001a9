use super::*;
use crate::hardware::{self, Accelerator};
use crate::options;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Colour {
    #[default]
    Red,
    Green,
}

options!(Colour {
    Red: "red", "Red";
    Green: "green", "Green, as grass";
});

/// Numbers with commas between them.
#[derive(Debug, Clone, PartialEq, Default)]
struct List(Vec<u64>);

impl Text for List {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let numbers =
            text.split(',').filter(|n| !n.is_empty()).map(|n| n.parse().map_err(|_| format!("“{n}” is none.")));
        self.0.clear();
        self.0 = numbers.collect::<Result<_, _>>()?;
        Ok(())
    }

    fn write(&self) -> String {
        self.0.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Params {
    size: f64,
    count: usize,
    level: u8,
    seed: Option<u64>,
    colour: Colour,
    on: bool,
    gpu: &'static Accelerator,
    list: List,
    own: u64,
}

impl Default for Params {
    fn default() -> Self {
        let (colour, gpu, list) = (Colour::Green, &hardware::ALL[0], List(vec![9]));
        Self { size: 9.0, count: 9, level: 9, seed: Some(9), colour, on: true, gpu, list, own: 9 }
    }
}

impl Model for Params {
    type Result = f64;
    const ID: &'static str = "trial";
    const TITLE: &'static str = "Trial";
    const SUMMARY: &'static str = "A model.";
    const PARAMS: &'static [Param<Self>] = &[
        whole("own", "read by the model", [0, 9], "1").apart(),
        real("size", "a size", [0.0, 1e12], "2e9").at(|p| p.size.slot()),
        whole("count", "how many", [1, 64], "4").label("How many").quiet().at(|p| p.count.slot()),
        whole("level", "a level", [0, 3], "1").at(|p| p.level.slot()),
        whole("seed", "a seed", [0, 99], "").at(|p| p.seed.slot()),
        choice("colour", "a colour", Colour::LIST, "red").label("Color").main().at(|p| p.colour.slot()),
        switch("on", "whether", false).at(|p| p.on.slot()),
        choice("gpu", "a GPU", hardware::LIST, "h100-80").label("GPU").at(|p| p.gpu.slot()),
        text("list", "numbers", "").at(|p| p.list.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["level", "seed"], |p| p.on)];
    const ORIGIN: Origin = Origin::Of("A paper, eq. 1");
    const ORIGINS: &'static [Origins] = &[origin(Origin::Controls, &["size"])];
    const QUANTITIES: &'static [Measure<Self, f64>] = &[
        measure("twice", "Twice", Unit::Ratio, |_, twice| *twice),
        measure("size", "Size", Unit::Bytes, |p, _| p.size),
    ];

    fn evaluate(&self) -> Result<f64, String> {
        self.in_range().map(|()| self.size * 2.0)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.own = reader.integer("own");
    }

    fn unplaced(&self) -> Query {
        Query::new([("own", self.own.to_string())])
    }
}

impl Field for List {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

#[test]
fn nothing_given_is_every_declared_default() {
    let (params, problems) = Params::read(&Query::default());
    assert_eq!(problems, []);
    assert_eq!((params.size, params.count, params.level, params.seed, params.own), (2e9, 4, 1, None, 1));
    assert_eq!(
        (params.colour, params.on, params.gpu.id, params.list),
        (Colour::Red, false, "h100-80", List::default())
    );
}

#[test]
fn what_is_written_reads_back_and_defaults_may_stay_unsaid() {
    let text = "own=3&size=5e8&count=8&level=2&seed=7&colour=green&on=true&gpu=a100-80&list=1,2";
    let (params, problems) = Params::read(&Query::parse(text));
    assert_eq!((problems, params.query()), (Vec::new(), Query::parse(text)));
    let standard = Params::standard().query();
    assert_eq!(standard.to_string(), "own=1&size=2e9&level=1&colour=red&on=false&gpu=h100-80");
    assert_eq!(Params::read(&standard).0, Params::standard());
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_kept() {
    let (params, problems) = Params::read(&Query::parse("own=88&count=0&colour=blue&list=1,x&level=2&kolour=red"));
    let names: Vec<&str> = problems.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["kolour", "count", "colour", "list", "own"]);
    assert_eq!((params.count, params.level, params.list), (4, 2, List::default()));
    let wrong = Params { level: 9, ..Params::standard() };
    assert_eq!(wrong.evaluate(), Err("level must be a whole number from 0 to 3, not 9.".into()));
}

#[test]
fn the_catalogue_sees_what_is_declared() {
    let entry = Params::ENTRY;
    assert_eq!(entry.params().count(), Params::PARAMS.len());
    let colour = entry.param("colour").map(|p| p.look).expect("declared");
    assert_eq!((colour.group, colour.labels), (Group::Main, &["Red", "Green, as grass"][..]));
    let result = (entry.evaluate)(&Query::parse("size=3"));
    assert_eq!((result.get("twice"), result.get("size")), (Some(6.0), Some(3.0)));
}

#[test]
fn a_control_sets_a_number_within_its_range() {
    let mut params = Params::standard();
    for (name, given, kept) in [("count", 99.0, 64.0), ("level", -1.0, 0.0), ("size", 5.5, 5.5), ("seed", 1.6, 2.0)] {
        let Param { spec, at, .. } = *Params::PARAMS.iter().find(|p| p.spec.name == name).expect(name);
        let at = at.expect("placed");
        at(&mut params).set_number(spec.kind, given);
        assert_eq!(at(&mut params).number(), Some(kept), "{name}");
    }
}

#[test]
fn a_parameter_applies_where_its_model_says_so_and_an_unknown_name_is_refused() {
    let applies_in = |query: &str, name| Params::read(&Query::parse(query)).0.applies(name);
    assert!(applies_in("", "size") && !applies_in("", "seed") && applies_in("on=true", "seed"));
    const NAMED: bool = are_names(Params::APPLIES, Params::PARAMS);
    assert!(NAMED && !are_names(&[applies::<Params>(&["seed", "sead"], |_| true)], Params::PARAMS));
}

#[test]
fn a_quantity_has_its_models_origin_or_its_own_and_an_unknown_name_is_refused() {
    let origins: Vec<_> = Params::ENTRY.shown().map(|shown| shown.origin).collect();
    assert_eq!(origins, [Origin::Of("A paper, eq. 1"), Origin::Controls]);
    let named = |ids: &'static [&'static str]| name_quantities(&[origin(Origin::Rows, ids)], Params::QUANTITIES);
    assert!(named(&["size", "twice"]) && !named(&["sise"]) && !named(&["size", "size"]));
}

#[test]
fn a_link_takes_units_as_fields_do() {
    for (id, name, written, bare) in [
        ("serving-planner", "token", "30 ms", "0.03"),
        ("failure-campaign", "interval", "45 min", "2700"),
        ("ring-all-reduce", "bytes", "200 MB", "200e6"),
        ("kv-cache", "used", "85%", "0.85"),
        ("kv-cache", "activations", "4 GB", "4"),
    ] {
        let entry = crate::catalogue::find(id).expect(id);
        let read = |value: &str| (entry.read)(&Query::new([(name, value)]));
        assert_eq!(read(written), read(bare), "{id}: {name}={written}");
        assert_eq!(read(written).1, [], "{id}");
        let standard = (entry.read)(&Query::default()).0;
        assert_eq!((entry.turn)(&standard, name, written), (entry.turn)(&standard, name, bare), "{id}");
        // Another kind of unit is still refused.
        assert_eq!(read("3 TFLOP").1.len(), 1, "{id}");
    }
}

#[test]
fn a_page_says_what_a_link_got_wrong_by_the_names_on_its_controls() {
    let said = |query: &str| {
        let problems = Params::read(&Query::parse(query)).1;
        let says = |problem: &Problem| {
            Params::ENTRY.param(&problem.name).map_or_else(|| problem.message.clone(), |param| param.says(problem))
        };
        problems.iter().map(says).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(said("colour=blue"), "“Color” can’t be “blue”. Red is shown. It can be Red, Green, as grass.");
    assert_eq!(said("colour=gren"), "“Color” can’t be “gren”. Red is shown. Did you mean “Green, as grass”?");
    assert_eq!(said("gpu=banana"), "“GPU” can’t be “banana”. H100 SXM 80 GB is shown. Choose another under “GPU”.");
    assert_eq!(said("count=abc"), "“How many” can’t be “abc”. 4 is shown. It takes a whole number from 1 to 64.");
    // What only the model sees, and what has no control, keep their words.
    assert!(said("kolour=red").starts_with("There is no parameter “kolour”"));
}
