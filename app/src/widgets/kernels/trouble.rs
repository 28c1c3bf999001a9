//! Why a kernel did not run on the GPU, and what to do about it, in sentences.

use ringside_core::kernels::job::Trouble;
use ringside_core::quantity::Unit;

/// It in sentences.
pub(in crate::widgets) fn sentence(trouble: &Trouble) -> String {
    let bytes = |n: &f64| Unit::Bytes.format(*n);
    match trouble {
        Trouble::NoWebGpu => {
            "This browser has no WebGPU here. A current Chrome, Edge, Safari or Firefox has it, on pages that \
                              come over https or from this machine."
                .to_owned()
        }
        Trouble::Refused(_) => {
            "This browser knows WebGPU but offers no GPU. Turn on hardware acceleration in its settings, \
                                update the graphics driver, and start it again."
                .to_owned()
        }
        Trouble::NoDevice(why) => {
            format!("The GPU did not answer ({why}). Close what else uses it, or start the browser again.")
        }
        Trouble::Lost(why) => format!(
            "The GPU was lost in the middle of the run ({why}). Choose smaller sizes, close what else uses it, and run again: \
             a new one is asked for."
        ),
        Trouble::Silent(seconds) => format!(
            "The GPU did not answer for {seconds} seconds, so the run was given up. Choose smaller sizes, close what else uses \
             it, and run again: a new one is asked for."
        ),
        Trouble::OutOfMemory(wanted) => format!(
            "The GPU has not enough memory for {}. Choose smaller sizes, or a kernel that needs no extra memory.",
            bytes(wanted)
        ),
        Trouble::TooLarge(wanted, most) => format!(
            "This needs a buffer of {}, and this GPU allows {} in this browser. Choose smaller sizes, or a kernel that needs no \
             extra memory.",
            bytes(wanted),
            bytes(most)
        ),
        Trouble::NoF16 => {
            "This GPU, or this browser, has no f16 in shaders (the WebGPU feature shader-f16). Choose a kernel \
                           in f32."
                .to_owned()
        }
        Trouble::NoSubgroups => {
            "This kernel needs subgroups of at least four invocations (the WebGPU feature subgroups), and this GPU or browser has none."
                .to_owned()
        }
        Trouble::WorkgroupMemory(wanted, most) => format!(
            "A workgroup of this kernel needs {} of workgroup memory, and this GPU allows {} in this browser. Choose smaller tiles.",
            bytes(wanted),
            bytes(most)
        ),
        Trouble::NotAccepted(why) => format!("The browser did not accept this kernel: {why}"),
    }
}
