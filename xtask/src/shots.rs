//! Soon.
use crate::args::Options;
use crate::failure::Result;
pub(crate) fn main(_: &Options) -> Result<()> { Err("not yet.".into()) }
