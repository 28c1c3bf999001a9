use ringside_core::kernels::workbench::LAPS;
use ringside_shaders::puzzles::{PUZZLES, find};

use super::*;

const FRAME: Frame = Frame { workgroup: [64, 1, 1], buffers: 3, subgroups: false };

fn whole(body: &str) -> String {
    find("guard").expect("a puzzle").whole(body)
}

fn guarded(body: &str) -> Guarded {
    guard(&whole(body), FRAME).unwrap_or_else(|why| panic!("{body}: {why:?}"))
}

fn refused(body: &str) -> String {
    match guard(&whole(body), FRAME) {
        Err(Refused::TooMuch(note)) => note.text,
        other => panic!("{body}: {other:?}"),
    }
}

fn counted(body: &str) -> usize {
    guarded(body).text.matches("atomicStore").count()
}

#[test]
fn what_is_written_is_valid_for_every_puzzle_and_counts_every_loop() {
    for puzzle in PUZZLES {
        let parts = puzzle.frame();
        for body in [parts.start, parts.solution] {
            let text = puzzle.whole(body);
            let frame = Frame::of(puzzle);
            let out = guard(&text, frame).unwrap_or_else(|why| panic!("{}: {why:?}", puzzle.id));
            let loops = body.matches("for (").count() + body.matches("while").count() + body.matches("loop {").count();
            assert_eq!(out.twice.is_some(), loops > 0, "{}", puzzle.id);
            assert_eq!(out.laps, LAPS, "{}", puzzle.id);
            for (text, times) in std::iter::once((&out.text, 1)).chain(out.twice.iter().map(|twice| (twice, 2))) {
                assert_eq!(text.starts_with(SUBGROUPS), puzzle.subgroups(), "{}", puzzle.id);
                let text = &text.replacen(SUBGROUPS, "", 1);
                let module =
                    naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
                valid(&module, frame.known()).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
                assert_eq!(text.matches("atomicStore").count(), times * loops, "{}\n{text}", puzzle.id);
                assert_eq!(module.entry_points.len(), 1);
                assert_eq!(module.entry_points[0].workgroup_size, puzzle.workgroup, "{}", puzzle.id);
            }
        }
    }
}

#[test]
fn every_kind_of_loop_is_counted_and_nothing_else() {
    assert_eq!(counted("for (var i = 0u; i < 3u; i++) { while (true) { break; } } loop { break; }"), 3);
    assert_eq!(counted("// for (;;) { }\n /* while (x) { /* loop { } */ } */ let former = 1;"), 0);
    assert_eq!(counted("f(); }\nfn f() { loop { break; }"), 1);
    assert_eq!(counted("switch id.x { case 1u: { loop { break; } } default: { { loop { break; } } } }"), 2);
    assert_eq!(counted("loop { continuing { loop { break; } break if true; } }"), 2);
    for end in ["\n", "\u{b}", "\u{c}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"] {
        assert_eq!(counted(&format!("// x{end} loop {{ break; }}")), 1, "{end:?}");
    }
}

#[test]
fn counters_go_wherever_loops_are_and_are_one_for_each() {
    let out = guarded("f(); g(); }\nfn g() { f(); }\nfn f() { loop { break; } loop { break; } ").text;
    let of = |name: &str| {
        let head = out.lines().find(|line| line.contains(&format!("fn {name}("))).unwrap_or_default();
        head.matches("ptr<function, u32>").count()
    };
    assert_eq!(["f", "g", "kernel", "main"].map(of), [2, 2, 2, 0], "{out}");
    assert_eq!(out.matches("var laps").count(), 2, "{out}");
    assert!(out.contains("workgroupUniformLoad"), "{out}");
    assert!(!guarded("out[0] = 1.0;").text.contains("workgroupUniformLoad"));
}

#[test]
fn more_loops_may_take_fewer_laps_and_long_laps_count_for_several() {
    let loops = |n: usize| guarded(&"loop { break; }".repeat(n)).laps;
    assert_eq!([loops(1), loops(4), loops(8), loops(16)], [LAPS, LAPS, LAPS, LAPS / 2]);
    assert!(refused(&"loop { break; }".repeat(17)).contains("17 loops"));
    let long = guarded(&format!("loop {{ {} break; }}", "out[0] += 1.0;".repeat(200))).text;
    assert!((3..9).any(|weight| long.contains(&format!("+ {weight}u)"))), "{long}");
}

