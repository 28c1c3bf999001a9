//! Every way of sharding side by side: what a GPU holds, and how long the wire is busy.

use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, bytes_decimal, count, grouped, number};
use ringside_core::zero::price::{Collective, Params, Price, Scheme, Span};

use crate::chart::Ink;
use crate::figure::{Column, Figure, Table};
use crate::form::{Head, Lane, Lanes, Press, Tone};
use crate::picture::Picture;

const STATES: Tone = Ink::Optimizer.at(100);
const COPY: Tone = Ink::Weights.at(100);
const BETWEEN: Tone = Ink::Communication.at(100);
const INSIDE: Tone = Ink::Communication.at(40);

/// Two rows for each way, one beside the other; pressing either chooses it.
fn picture(p: &Params, price: &Price) -> Picture {
    let all = Scheme::ALL.map(|scheme| (scheme, p.price(scheme)));
    // What doesn't fit takes no time.
    let wire_of = |price: &Price| if p.runs(price) { price.wire() } else { 0.0 };
    let most = |of: &dyn Fn(&Price) -> f64| all.iter().map(|(_, price)| of(price)).fold(f64::MIN_POSITIVE, f64::max);
    let pressed = |lane: Lane, scheme: Scheme| {
        let name = format!("{}: {}", scheme.label(), lane.sum);
        lane.press(Press::new(name, "scheme", scheme.id(), scheme == p.scheme))
    };
    let held = all.iter().map(|(scheme, price)| {
        let parts = [(STATES, price.states), (COPY, price.peak() - price.states)];
        let parts = parts.map(|(tone, bytes)| (tone, bytes, String::new()));
        let fits = if p.runs(price) { "" } else { " ✗" };
        let sum = format!("{}{fits}", bytes_decimal(price.peak()));
        pressed(Lane::stack(scheme.label(), parts, sum).note(scheme.in_fsdp2()).warns(!p.runs(price)), *scheme)
    });
    let wire = all.iter().map(|(scheme, price)| {
        let parts = [(BETWEEN, price.between), (INSIDE, price.wire() - price.between)];
        let parts = parts.map(|(tone, seconds)| (tone, if p.runs(price) { seconds } else { 0.0 }, String::new()));
        let sum = if p.runs(price) { Unit::Seconds.format(price.wire()) } else { "doesn’t fit".to_owned() };
        pressed(Lane::stack(scheme.label(), parts, sum).warns(!p.runs(price)), *scheme)
    });
    let states = Head::new("Held by a GPU", &[(STATES, "states"), (COPY, "gathered, waiting")]);
    let busy = Head::new("Wire busy", &[(BETWEEN, "network"), (INSIDE, "node’s links, longer by")]);
    let held = Lanes::new(p.finding(price), states, held.collect(), most(&Price::peak) * 1.02, None);
    let wire = Lanes::new(p.finding(price), busy, wire.collect(), most(&wire_of) * 1.02, None);
    Picture::Beside(vec![(1.35, held.into()), (1.0, wire.into())])
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let (gpus, node) = (grouped(self.gpus), grouped(self.node));
        format!("{} parameters on {gpus} GPUs in nodes of {node}", count(self.params))
    }

    fn finding(&self, price: &Price) -> String {
        self.finding(price)
    }

    fn picture(&self, price: &Price) -> Picture {
        picture(self, price)
    }

    /// The collectives of the chosen way.
    fn table(&self, price: &Price) -> Table {
        let row = |c: &Collective| {
            let among = match c.span {
                Span::World => "all GPUs",
                Span::Node => "a node",
                Span::Across => "one GPU of each node",
            };
            vec![c.what.to_owned(), among.to_owned(), bytes_decimal(c.buffer), number(c.times)]
        };
        let columns = [
            Column::Words("Collective"),
            Column::Words("Among"),
            Column::Numbers("Buffer"),
            Column::Numbers("In a step"),
        ];
        Table::of(columns, price.collectives.iter().map(row).collect())
    }
}
