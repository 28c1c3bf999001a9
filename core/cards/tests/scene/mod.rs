//! A room with cards, drawn as a camera sees it.

use ringside_cards::{Answer, CARDS, Gray, Sheet, svg};

/// The picture, in pixels.
const SIZE: (usize, usize) = (1920, 1080);
/// How wide the camera sees, in degrees.
const VIEW: f64 = 65.0;
/// Card and white margin, in modules, and the margin alone.
const MODULES: f64 = 8.1;
const MARGIN: f64 = 0.55;
/// Samples for each pixel, along x and y.
const SAMPLES: usize = 3;

/// How a room is seen.
pub struct Conditions {
    /// What the table calls it.
    pub name: &'static str,
    /// Cards that are held up.
    pub cards: usize,
    /// How far away, in meters.
    pub distance: f64,
    /// How far a card is turned out of the picture's plane at most, in degrees.
    pub tilt: f64,
    /// How far a card is turned from upright at most, in degrees.
    pub roll: f64,
    /// Levels of paper and of ink.
    pub levels: (f64, f64),
    /// How much of the light is gone at the darker side.
    pub shade: f64,
    /// The blur's standard deviation, in pixels.
    pub blur: f64,
    /// How far a hand moves during one picture, in pixels.
    pub motion: f64,
    /// The noise's standard deviation, in levels.
    pub noise: f64,
    /// Whether fingers hold cards over the border.
    pub fingers: bool,
    /// The share of cards that has to be counted.
    pub at_least: f64,
}

impl Conditions {
    /// How wide a card is that faces the camera, in pixels.
    pub fn size(&self) -> f64 {
        border() * focal() / self.distance
    }
}

const PLAIN: Conditions = Conditions {
    name: "",
    cards: 40,
    distance: 6.0,
    tilt: 25.0,
    roll: 15.0,
    levels: (200.0, 35.0),
    shade: 0.3,
    blur: 0.8,
    motion: 0.0,
    noise: 4.0,
    fingers: false,
    at_least: 0.99,
};

/// The lines of the table.
pub const TABLE: &[Conditions] = &[
    Conditions { name: "40 cards at 4 m", distance: 4.0, ..PLAIN },
    Conditions { name: "40 cards at 6 m", ..PLAIN },
    Conditions {
        name: "6 m, poor light",
        levels: (80.0, 18.0),
        shade: 0.6,
        noise: 8.0,
        blur: 1.0,
        at_least: 0.97,
        ..PLAIN
    },
    Conditions { name: "6 m, out of focus", blur: 1.6, ..PLAIN },
    Conditions { name: "6 m, hands move", motion: 3.0, ..PLAIN },
    Conditions { name: "6 m, turned away up to 45°", tilt: 45.0, roll: 25.0, at_least: 0.95, ..PLAIN },
    Conditions { name: "6 m, fingers on the border", fingers: true, at_least: 0.9, ..PLAIN },
    Conditions { name: "8 m", distance: 8.0, at_least: 0.95, ..PLAIN },
    Conditions { name: "12 cards at 1.5 m", cards: 12, distance: 1.5, ..PLAIN },
    Conditions { name: "a room without cards", cards: 0, noise: 8.0, ..PLAIN },
];

/// The black border of a printed card, in meters.
fn border() -> f64 {
    Sheet::Two.border() / 1000.0
}

fn focal() -> f64 {
    SIZE.0 as f64 / 2.0 / (VIEW / 2.0).to_radians().tan()
}

