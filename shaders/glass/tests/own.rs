//! A learner's own text: what it needs is read from it, the first run works without a word, and what is wrong is said where it is.

use ringside_core::kernels::glass::{Declared, Fill, FindingKind, Opened, Source};
use ringside_core::query::Query;
use ringside_glass::{declare, open};
use ringside_shaders::puzzles;

const SCALE: &str = "struct Sizes { n: u32, alpha: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(1) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(7) var<uniform> sizes: Sizes;
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < sizes.n) { out[id.x] = sizes.alpha * a[id.x]; }
}
";

/// Three ways to use what WebGPU offers: a histogram, a product with sizes in its buffers, and an override that everything hangs on.
const COUNTS: &str = "@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 16>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&data)) { atomicAdd(&bins[data[id.x] % 16u], 1u); }
}
";
const PRODUCT: &str = "struct Matrix { size: vec2f, values: array<f32> }
@group(0) @binding(0) var<storage, read> a: Matrix;
@group(0) @binding(1) var<storage, read> b: Matrix;
@group(0) @binding(2) var<storage, read_write> c: Matrix;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= u32(a.size.x) || id.y >= u32(b.size.y)) { return; }
  if (all(id.xy == vec2u(0))) { c.size = vec2(a.size.x, b.size.y); }
  var sum = 0.0;
  for (var i = 0u; i < u32(a.size.y); i++) {
    sum += a.values[i + id.x * u32(a.size.y)] * b.values[id.y + i * u32(b.size.y)];
  }
  c.values[id.y + id.x * u32(b.size.y)] = sum;
}
";
const OVERRIDE: &str = "@id(3) override SIZE: u32 = 32u; override TWICE: u32 = 2u * SIZE;
override scale: f32;
var<workgroup> part: array<f32, SIZE>;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
  part[i] = data[group.x * SIZE + i];
  workgroupBarrier();
  data[group.x * SIZE + i] = scale * part[SIZE - 1u - i] + f32(TWICE);
}
";

fn given(pairs: &[(&str, &str)]) -> String {
    Query::new(pairs.iter().copied()).to_string()
}

fn run(text: &str, given: &str) -> Opened {
    let source = Source::Own { text: text.to_owned(), given: given.to_owned() };
    open(&source, 32).unwrap_or_else(|notes| panic!("{notes:?}\n{text}")).1
}

fn refused(text: &str, given: &str) -> String {
    let declared = declare(text, given);
    assert!(!declared.runs(), "{text}");
    let source = Source::Own { text: text.to_owned(), given: given.to_owned() };
    let notes = open(&source, 32).map(|_| ()).expect_err(text);
    let all = |notes: &[ringside_core::kernels::job::Note]| {
        notes.iter().map(|note| format!("{}: {}", note.line, note.text)).collect::<Vec<_>>().join("\n")
    };
    all(&notes)
}

fn values(opened: &Opened, name: &str) -> Vec<f64> {
    let held = opened.buffers.iter().find(|held| held.name == name).expect("bound");
    held.values.iter().map(|(_, value)| value.parse().expect("a number")).collect()
}

#[test]
fn a_first_run_needs_nothing_typed() {
    for text in [puzzles::OWN, SCALE, COUNTS, PRODUCT, OVERRIDE] {
        let declared = declare(text, "");
        assert!(declared.runs() && declared.cautions.is_empty(), "{declared:?}");
        for width in [16, 32, 64] {
            let source = Source::Own { text: text.to_owned(), given: String::new() };
            let (_, opened) = open(&source, width).expect("it runs");
            assert_eq!((opened.findings, opened.stopped), (vec![], None), "{text}");
            assert!(opened.counts.stores + opened.counts.atomics > 0, "{text}");
        }
    }
}

#[test]
fn the_text_on_the_workbench_races_without_its_barrier() {
    let found = run(&puzzles::OWN.replacen("  workgroupBarrier();\n", "", 1), "").findings;
    assert!(found.iter().all(|f| f.kind == FindingKind::Race) && !found.is_empty(), "{found:?}");
}

