//! How many registers hold a value that is still needed: what a compiler would need at least.

use crate::program::{Atomic, From, Op, Program, Root, Slot};

/// Runs of registers that an operation names.
fn named(program: &Program, op: &Op, mut f: impl FnMut(Slot, u32)) {
    let address = |at: u32, f: &mut dyn FnMut(Slot, u32)| {
        let Some(address) = program.addresses.get(at as usize) else { return };
        if let Root::Own(slot) = address.root {
            f(slot, 1);
        }
        address.terms.iter().for_each(|term| f(term.index, 1));
    };
    match *op {
        Op::Move { dst, src, n } => [dst, src].into_iter().for_each(|slot| f(slot, n)),
        Op::Fill { dst, src, n } => {
            f(dst, n);
            f(src, 1);
        }
        Op::Unary { dst, a, n, .. } | Op::Cast { dst, a, n, .. } | Op::Collective { dst, a, n, .. } => {
            [dst, a].into_iter().for_each(|slot| f(slot, n));
        }
        Op::Binary { dst, a, b, n, sa, sb, .. } => {
            f(dst, n);
            f(a, if sa { 1 } else { n });
            f(b, if sb { 1 } else { n });
        }
        Op::Select { dst, condition, accept, reject, n, one } => {
            [dst, accept, reject].into_iter().for_each(|slot| f(slot, n));
            f(condition, if one { 1 } else { n });
        }
        Op::Math { dst, args, n, .. } => std::iter::once(dst).chain(args).for_each(|slot| f(slot, n)),
        Op::Whole { dst, a, b, n, .. } => {
            f(dst, 1);
            [a, b].into_iter().for_each(|slot| f(slot, n));
        }
        Op::Fold { dst, a, n, .. } => {
            f(dst, 1);
            f(a, n);
        }
        Op::Extract { dst, base, ref term, n } => {
            f(dst, n);
            f(base, n);
            f(term.index, 1);
        }
        Op::Load { dst, address: at, shape } | Op::Store { src: dst, address: at, shape } => {
            f(dst, program.shapes.get(shape as usize).map_or(1, |shape| shape.len() as u32));
            address(at, &mut f);
        }
        Op::LoadOwn { dst, address: at, n } | Op::StoreOwn { src: dst, address: at, n } => {
            f(dst, n);
            address(at, &mut f);
        }
        Op::Atomic { fun, dst, value, address: at, .. } => {
            [dst, value].into_iter().for_each(|slot| f(slot, 1));
            if let Atomic::Compare(slot) = fun {
                f(slot, 1);
            }
            address(at, &mut f);
        }
        Op::Length { dst, .. } => f(dst, 1),
        Op::If { condition, .. } | Op::BreakIf { condition } => f(condition, 1),
        Op::Case { selector, .. } => f(selector, 1),
        Op::Ballot { dst, predicate } => {
            f(dst, 4);
            predicate.into_iter().for_each(|slot| f(slot, 1));
        }
        Op::Gather { from, dst, a, n } => {
            [dst, a].into_iter().for_each(|slot| f(slot, n));
            match from {
                From::Lane(slot) | From::Down(slot) | From::Up(slot) | From::Xor(slot) | From::Quad(slot) => f(slot, 1),
                From::First | From::Swap(_) => {}
            }
        }
        _ => {}
    }
}

/// The most at any place. What is needed in a loop and was there before it stays to the end of the loop.
pub(crate) fn most(program: &Program) -> u32 {
    let none = (usize::MAX, 0);
    let mut spans = vec![none; program.slots as usize];
    for (at, op) in program.ops.iter().enumerate() {
        named(program, op, |slot, n| {
            for span in spans.iter_mut().skip(slot as usize).take(n as usize) {
                *span = (span.0.min(at), span.1.max(at));
            }
        });
    }
    for (slot, _) in &program.constants {
        if let Some(span) = spans.get_mut(*slot as usize) {
            *span = none;
        }
    }
    for (_, slot) in &program.told {
        if let Some(span) = spans.get_mut(*slot as usize).filter(|span| **span != none) {
            span.0 = 0;
        }
    }
    // Inner loops end first.
    let mut open = Vec::new();
    for (at, op) in program.ops.iter().enumerate() {
        match op {
            Op::Loop => open.push(at),
            Op::EndLoop => {
                let from = open.pop().unwrap_or(0);
                for span in spans.iter_mut().filter(|span| span.0 < from && span.1 > from && span.1 < at) {
                    span.1 = at;
                }
            }
            _ => {}
        }
    }
    let mut change = vec![0_i64; program.ops.len() + 1];
    for (from, to) in spans.into_iter().filter(|span| *span != none && span.0 < span.1) {
        change[from] += 1;
        change[to] -= 1;
    }
    let mut now = 0;
    change
        .into_iter()
        .map(|by| {
            now += by;
            now
        })
        .max()
        .map_or(0, |most| most.max(0) as u32)
}
