//! A kernel as a list of operations on the registers of a warp, every call written out.
//!
//! A register is one 32-bit word per lane; a vector is as many registers in a row. An f16 lives in a register as the f32 of the same
//! value. Control flow is structured: `If`, `Loop`, `Switch` and `Call` open a frame of the warp, and lanes that leave it wait at its
//! end.

use naga::{AtomicFunction, BinaryOperator, CollectiveOperation, MathFunction, SubgroupOperation};

/// The number of a register.
pub(crate) type Slot = u32;

/// What the bits of a word mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F16,
    I32,
    U32,
    Bool,
}

impl Kind {
    pub fn float(self) -> bool {
        matches!(self, Self::F32 | Self::F16)
    }

    /// Bytes in a buffer.
    pub fn bytes(self) -> u32 {
        if self == Self::F16 { 2 } else { 4 }
    }

    /// A word as a person writes it.
    pub fn text(self, bits: u32) -> String {
        match self {
            Self::F32 => format!("{:?}", f32::from_bits(bits)),
            Self::F16 => format!("{}", half::f16::from_f32(f32::from_bits(bits))),
            Self::I32 => (bits as i32).to_string(),
            Self::U32 => bits.to_string(),
            Self::Bool => (bits != 0).to_string(),
        }
    }
}

/// One word of a value in a buffer: its offset in bytes, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub offset: u32,
    pub kind: Kind,
}

/// How many elements an index may choose from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Len {
    Fixed(u32),
    /// Whatever a buffer holds after its first so many bytes.
    Rest {
        buffer: u32,
        from: u32,
    },
}

/// An index and what it counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    pub index: Slot,
    pub signed: bool,
    pub len: Len,
    /// Bytes; in registers, words.
    pub stride: u32,
}

/// Where an address begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// Registers from this on.
    Own(Slot),
    /// A variable of the workgroup, by its number among [`Program::variables`].
    Shared(u32),
    /// A buffer, by its number among [`Program::variables`].
    Buffer(u32),
}

/// An address: an offset and indices.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub root: Root,
    pub offset: u32,
    pub terms: Vec<Term>,
}

/// What an atomic operation does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Atomic {
    Do(AtomicFunction),
    /// Exchange if it is what this register says.
    Compare(Slot),
    Load,
    Store,
}

/// Where lanes read other lanes' values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum From {
    First,
    Lane(Slot),
    Down(Slot),
    Up(Slot),
    Xor(Slot),
    /// The lane of this number in its group of four.
    Quad(Slot),
    /// Its number in its group of four, with these bits turned.
    Swap(u32),
}

/// What is computed of whole vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whole {
    Dot,
    Length,
    Distance,
    Normalize,
    Cross,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Unary {
    Negate,
    Not,
    Complement,
    IsNan,
    IsInf,
}

/// An operation. `n` is how many components it is done on; `sa` and `sb` say that an operand is one component for all.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    /// A line begins.
    Line,
    /// A named value is there from here on.
    Name(u32),
    Move {
        dst: Slot,
        src: Slot,
        n: u32,
    },
    Fill {
        dst: Slot,
        src: Slot,
        n: u32,
    },
    Unary {
        op: Unary,
        kind: Kind,
        dst: Slot,
        a: Slot,
        n: u32,
    },
    Binary {
        op: BinaryOperator,
        kind: Kind,
        dst: Slot,
        a: Slot,
        b: Slot,
        n: u32,
        sa: bool,
        sb: bool,
    },
    Select {
        dst: Slot,
        condition: Slot,
        accept: Slot,
        reject: Slot,
        n: u32,
        one: bool,
    },
    Math {
        fun: MathFunction,
        kind: Kind,
        dst: Slot,
        args: [Slot; 4],
        n: u32,
    },
    Whole {
        fun: Whole,
        kind: Kind,
        dst: Slot,
        a: Slot,
        b: Slot,
        n: u32,
    },
    /// Whether all components of a bool are so, or any.
    Fold {
        all: bool,
        dst: Slot,
        a: Slot,
        n: u32,
    },
    Cast {
        from: Kind,
        to: Kind,
        dst: Slot,
        a: Slot,
        n: u32,
    },
    /// An element of a value, by an index known at run time.
    Extract {
        dst: Slot,
        base: Slot,
        term: Term,
        n: u32,
    },
    Load {
        dst: Slot,
        address: u32,
        shape: u32,
    },
    Store {
        src: Slot,
        address: u32,
        shape: u32,
    },
    LoadOwn {
        dst: Slot,
        address: u32,
        n: u32,
    },
    StoreOwn {
        src: Slot,
        address: u32,
        n: u32,
    },
    Atomic {
        fun: Atomic,
        kind: Kind,
        dst: Slot,
        value: Slot,
        address: u32,
    },
    Length {
        dst: Slot,
        buffer: u32,
        from: u32,
        stride: u32,
    },
    If {
        condition: Slot,
        orelse: u32,
    },
    Else {
        end: u32,
    },
    EndIf,
    Loop,
    Continuing {
        end: u32,
    },
    BreakIf {
        condition: Slot,
    },
    Again {
        start: u32,
    },
    EndLoop,
    Switch,
    /// Lanes whose selector is among the values begin here; none named means those that no case names.
    Case {
        selector: Slot,
        values: u32,
        falls: bool,
        next: u32,
    },
    EndSwitch,
    Call,
    Return,
    EndCall,
    Break,
    Continue,
    Barrier {
        shared: bool,
        storage: bool,
    },
    Ballot {
        dst: Slot,
        predicate: Option<Slot>,
    },
    Gather {
        from: From,
        dst: Slot,
        a: Slot,
        n: u32,
    },
    Collective {
        op: SubgroupOperation,
        how: CollectiveOperation,
        kind: Kind,
        dst: Slot,
        a: Slot,
        n: u32,
    },
}

