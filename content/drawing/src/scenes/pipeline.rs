//! Where the blocks of a pipeline’s step lie in a drawing, in pixels: the same for SVG and canvas.

use ringside_core::pipeline::{Kind, Timeline};

use crate::timeline::Axis;

/// The heights of a row, in pixels: a row for each device.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rows {
    /// How many there are.
    pub devices: u32,
    /// From row to row.
    pub row: f64,
    /// A block.
    pub block: f64,
    /// What the device keeps, under its blocks; 0 where rows are too many for it.
    pub band: f64,
}

impl Rows {
    /// Those of a timeline, one of which there are `all` on show: several share the height that one would have.
    pub fn of(devices: u32, all: u32) -> Self {
        let (row, block, band) = match all {
            0..=4 => (46.0, 28.0, 12.0),
            5..=8 => (38.0, 24.0, 9.0),
            9..=16 => (26.0, 16.0, 6.0),
            17..=32 => (16.0, 14.0, 0.0),
            _ => (8.0, 7.0, 0.0),
        };
        Self { devices, row, block, band }
    }

    /// That of all of them.
    pub fn height(self) -> f64 {
        self.row * f64::from(self.devices)
    }

    /// The top of a device's blocks.
    pub fn y(self, device: u32) -> f64 {
        self.row * f64::from(device)
    }

    /// The device at a height.
    pub fn device(self, y: f64) -> u32 {
        ((y / self.row).max(0.0) as u32).min(self.devices.saturating_sub(1))
    }
}

/// A rectangle to be drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its left edge, in pixels.
    pub x: f64,
    /// Its top, in pixels.
    pub y: f64,
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    /// Its colour: that of a kind of work, as [`shade`] numbers them, or 3 for what is kept.
    pub shade: usize,
    /// The chunk of its device.
    pub chunk: u32,
    /// Whether it stands back.
    pub dim: bool,
    /// The micro-batch, where it can be written into it.
    pub text: Option<u32>,
}

/// The number of a kind of work’s colour.
pub fn shade(kind: Kind) -> usize {
    match kind {
        Kind::Forward => 0,
        Kind::Backward | Kind::Input => 1,
        Kind::Weight => 2,
    }
}

/// Blocks narrower than this, in pixels, are drawn together; each kind has the share of a row’s length that it has of its time.
const NARROW: f64 = 2.0;
/// A figure of a label at the largest size of labels, in pixels.
const FIGURE: f64 = 8.5;

/// Blocks too narrow to be drawn each, gathered until they can be seen.
#[derive(Default)]
struct Gathered {
    from: f64,
    to: f64,
    shades: [f64; 3],
    stands_out: bool,
}

/// The blocks that are seen, left to right, row by row. Those that are not on the `path` stand back, if there is one.
pub fn blocks(timeline: &Timeline, path: &[bool], axis: Axis, rows: Rows) -> Vec<Piece> {
    let devices = timeline.fleet.devices.max(1);
    let all = path.is_empty();
    // Divided once, and not for each of a quarter of a million blocks.
    let scale = axis.scale();
    let place = |time: f64| (time - axis.from) * scale;
    let mut pieces = Vec::new();
    for device in 0..timeline.fleet.devices {
        let y = rows.y(device);
        // What the row still owes to each kind. The longest of each few blocks alone would be a row of one colour.
        let mut owed = [0.0_f64; 3];
        let mut gathered = |g: Gathered| {
            owed.iter_mut().zip(g.shades).for_each(|(owed, length)| *owed += length);
            let shade = [0, 1, 2].into_iter().max_by(|a, b| owed[*a].total_cmp(&owed[*b])).unwrap_or(0);
            let (x, width) = (g.from, g.to - g.from);
            owed[shade] -= width;
            Piece { x, y, width, height: rows.block, shade, chunk: 0, dim: !g.stands_out, text: None }
        };
        let mut narrow: Option<Gathered> = None;
        for i in timeline.between(device, axis.from, axis.to) {
            let block = &timeline.blocks[i];
            let (x, end) = (place(block.start).max(-2.0), place(block.end).min(axis.width + 2.0));
            let stands_out = all || path.get(i).copied().unwrap_or(false);
            if end - x < NARROW {
                if narrow.as_ref().is_some_and(|g| x - g.to > NARROW) {
                    pieces.extend(narrow.take().map(&mut gathered));
                }
                let into = narrow.get_or_insert(Gathered { from: x, ..Gathered::default() });
                into.to = end;
                into.shades[shade(block.op.kind)] += end - x;
                into.stands_out |= stands_out;
                if into.to - into.from >= NARROW {
                    pieces.extend(narrow.take().map(&mut gathered));
                }
                continue;
            }
            pieces.extend(narrow.take().map(&mut gathered));
            let figures = block.op.microbatch.checked_ilog10().unwrap_or(0) + 1;
            let fits = end - x >= f64::from(figures) * FIGURE + 5.0 && rows.block >= 14.0;
            pieces.push(Piece {
                x,
                y,
                width: end - x,
                height: rows.block,
                shade: shade(block.op.kind),
                chunk: block.op.stage / devices,
                dim: !stands_out,
                text: fits.then_some(block.op.microbatch),
            });
        }
        pieces.extend(narrow.map(&mut gathered));
    }
    pieces
}