#[test]
fn rows_are_read_from_the_text() {
    let Declared { entries, entry, workgroup, groups, needs, .. } = declare(SCALE, "");
    assert_eq!(
        (entries, entry, workgroup, groups),
        (vec!["scale".to_owned()], "scale".to_owned(), [64, 1, 1], [2, 1, 1])
    );
    let said: Vec<_> = needs
        .iter()
        .map(|need| (need.name.as_str(), need.says.as_str(), need.members.as_str(), need.first.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("a", "storage buffer, read-only", "", ""),
            ("out", "storage buffer, read and write", "", ""),
            ("sizes", "uniform buffer", "n: u32, alpha: f32", "128, 1"),
        ]
    );
    let fills: Vec<_> =
        needs.iter().filter_map(|need| need.array.as_ref()).map(|a| (a.length, a.fixed, a.fill)).collect();
    assert_eq!(fills, [(128, false, Fill::Random), (128, false, Fill::Zeros)]);
    let bins = declare(COUNTS, "").needs.remove(1).array.expect("an array");
    assert_eq!((bins.length, bins.fixed, bins.fill), (16, true, Fill::Zeros));
    let names =
        declare(OVERRIDE, "").needs.into_iter().map(|need| (need.name, need.members, need.first)).collect::<Vec<_>>();
    let row = |name: &str, kind: &str, first: &str| (name.to_owned(), kind.to_owned(), first.to_owned());
    assert_eq!(
        names,
        [row("SIZE", "u32", "32u"), row("TWICE", "u32", "2u * SIZE"), row("scale", "f32", "1"), row("data", "", "")]
    );
}

#[test]
fn what_is_given_is_what_it_runs_on() {
    let all = given(&[
        (Declared::GROUPS, "1"),
        ("a.length", "3"),
        ("a.fill", "typed"),
        ("a.typed", "[1, 2.5f, -3]"),
        ("out.length", "4"),
        ("sizes.first", "3 2"),
    ]);
    let opened = run(SCALE, &all);
    assert_eq!(values(&opened, "out"), [2.0, 5.0, -6.0, 0.0]);
    assert!(opened.findings.is_empty() && opened.counts.workgroups == 1 && opened.sizes == "1 × 1 × 1 workgroups");
    // One value beyond the end.
    let opened = run(SCALE, &given(&[("a.length", "127")]));
    assert_eq!(opened.findings.iter().map(|f| (f.kind, f.line)).collect::<Vec<_>>(), [(FindingKind::Bounds, 7)]);
    assert_eq!(values(&run(COUNTS, ""), "bins"), [8.0; 16]);
    let opened = run(
        OVERRIDE,
        &given(&[
            ("SIZE.first", "4"),
            ("scale.first", "10"),
            ("data.fill", "index"),
            ("data.length", "8"),
            (Declared::GROUPS, "2"),
        ]),
    );
    assert_eq!(opened.workgroup, [4, 1, 1]);
    assert_eq!(values(&opened, "data"), [38.0, 28.0, 18.0, 8.0, 78.0, 68.0, 58.0, 48.0]);
    // The listing is what was written.
    assert!(opened.text[0].starts_with("@id(3) override SIZE"));
    let held = run(PRODUCT, "").buffers.pop().expect("three");
    assert_eq!(
        (held.values[0].clone(), held.values[2].0.as_str()),
        ((".size.x".to_owned(), "16.0".to_owned()), ".values[0]")
    );
}

