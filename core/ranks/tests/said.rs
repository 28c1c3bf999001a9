//! What a worker is asked and says, as bytes.

use ringside_core::program::{Asked, Fault, Job, Outcome, Said};

#[test]
fn jobs_and_outcomes_arrive_as_they_were_meant() {
    let program = "import torch\nprint(torch.ones(2))  # größer\n".to_owned();
    let fault = Some(Fault { rank: 1, step: -3 });
    let job = Job { program, fault, launches: vec![4, 2], reference: Some(String::new()), ..Job::default() };
    let asked = Asked::Run(Box::new(job.clone()));
    let bytes = postcard::to_allocvec(&asked).expect("it can be written");
    assert_eq!(postcard::from_bytes::<Asked>(&bytes).expect("it can be read"), asked);
    let outcome: Outcome = ringside_ranks::run(&job);
    let bytes = postcard::to_allocvec(&Said::Done(Box::new(outcome.clone()))).expect("it can be written");
    assert_eq!(postcard::from_bytes(&bytes), Ok(Said::Done(Box::new(outcome))));
    assert!(postcard::from_bytes::<Said>(&bytes[..bytes.len() - 1]).is_err());
}