impl Op {
    /// Whether it opens or closes what lanes leave and meet at, and so is passed even if no lane is active.
    pub fn steers(&self) -> bool {
        matches!(
            self,
            Self::If { .. }
                | Self::Else { .. }
                | Self::EndIf
                | Self::Loop
                | Self::Continuing { .. }
                | Self::BreakIf { .. }
                | Self::Again { .. }
                | Self::EndLoop
                | Self::Switch
                | Self::Case { .. }
                | Self::EndSwitch
                | Self::Call
                | Self::Return
                | Self::EndCall
                | Self::Break
                | Self::Continue
        )
    }
}

/// A variable in memory.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub name: String,
    /// Its place among the buffers that are bound; none for a variable of the workgroup.
    pub binding: Option<u32>,
    /// Whether all lanes read it through the constant cache, so that it costs no sectors.
    pub uniform: bool,
    /// Bytes; 0 for a buffer that ends where what is bound ends.
    pub bytes: u32,
    /// How its bytes are named.
    pub layout: Layout,
}

/// How bytes of a type are named.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
    Scalar(Kind),
    Vector(Kind, u32),
    /// Of elements so many bytes apart.
    Array(Box<Layout>, u32),
    Struct(Vec<(String, u32, Layout)>),
}

impl Layout {
    /// What stands at an offset, as it is written after the variable's name.
    pub fn name(&self, offset: u32) -> String {
        match self {
            Self::Scalar(_) => String::new(),
            Self::Vector(kind, size) => {
                let component = offset / kind.bytes();
                let letter = ["x", "y", "z", "w"].get(component.min(size.saturating_sub(1)) as usize);
                letter.map(|letter| format!(".{letter}")).unwrap_or_default()
            }
            Self::Array(element, stride) => {
                let stride = (*stride).max(1);
                format!("[{}]{}", offset / stride, element.name(offset % stride))
            }
            Self::Struct(members) => {
                let member = members.iter().rev().find(|(_, at, _)| *at <= offset);
                member.map(|(name, at, layout)| format!(".{name}{}", layout.name(offset - at))).unwrap_or_default()
            }
        }
    }

    /// Where the array begins that is as long as its buffer, and how far apart its elements are.
    pub fn rest(&self) -> Option<(u32, u32)> {
        match self {
            Self::Array(_, stride) => Some((0, *stride)),
            Self::Struct(members) => members.last().and_then(|(_, at, layout)| {
                let (from, stride) = layout.rest()?;
                Some((at + from, stride))
            }),
            _ => None,
        }
    }

    /// What the word at an offset is.
    pub fn kind(&self, offset: u32) -> Kind {
        match self {
            Self::Scalar(kind) | Self::Vector(kind, _) => *kind,
            Self::Array(element, stride) => element.kind(offset % (*stride).max(1)),
            Self::Struct(members) => {
                let member = members.iter().rev().find(|(_, at, _)| *at <= offset);
                member.map_or(Kind::U32, |(_, at, layout)| layout.kind(offset - at))
            }
        }
    }

    /// Whether a value begins at an offset, and not what fills up to the next.
    pub fn holds(&self, offset: u32) -> bool {
        match self {
            Self::Scalar(kind) => offset < kind.bytes(),
            Self::Vector(kind, size) => offset < size * kind.bytes(),
            Self::Array(element, stride) => element.holds(offset % (*stride).max(1)),
            Self::Struct(members) => {
                let member = members.iter().rev().find(|(_, at, _)| *at <= offset);
                member.is_some_and(|(_, at, layout)| layout.holds(offset - at))
            }
        }
    }

    /// Bytes from one row of a table of it to the next: an inner array, or sixteen elements.
    pub fn row(&self) -> u32 {
        match self {
            Self::Array(element, stride) => match element.as_ref() {
                Self::Array(..) => *stride,
                _ => 16 * stride,
            },
            _ => 64,
        }
    }
}

/// A named value: what a learner called it, and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub name: String,
    /// The function it stands in, by the order in which calls were written out; 0 is the entry point.
    pub scope: u32,
    pub slot: Slot,
    pub kinds: Vec<Kind>,
}

/// What the lanes of a warp are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Global,
    Local,
    Index,
    Group,
    Groups,
    Size,
    SubgroupSize,
    SubgroupLane,
    SubgroupId,
    Subgroups,
}

/// A kernel that can be run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub ops: Vec<Op>,
    /// The line of each, from 1; 0 if it has none.
    pub lines: Vec<u32>,
    /// The function that each stands in, as for [`Named::scope`].
    pub scopes: Vec<u32>,
    pub addresses: Vec<Address>,
    pub shapes: Vec<Vec<Leaf>>,
    pub cases: Vec<Vec<u32>>,
    pub variables: Vec<Variable>,
    pub named: Vec<Named>,
    pub told: Vec<(Told, Slot)>,
    /// Registers with values that never change.
    pub constants: Vec<(Slot, u32)>,
    pub slots: u32,
    pub workgroup: [u32; 3],
    /// Bytes of all variables of the workgroup.
    pub shared_bytes: u32,
    /// The most registers with a value that is still needed, at any place.
    pub live: u32,
}

impl Layout {
    /// Whether there are halves in it.
    pub fn halves(&self) -> bool {
        match self {
            Self::Scalar(kind) | Self::Vector(kind, _) => *kind == Kind::F16,
            Self::Array(element, _) => element.halves(),
            Self::Struct(members) => members.iter().any(|(_, _, layout)| layout.halves()),
        }
    }
}
