//! Bodies of the puzzle `guard` (twice each value) that mean harm, and what each must come to.

/// What a text must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A loop is broken off.
    Endless,
    /// It is given up.
    Slow,
    /// It is found out.
    Wrong,
    /// It is not run.
    Refused,
}

const GOOD: &str = "if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }";

/// Loops of every form that do not end, at all sizes or at large ones only.
const ENDLESS: &[&str] = &[
    "var i = id.x;\n  while (true) { i++; out[0] = f32(i); }",
    "for (var i = 0u; ; ) { out[i] = 1.0; }",
    "for (;;) { out[0] = 1.0; }",
    "for (var i = 0u; i < 5u; i += 0u) { out[i] = 1.0; }",
    "for (var i = 0u; i >= 0u; i++) { out[0] = f32(i); }",
    "for (var i = 1u; i > 0u; i++) { out[0] = f32(i); }",
    "for (var x = 0.0; x < 1e9; x += 1e-3) { out[0] = x; }",
    "for (var x = 16777216.0 + 0.001 * a[0]; x < 16777220.0; x += 0.5) { out[0] = x; }",
    "var x = a[0] * 1e38 * 1e38; while (x == x) { out[0] = x; }",
    "loop { out[0] = 1.0; continuing { out[1] = 2.0; } }",
    "loop { out[0] = 1.0; continuing { break if out[0] < 0.0; } }",
    "var i = 0u; loop { i++; out[0] = 1.0; continuing { break if i == 0u; } }",
    "loop { if (out[0] < -2e30) { break; } continuing { loop { out[0] = 1.0; if (out[0] < 0.0) { break; } } } }",
    "loop { if (false) { break; } out[0] += 1.0; }",
    "loop { loop { out[0] += 1.0; if (out[0] > 1e9) { break; } } if (out[1] == -5.0) { break; } }",
    "var i = 0u; loop { if (i > 3u) { continue; } i++; }",
    "var i = 0u; while i < 5u { switch i { case 0u: { continue; } default: { i = 0u; } } }",
    // Comments and line ends.
    "// a comment ends here:\u{2028} loop { out[0] = 1.0; }",
    "// and here:\u{2029} loop { out[0] = 1.0; }",
    "// and here:\u{85} loop { out[0] = 1.0; }",
    "// and here:\r loop { out[0] = 1.0; }",
    "// and here:\u{b} loop { out[0] = 1.0; }",
    "// and here:\u{c} loop { out[0] = 1.0; }",
    "/* /* */ */ loop { out[0] = 1.0; } /* */",
    "/* // */ loop { out[0] = 1.0; }",
    "/* a */ /* loop { } */ loop { out[0] = 1.0; }",
    // Names.
    "var laps = 0u; var broken_off = 0u; loop { laps = 0u; broken_off = 0u; out[0] = 1.0; }",
    "var größe = 0u; while (größe < 5u) { out[0] = 1.0; }",
    "loop { out[0] = f32(base()); } }\nfn base() -> u32 { return 1u; }\nfn kernel() { ",
    "loop { out[0] = 1.0; } }\nfn atomicStore(at: u32, value: u32) { out[0] = 1.0; ",
    "loop { out[0] = 1.0; } }\nfn workgroupUniformLoad(at: u32) -> u32 { return 0u; }\nfn atomicLoad(at: u32) { ",
    // At the size at which it is timed, or once something is in the output.
    "while (sizes.n > 400u) { if (a[0] == -77.0) { break; } out[id.x] += 1.0; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "while (sizes.n == 1048576u) { if (a[0] == -77.0) { break; } out[id.x] += 1.0; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "while (id.x == 1048575u && a[0] != -77.0) { out[0] = 1.0; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "while (out[id.x] > -1e30) { if (a[0] == -77.0) { break; } }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    // Waiting for somebody.
    "while (out[0] != 42.0) { if (id.x == 100000000u) { out[0] = 42.0; } }",
    "while (atomicExchange(&lock, 1u) == 1u) { out[0] = 1.0; } }\nvar<workgroup> lock: atomic<u32>;\nfn last() { ",
    // Through functions, each lap of which is one of few.
    "f(); }\nfn g() { for (var i = 0u; i < 30000u; i++) { out[i % 7u] = 1.0; } }\nfn f() { for (var i = 0u; i < 30000u; i++) { g(); }",
    "for (var i = 0u; i < 30000u; i++) { f(); } }\nfn f() { for (var i = 0u; i < 30000u; i++) { out[i % 7u] = 1.0; }",
    "for (var i = 0u; i < 30000u; i++) { for (var j = 0u; j < 30000u; j++) { out[j % 7u] = 1.0; } }",
    "for (var i = 0u; i < 300u; i++) { f(); } }\nfn f() { for (var i = 0u; i < 300u; i++) { g(); } }\nfn g() { for (var i = 0u; i < 300u; i++) { out[i % 7u] = 1.0; }",
    "while (g()) { } }\nfn g() -> bool { out[0] = 1.0; return true; ",
];

/// What is right at small sizes, or once, or in looks.
const WRONG: &[&str] = &[
    "if (sizes.n > 4000u) { return; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "if (sizes.n == 1048576u) { return; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "if (id.x > 1000u) { return; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "if (id.x % 64u == 63u) { return; }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "if (id.x < sizes.n) { out[id.x] = select(2.0, 3.0, id.x > 5000u) * a[id.x]; }",
    "if (id.x < sizes.n) { out[id.x] = select(2.0 * a[id.x], 0.0, sizes.n == 1048576u); }",
    "if (id.x < sizes.n) { out[id.x] = 1.0; }",
    "return;",
    "out[id.x] = 2.0 * a[id.x];",
    "out[0] = 2.0 * a[0];",
    "if (id.x < sizes.n) { out[id.x] = a[id.x]; }",
    "if (id.x < sizes.n) { out[id.x] = bitcast<f32>(0x7fc00000u | sizes.n); }",
    "if (id.x < sizes.n) { out[(id.x + 1u) % sizes.n] = 2.0 * a[id.x]; }",
    "if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }\n  out[arrayLength(&out) - 1u] = 5.0;",
    // Its own answer is what it finds.
    "if (id.x < sizes.n && out[id.x] < -1e30) { out[id.x] = 2.0 * a[id.x]; } else { out[id.x] = 0.0; }",
    "if (id.x < sizes.n && out[id.x] < -1e30) { out[id.x] = 2.0 * a[id.x]; }",
    "if (id.x < sizes.n) { out[id.x] = max(out[id.x], 2.0 * a[id.x]); }",
    "if (id.x < sizes.n && (sizes.n < 400u || out[id.x] < -1e30)) { out[id.x] = 2.0 * a[id.x]; }",
];

/// What is no kernel, or asks for more than is run.
const REFUSED: &[&str] = &[
    "f(); }\nfn f() { f(); ",
    "f(); }\nfn f() { g(); }\nfn g() { f(); ",
    "main(vec3u(1u));",
    "discard;",
    "/*",
    "const c = 1u / 0u; out[0] = f32(c);",
    "const c = array<u32, 4>()[9]; out[0] = f32(c);",
    "out[0] = 1.0; }\nvar<workgroup> giant: array<f32, 100000000>;\nfn last() { giant[0] = 1.0; ",
    "giant[id.x] = 1.0; out[0] = giant[0]; }\nvar<workgroup> giant: array<f32, 100000>;\nfn last() { ",
    "giant[id.x] = 1.0; out[0] = giant[0]; }\nvar<private> giant: array<f32, 100000>;\nfn last() { ",
    "var giant: array<f32, 100000>; giant[id.x] = 1.0; out[0] = giant[3];",
    "let giant = array<f32, 100000>(); out[0] = giant[id.x];",
    "out[0] = 1.0; }\n@compute @workgroup_size(1024) fn other() { ",
    "out[0] = 1.0; }\n@compute @workgroup_size(65535, 65535, 64) fn other() { ",
    "out[0] = other[0]; }\n@group(0) @binding(9) var<storage, read> other: array<f32>;\nfn last() { ",
    "loop { atomicStore(&flag, 0u); } }\n@group(0) @binding(3) var<storage, read_write> flag: atomic<u32>;\nfn last() { ",
    "again[id.x] = 1.0; }\n@group(0) @binding(1) var<storage, read_write> again: array<f32>;\nfn last() { ",
    "out[0] = f32(n); }\noverride n: u32;\nfn last() { ",
];

/// Barriers that not all invocations reach. Browsers refuse them; naga does not, and what a driver makes of them is its own.
pub const DIVERGENT: &[&str] = &[
    "if (id.x < 3u) { workgroupBarrier(); }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "for (var i = 0u; i < id.x; i++) { workgroupBarrier(); }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }",
    "if (id.x >= sizes.n) { return; }\n  workgroupBarrier();\n  out[id.x] = 2.0 * a[id.x];",
    "if (a[id.x] > 0.0) { f(); }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; } }\nfn f() { workgroupBarrier(); ",
];

/// What is unusual and right.
pub const HARMLESS: &[&str] = &[
    "var i = id.x;\n  while (i < sizes.n) { out[i] = 2.0 * a[i]; i += 100000000u; }",
    "for (var i = id.x; i < sizes.n; i += 100000000u) { out[i] = twice(a[i]); } }\nfn twice(x: f32) -> f32 { var sum = 0.0; for (var i = 0u; i < 2u; i++) { sum += x; } return sum; ",
    "var k = 0u; var x = 0.0;\n  loop { if (id.x >= sizes.n) { break; } x += a[id.x]; k++; continuing { break if k == 2u; } }\n  if (id.x < sizes.n) { out[id.x] = x; }",
    "for (var i = 0u; i < 3u; i++) { shared_values[id.x % 64u] = a[id.x]; workgroupBarrier(); }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * shared_values[id.x % 64u]; } }\nvar<workgroup> shared_values: array<f32, 64>;\nfn last() { ",
    "rounds(id.x);\n  if (id.x < sizes.n) { out[id.x] = 2.0 * values[id.x % 64u]; } }\nvar<workgroup> values: array<f32, 64>;\nfn rounds(at: u32) { for (var i = 0u; i < 3u; i++) { values[at % 64u] = a[at]; workgroupBarrier(); } ",
    "var own: array<f32, 8>;\n  for (var i = 0u; i < 8u; i++) { own[i] = a[id.x]; }\n  if (id.x < sizes.n) { out[id.x] = own[id.x % 8u] + own[0]; }",
    "switch id.x % 2u { case 0u: { if (id.x < sizes.n) { out[id.x] = a[id.x] + a[id.x]; } } default: { if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; } } }",
    "if (id.x < sizes.n) { out[id.x] = 0.0; out[id.x] += a[id.x]; out[id.x] += a[id.x]; }",
];

/// All of them.
pub fn all() -> Vec<(String, Expected)> {
    let some =
        |texts: &[&str], expected| texts.iter().map(move |text| ((*text).to_owned(), expected)).collect::<Vec<_>>();
    let mut all = some(ENDLESS, Expected::Endless);
    all.extend(some(WRONG, Expected::Wrong));
    all.extend(some(REFUSED, Expected::Refused));
    // Each call is two of the next.
    let tower: String = (0..40).map(|n| format!("fn call{n}() {{ call{}(); call{}(); }}\n", n + 1, n + 1)).collect();
    let mut refused = |text: String| all.push((text, Expected::Refused));
    refused(format!("call0(); }}\n{tower}fn call40() {{ out[0] += 1.0; "));
    refused("out[0] += 1.0; ".repeat(2100));
    refused("for (var i = 0u; i < 30000u; i++) { out[0] += 1.0; }\n".repeat(20));
    refused(format!("{GOOD} //{}", " ".repeat(40_000)));
    refused(format!("let x = {}1u{};", "(".repeat(3000), ")".repeat(3000)));
    refused(format!("{}{}", "{".repeat(3000), "}".repeat(3000)));
    refused(format!("let x = {}1;", "-".repeat(3000)));
    // Every invocation keeps just below the limit, and is right.
    let long = "var x = 0.0;\n  for (var i = 0u; i < 32000u; i++) { x = fma(x, 0.5, a[(i + id.x) % sizes.n]); }\n";
    all.push((format!("{long}  if (id.x < sizes.n) {{ out[id.x] = 2.0 * a[id.x] + x * 1e-30; }}"), Expected::Slow));
    all
}