#[test]
fn what_no_lap_bounds_is_refused_with_a_sentence() {
    // Two calls in each of forty functions are 2^40 of the last.
    let tower: String = (0..40).map(|n| format!("fn call{n}() {{ call{}(); call{}(); }}\n", n + 1, n + 1)).collect();
    assert!(refused(&format!("call0(); }}\n{tower}fn call40() {{ out[0] += 1.0; ")).contains("every call written out"));
    assert!(refused(&"out[0] += 1.0;".repeat(2000)).contains("every call written out"));
    assert!(refused(&" ".repeat(1 << 15)).contains("bytes"));
    let beside = |more: &str| refused(&format!("out[0] = 1.0; }}\n{more}\nfn last() {{ "));
    assert!(beside("@compute @workgroup_size(1024) fn other() { }").contains("Only main is run"));
    assert!(beside("@group(0) @binding(3) var<storage, read_write> flag: atomic<u32>;").contains("Nothing is bound"));
    assert!(beside("@group(0) @binding(4) var<uniform> base: vec4<u32>;").contains("Nothing is bound"));
    assert!(beside("@group(1) @binding(0) var<storage> other: array<f32>;").contains("@group(1) @binding(0)"));
    assert!(beside("@group(0) @binding(1) var<storage, read_write> again: array<f32>;").contains("second name"));
    assert!(beside("var<workgroup> giant: array<f32, 100000000>;").contains("400,000,000 bytes"));
    assert!(beside("var<private> giant: array<f32, 4096>;").contains("16,384 bytes"));
    assert!(beside("override n: u32;").contains("override"));
    assert!(refused("var x = array<f32, 4096>(); out[0] = x[id.x];").contains("bytes"));
    assert!(refused("let x = array<f32, 100000>(); out[0] = x[id.x];").contains("copied"));
}

#[test]
fn a_giant_workgroup_is_refused() {
    for (size, said) in [("1024", "1,024 invocations"), ("65535, 65535, 64", "invocations"), ("32", "started with 64")]
    {
        let text = format!("@compute @workgroup_size({size}) fn main() {{ }}");
        match guard(&text, FRAME) {
            Err(Refused::TooMuch(note)) => assert!(note.text.contains(said), "{note:?}"),
            // naga has a limit of its own.
            Err(Refused::Invalid(note)) => assert!(note.text.contains("orkgroup"), "{note:?}"),
            Ok(out) => panic!("{out:?}"),
        }
    }
}

#[test]
fn what_is_no_wgsl_is_refused_where_it_is_wrong() {
    let place = |body: &str| match guard(&whole(body), FRAME) {
        Err(Refused::Invalid(note)) => (note.line, note.column),
        other => panic!("{body}: {other:?}"),
    };
    let first = whole("@").split('@').count();
    assert!(first > 0);
    let line = whole("\n").lines().count() as u32;
    assert_eq!(place("  let i = id.x;\n  /* größer */ out[i] = b[i];").1, 25);
    for body in ["f(); }\nfn f() { g(); }\nfn g() { f();", "main(vec3u(1u));", "f(); }\nfn f() { f();"] {
        assert!(place(body).0 <= line + 3, "recursion: {body}");
    }
    for body in [
        "{",
        "}}}",
        "for",
        "loop {",
        "/* /*",
        "é for ü {",
        "fn for { loop }",
        "let x = ;",
        "discard;",
        "const c = 1u / 0u;",
        "const c = array<u32, 4>()[9];",
        "const_assert false;",
        "enable f16;",
    ] {
        place(body);
    }
    let deep = ["(", ")"].map(|bracket| bracket.repeat(5000));
    place(&format!("let x = {}1{};", deep[0], deep[1]));
    place(&format!("{}{}", "{".repeat(5000), "}".repeat(5000)));
    place(&format!("let x = {}1;", "-".repeat(5000)));
}