/// What each device keeps, as rectangles that stand on the foot of its row; `most` micro-batches fill the band.
pub fn kept(timeline: &Timeline, axis: Axis, rows: Rows, most: f64) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    if rows.band <= 0.0 || most <= 0.0 {
        return pieces;
    }
    for device in 0..timeline.fleet.devices {
        let foot = rows.y(device) + rows.block + rows.band + 1.0;
        let steps = timeline.flight(device);
        let row = pieces.len();
        for (i, step) in steps.iter().enumerate() {
            let until = steps.get(i + 1).map_or(step.from, |next| next.from);
            if until <= axis.from || step.from >= axis.to || step.chunks == 0 {
                continue;
            }
            let (x, end) = (axis.x(step.from).max(0.0), axis.x(until).min(axis.width));
            let height = f64::from(step.chunks) / f64::from(timeline.fleet.chunks.max(1)) / most * rows.band;
            // Steps too narrow to be seen: the highest of them.
            let narrow = pieces.len() > row && pieces.last().is_some_and(|last| end - last.x <= NARROW);
            match pieces.last_mut() {
                Some(last) if narrow => {
                    last.width = end - last.x;
                    last.height = last.height.max(height);
                    last.y = foot - last.height;
                }
                _ => {
                    let y = foot - height;
                    pieces.push(Piece { x, y, width: end - x, height, shade: 3, chunk: 0, dim: false, text: None });
                }
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use ringside_core::declare::Model as _;
    use ringside_core::pipeline::{Params, Schedule};

    use super::*;
    use crate::timeline::{CLOSEST, Window};

    fn run(schedule: Schedule, stages: u32, microbatches: u32) -> Timeline {
        Params { stages, microbatches, ..Params::standard() }.timeline(schedule).expect("it runs")
    }

    fn axis(run: &Timeline, window: Window, width: f64) -> Axis {
        let end = run.makespan();
        Axis { from: window.from * end, to: window.to * end, width }
    }

    #[test]
    fn blocks_are_to_scale() {
        let run = run(Schedule::OneForwardOneBackward, 4, 8);
        let rows = Rows::of(4, 4);
        let pieces = blocks(&run, &[], axis(&run, Window::ALL, 330.0), rows);
        assert_eq!(pieces.len(), run.blocks.len());
        // 33 ms in 330 pixels: a forward pass is 10 wide, a backward pass 20, and the first of device 3 begins at 30.
        let first = pieces.iter().find(|p| p.y == rows.y(3)).expect("a row");
        assert!((first.x - 30.0).abs() < 1e-9 && (first.width - 10.0).abs() < 1e-9, "{first:?}");
        assert!(pieces.iter().filter(|p| p.shade == 1).all(|p| (p.width - 20.0).abs() < 1e-9));
    }

    #[test]
    fn however_many_blocks_there_are_no_more_are_drawn_than_can_be_seen() {
        let run = run(Schedule::OneForwardOneBackward, 64, 512);
        let rows = Rows::of(64, 64);
        for window in [Window::ALL, Window::at(0.4, 0.1), Window::at(0.9, CLOSEST)] {
            let axis = axis(&run, window, 1000.0);
            let pieces = blocks(&run, &[], axis, rows);
            assert!(pieces.len() <= 64 * (1000.0 / NARROW) as usize + 128, "{}", pieces.len());
            // All the work that is seen is drawn: the areas agree.
            let drawn: f64 = pieces.iter().map(|p| p.width).sum();
            let worked: f64 = (0..64)
                .flat_map(|d| run.between(d, axis.from, axis.to))
                .map(|i| axis.x(run.blocks[i].end).min(1002.0) - axis.x(run.blocks[i].start).max(-2.0))
                .sum();
            assert!((drawn - worked).abs() <= worked * 0.1, "{window:?}: {drawn} {worked}");
            // A forward pass takes a third of it, in colour too, however narrow it is.
            let forward: f64 = pieces.iter().filter(|p| p.shade == 0).map(|p| p.width).sum();
            assert!((0.25..0.42).contains(&(forward / drawn)), "{window:?}: {forward} of {drawn}");
        }
    }

    #[test]
    fn what_is_kept_stands_on_the_foot_of_its_row() {
        let run = run(Schedule::GPipe, 4, 8);
        let rows = Rows::of(4, 4);
        let pieces = kept(&run, axis(&run, Window::ALL, 990.0), rows, 8.0);
        let highest = pieces.iter().map(|p| p.height).fold(0.0, f64::max);
        assert_eq!(highest, rows.band);
        for piece in pieces {
            let device = rows.device(piece.y);
            assert!(
                (piece.y + piece.height - (rows.y(device) + rows.block + rows.band + 1.0)).abs() < 1e-9,
                "{piece:?}"
            );
        }
    }
}
