//! What the worker that reads traces, snapshots and output says, as bytes.

use ringside_content::search::End;
use ringside_core::allocator::Snapshot;
use ringside_core::detective::{Own, Printed, Said, say_all};
use ringside_core::run::Output;
use ringside_core::trace::simulate::Setup;

/// Output of each kind that is read, and its end.
fn printed() -> Printed {
    let text = "using world size: 8, data-parallel size: 8\n num_layers ........................ 32\niter 0: loss 10.9, time 30000.00ms, mfu 1.00%\nstep 1/20 tok/sec: 3 dt: 2\nTraceback (most recent call last):\n  File \"x.py\", line 3, in forward\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n[titan] CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory\ntime 1";
    let (mut output, mut end) = (Output::default(), End::default());
    output.push(text);
    end.push(text);
    Printed { output, errors: postcard::to_allocvec(&end.read(&[])).expect("it can be written") }
}

#[test]
fn what_is_said_arrives_as_it_was_meant() {
    let setup = Setup { causes: Vec::new(), layers: 4, steps: 1, ranks: 2, seed: 1, graphs: false };
    let mut all = vec![
        Said::Ready,
        Said::Reading { file: "größer".into(), bytes: u64::MAX, of: None, events: 7 },
        Said::Diagnosing,
        Said::Problem("a file: why".into()),
        Said::Done(Own::default()),
        Said::Snapshot(Err("why".into())),
        Said::Printed(Ok(Box::new(printed()))),
        Said::Snapshot(Snapshot::read(
            br#"[{"total_size":7,"segment_type":"small","blocks":[{"size":7,"state":"inactive"}]}]"#,
        )),
    ];
    say_all(setup.run(), |said| all.push(said.clone()));
    for said in all {
        let bytes = postcard::to_allocvec(&said).expect("it can be written");
        assert_eq!(postcard::from_bytes::<Said>(&bytes).expect("it can be read"), said);
    }
}