#[test]
fn one_of_several_entry_points_is_run_with_what_it_uses() {
    let text = format!(
        "{SCALE}@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var<storage, read_write> sums: array<f32>;
@compute @workgroup_size(8, 8) fn other(@builtin(global_invocation_id) id: vec3u) {{ sums[id.x + 16 * id.y] = 1.0; }}
@compute @workgroup_size(1) fn third() {{ sums[0] = textureLoad(picture, vec2(0), 0).x; }}"
    );
    let declared = declare(&text, "");
    assert_eq!(
        (declared.entries.as_slice(), declared.entry.as_str(), declared.needs.len()),
        (["scale", "other", "third"].map(String::from).as_slice(), "scale", 3)
    );
    let other = given(&[(Declared::ENTRY, "other")]);
    let declared = declare(&text, &other);
    assert_eq!((declared.groups, declared.needs.len(), declared.needs[0].name.as_str()), ([2, 2, 1], 1, "sums"));
    assert_eq!(run(&text, &other).findings, []);
    let third = refused(&text, &given(&[(Declared::ENTRY, "third")]));
    assert!(third.starts_with("9: picture is a texture, and only buffers can be bound here."), "{third}");
    // Another can still be chosen.
    assert_eq!(declare(&text, &given(&[(Declared::ENTRY, "third")])).entries.len(), 3);
}

#[test]
fn what_nobody_wrote_is_found_when_it_is_read() {
    let opened = run(SCALE, &given(&[("a.fill", "unset")]));
    assert_eq!(opened.findings.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::Uninitialized]);
    assert_eq!(run(SCALE, &given(&[("a.fill", "zeros")])).findings, []);
}

#[test]
fn what_cannot_be_run_says_why_and_where() {
    let fragment = "@fragment fn main() -> @location(0) vec4f { return vec4f(); }";
    for (text, pairs, said) in [
        ("", &[][..], "0: The text has no entry point. Mark a function with @compute @workgroup_size(64)."),
        (fragment, &[], "0: The text has no compute entry point: main is a fragment shader."),
        ("@compute @workgroup_size(64)\nfn main() { out[0] = 1.0; }", &[], "2: "),
        (SCALE, &[("a.length", "0")], "a: A buffer has at least one element."),
        (SCALE, &[("a.length", "many")], "a: “many” isn’t a length. Type a whole number from 0"),
        (
            SCALE,
            &[("a.length", "300000")],
            "a: With a, the buffers take 1,200,000 bytes. At most 1,048,576 are interpreted.",
        ),
        (
            SCALE,
            &[("a.fill", "typed"), ("a.typed", "1, two")],
            "a: “two” isn’t a number. Type numbers separated by commas",
        ),
        (SCALE, &[("sizes.first", "-1, 2")], "sizes: u32 can’t hold −1. Type whole numbers from 0 to 4,294,967,295."),
        (SCALE, &[("sizes.first", "1, 2, 3")], "sizes: You typed 3 values, but sizes has 2. Remove the extra ones."),
        (
            SCALE,
            &[(".groups", "0,1,1")],
            "“0” isn’t a number of workgroups along x. Type a whole number from 1 to 65,535.",
        ),
        (OVERRIDE, &[("SIZE.first", "-4")], "SIZE: “-4” isn’t a value of u32."),
        ("@compute @workgroup_size(2048) fn main() {}", &[], "2048 invocations is not run here. At most 1024 are."),
    ] {
        let all = refused_or_stopped(text, &given(pairs));
        assert!(all.contains(said), "{all}\n{said}");
    }
}

/// What is only known once it is compiled is refused then.
fn refused_or_stopped(text: &str, given: &str) -> String {
    if !declare(text, given).runs() {
        return refused(text, given);
    }
    let source = Source::Own { text: text.to_owned(), given: given.to_owned() };
    open(&source, 32).map(|_| ()).expect_err(text).into_iter().map(|note| note.text).collect()
}

#[test]
fn what_needs_more_than_webgpu_promises_runs_and_says_so() {
    let text = "var<workgroup> part: array<f32, 6000>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(512) fn main(@builtin(local_invocation_index) i: u32) { part[i] = 1.0; out[i] = part[i]; }";
    let cautions = declare(text, given(&[(Declared::GROUPS, "1")]).as_str()).cautions;
    assert_eq!(cautions.len(), 2, "{cautions:?}");
    assert!(cautions[0].starts_with("A workgroup has 512 invocations. WebGPU promises 256"), "{cautions:?}");
    assert!(cautions[1].starts_with("Workgroup memory takes 24,000 bytes. WebGPU promises 16,384"), "{cautions:?}");
    assert_eq!(run(text, &given(&[(Declared::GROUPS, "1")])).findings, []);
}