/// A number that looks like chance (SplitMix64's finalizer, Steele et al. 2014).
pub fn hash(seed: u64) -> u64 {
    let mixed = (seed.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Numbers that look like chance, always the same ones.
struct Chance(u64);

impl Chance {
    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (hash(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.next()
    }

    /// About normal, with the standard deviation 1: a sum of twelve (Irwin and Hall 1927).
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// A card that is held up.
struct Held {
    card: u8,
    answer: Answer,
    modules: Vec<bool>,
    /// Where its center is seen.
    at: (f64, f64),
    /// The rows of the map from the picture, relative to its center, to the card in modules.
    map: [[f64; 3]; 3],
    /// How far it reaches in the picture.
    reach: f64,
}

/// Something else in the room: a box with a level.
struct Thing {
    from: (f64, f64),
    to: (f64, f64),
    level: f64,
    round: bool,
}

impl Thing {
    fn covers(&self, x: f64, y: f64) -> bool {
        let middle = ((self.from.0 + self.to.0) / 2.0, (self.from.1 + self.to.1) / 2.0);
        let (u, v) = ((x - middle.0) / (self.to.0 - middle.0), (y - middle.1) / (self.to.1 - middle.1));
        if self.round { u.hypot(v) < 1.0 } else { u.abs().max(v.abs()) < 1.0 }
    }

    fn paint(&self, levels: &mut [f32], light: f64) {
        let (width, height) = SIZE;
        for y in self.from.1.max(0.0) as usize..(self.to.1.max(0.0) as usize).min(height) {
            for x in self.from.0.max(0.0) as usize..(self.to.0.max(0.0) as usize).min(width) {
                if self.covers(x as f64, y as f64) {
                    levels[y * width + x] = (self.level * light) as f32;
                }
            }
        }
    }
}

/// A room.
pub struct Scene<'a> {
    conditions: &'a Conditions,
    seed: u64,
    held: Vec<Held>,
    things: Vec<Thing>,
    fingers: Vec<Thing>,
}

impl<'a> Scene<'a> {
    /// A room with people in rows, their cards above them, and what is in a room otherwise.
    pub fn new(conditions: &'a Conditions, seed: u64) -> Self {
        let mut chance = Chance(seed);
        let (width, height) = (SIZE.0 as f64, SIZE.1 as f64);
        let size = conditions.size();
        let columns = ((conditions.cards as f64 * 1.8).sqrt().ceil() as usize).max(1);
        let rows = conditions.cards.div_ceil(columns).max(1);
        let (mut things, mut held, mut fingers) = (Vec::new(), Vec::new(), Vec::new());
        // Windows, posters, screens and tables.
        for _ in 0..60 {
            let (x, y) = (chance.between(0.0, width), chance.between(0.0, height));
            let (w, h) = (chance.between(8.0, 160.0), chance.between(8.0, 120.0));
            things.push(Thing { from: (x, y), to: (x + w, y + h), level: chance.between(10.0, 220.0), round: false });
        }
        let first = (hash(seed) % 20) as usize;
        for i in 0..conditions.cards {
            let cell = (width * 0.94 / columns as f64, height * 0.9 / rows as f64);
            let x = width * 0.03 + (i % columns) as f64 * cell.0 + cell.0 * chance.between(0.35, 0.65);
            let y = height * 0.05 + (i / columns) as f64 * cell.1 + cell.1 * chance.between(0.3, 0.6);
            let card = (first + i) as u8 % CARDS + 1;
            let answer = Answer::ALL[(chance.next() * 4.0) as usize];
            // A person: a shirt, a head.
            let shirt = chance.between(10.0, 190.0);
            let half = size * 0.9;
            things.push(Thing {
                from: (x - half, y + size * 0.2),
                to: (x + half, y + size * 2.2),
                level: shirt,
                round: false,
            });
            things.push(Thing {
                from: (x - half * 0.4 + size, y - size * 0.2),
                to: (x + half * 0.4 + size, y + size * 0.9),
                level: chance.between(60.0, 170.0),
                round: true,
            });
            let card = Held::new(card, answer, (x, y), conditions, &mut chance);
            let grip = if conditions.fingers { 0.47 } else { 0.56 };
            let side = if chance.next() < 0.5 { -1.0 } else { 1.0 };
            let (a, b) = ((x + side * size * (grip + 0.12)), y + size * chance.between(-0.1, 0.3));
            fingers.push(Thing {
                from: (a - size * 0.12, b - size * 0.07),
                to: (a + size * 0.12, b + size * 0.07),
                level: chance.between(70.0, 160.0),
                round: true,
            });
            held.push(card);
        }
        Self { conditions, seed, held, things, fingers }
    }

    /// The cards that are held up.
    pub fn cards(&self) -> impl Iterator<Item = (u8, Answer)> {
        self.held.iter().map(|held| (held.card, held.answer))
    }

    /// One picture of it. Hands tremble from one to the next.
    pub fn picture(&self, number: u64) -> Gray {
        let (width, height) = SIZE;
        let mut chance = Chance(self.seed ^ hash(number));
        let of = self.conditions;
        let light = of.levels.0 / PLAIN.levels.0;
        let mut levels: Vec<f32> = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let (u, v) = (x as f64 / width as f64, y as f64 / height as f64);
                levels.push((light * (110.0 + 40.0 * (7.0 * u).sin() * (5.0 * v).cos())) as f32);
            }
        }
        self.things.iter().for_each(|thing| thing.paint(&mut levels, light));
        for held in &self.held {
            let tremble = (held.at.0 + chance.normal(), held.at.1 + chance.normal());
            let sway = chance.between(0.0, std::f64::consts::TAU);
            let way = (of.motion * sway.cos(), of.motion * sway.sin());
            held.paint(&mut levels, tremble, way, of.levels);
        }
        self.fingers.iter().for_each(|thing| thing.paint(&mut levels, light));
        for (i, level) in levels.iter_mut().enumerate() {
            *level *= 1.0 - (of.shade * (i % width) as f64 / width as f64) as f32;
        }
        blurred(&mut levels, of.blur);
        // A table of noise, read from another place in each row, is as good as new noise for each pixel.
        let noise: Vec<f32> = (0..1 << 15).map(|_| (of.noise * chance.normal()) as f32).collect();
        let mut pixels = Vec::with_capacity(width * height);
        for row in levels.chunks_exact(width) {
            let from = (chance.next() * (noise.len() - width) as f64) as usize;
            pixels.extend(
                row.iter().zip(&noise[from..]).map(|(level, noise)| (level + noise).round().clamp(0.0, 255.0) as u8),
            );
        }
        Gray::new(width, height, pixels).expect("a picture")
    }
}

impl Held {
    fn new(card: u8, answer: Answer, at: (f64, f64), conditions: &Conditions, chance: &mut Chance) -> Self {
        let mut angle = |most: f64| chance.between(-most, most).to_radians();
        let (yaw, pitch, roll) = (angle(conditions.tilt), angle(conditions.tilt), angle(conditions.roll));
        let roll = roll - (answer as u32 as f64) * std::f64::consts::FRAC_PI_2;
        // The card's axes in the room: x to the right, y down, z away.
        let (sr, cr, sy, cy, sp, cp) = (roll.sin(), roll.cos(), yaw.sin(), yaw.cos(), pitch.sin(), pitch.cos());
        let turned = |x: f64, y: f64| {
            let (x, y) = (cr * x - sr * y, sr * x + cr * y);
            let (x, z) = (cy * x, sy * x);
            [x, cp * y - sp * z, sp * y + cp * z]
        };
        let meters = border() / 7.0;
        let (a, b) = (turned(meters, 0.0), turned(0.0, meters));
        let f = focal();
        let d = conditions.distance;
        // From modules to the picture, relative to the center; then inverted.
        let map = inverse([[f * a[0], f * b[0], 0.0], [f * a[1], f * b[1], 0.0], [a[2], b[2], d]]);
        Self { card, answer, modules: modules(card), at, map, reach: conditions.size() }
    }

    fn paint(&self, levels: &mut [f32], at: (f64, f64), way: (f64, f64), (white, black): (f64, f64)) {
        let (width, height) = SIZE;
        let reach = self.reach + way.0.abs() + way.1.abs();
        let rows = (at.1 - reach).max(0.0) as usize..((at.1 + reach).max(0.0) as usize).min(height);
        let columns = (at.0 - reach).max(0.0) as usize..((at.0 + reach).max(0.0) as usize).min(width);
        for y in rows {
            for x in columns.clone() {
                let (mut sum, mut covered) = (0.0, 0.0);
                for i in 0..SAMPLES * SAMPLES {
                    let part = |n: usize| (n as f64 + 0.5) / SAMPLES as f64 - 0.5;
                    let moved = i as f64 / (SAMPLES * SAMPLES - 1) as f64 - 0.5;
                    let (u, v) = (
                        x as f64 + part(i % SAMPLES) - at.0 + moved * way.0,
                        y as f64 + part(i / SAMPLES) - at.1 + moved * way.1,
                    );
                    let [a, b, w] = self.map.map(|row| row[0] * u + row[1] * v + row[2]);
                    let (column, row) = (a / w + MODULES / 2.0, b / w + MODULES / 2.0);
                    if (0.0..MODULES).contains(&column) && (0.0..MODULES).contains(&row) {
                        covered += 1.0;
                        let module = |n: f64| (n - MARGIN).floor();
                        let (c, r) = (module(column), module(row));
                        let is_code = (0.0..7.0).contains(&c) && (0.0..7.0).contains(&r);
                        sum += if is_code && self.modules[r as usize * 7 + c as usize] { black } else { white };
                    }
                }
                let part = covered / (SAMPLES * SAMPLES) as f64;
                let level = &mut levels[y * width + x];
                *level = (f64::from(*level) * (1.0 - part) + sum / (SAMPLES * SAMPLES) as f64) as f32;
            }
        }
    }
}

/// Which modules of a card are black, as its drawing says.
fn modules(card: u8) -> Vec<bool> {
    let svg = svg(card).expect("a card");
    let path = svg.split("<path d=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
    let mut black = vec![false; 49];
    for run in path.split('M').skip(1) {
        let numbers: Vec<f64> = run.split(['h', 'v', ' ', 'z', '-']).filter_map(|n| n.parse().ok()).collect();
        let (column, row) = ((numbers[0] - MARGIN).round() as usize, (numbers[1] - MARGIN).round() as usize);
        (0..numbers[2] as usize).for_each(|i| black[row * 7 + column + i] = true);
    }
    black
}

fn inverse(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |r: usize, c: usize| {
        let (a, b, d, e) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[a][d] * m[b][e] - m[a][e] * m[b][d]
    };
    let whole: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / whole))
}

/// Gaussian, in two passes.
fn blurred(levels: &mut [f32], deviation: f64) {
    let (width, height) = (SIZE.0 as isize, SIZE.1 as isize);
    let reach = (3.0 * deviation).ceil() as isize;
    let weight = |i: isize| (-0.5 * (i as f64 / deviation).powi(2)).exp() as f32;
    let weights: Vec<f32> = (-reach..=reach).map(weight).collect();
    let all: f32 = weights.iter().sum();
    let count = (width * height) as usize;
    for step in [1, width] {
        let from = levels.to_vec();
        levels.fill(0.0);
        for (k, weight) in (-reach..).zip(&weights) {
            // Beyond an edge the picture goes on where it begins, in the row below or above: no card is there.
            let (ahead, behind) = ((k * step).max(0) as usize, (-k * step).max(0) as usize);
            let to = &mut levels[behind..count - ahead];
            to.iter_mut().zip(&from[ahead..]).for_each(|(out, level)| *out += weight / all * level);
        }
    }
}
