//! The fastest adapter there is, and a device of it with all that it allows.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_channel::oneshot;
use ringside_core::kernels::attention::NEIGHBOURS;
use ringside_core::kernels::job::Trouble;
use wgpu::{
    Backends, Buffer, BufferDescriptor, BufferUsages, Device, DeviceDescriptor, DeviceType, Error, ErrorFilter,
    Features, Instance, InstanceDescriptor, Limits, PowerPreference, Queue, RequestAdapterOptions,
};

use super::platform;

/// A device and what is known of it.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) device: Device,
    pub(crate) queue: Queue,
    /// What it is called.
    pub name: String,
    /// Its driver and that one's version, as far as it says.
    pub driver: String,
    /// Whether it is made of software.
    pub software: bool,
    /// Whether shaders may use f16.
    pub f16: bool,
    /// Whether kernels may shuffle among four neighbours at least.
    pub subgroups: bool,
    /// Workgroup memory of a workgroup, in bytes.
    pub workgroup_memory: u64,
    /// The largest buffer that may be bound, in bytes.
    pub largest: u64,
    /// How long it may take to answer.
    pub patience: Duration,
    /// Why it was lost, once it was.
    lost: Arc<Mutex<Option<String>>>,
}

/// How long anything may take. Pieces are made to take a tenth of a second; but a busy processor that plays a GPU compiles for
/// many. The page gives up a learner's text sooner.
const PATIENCE: Duration = Duration::from_secs(60);
/// Names of GPUs made of software.
const SOFTWARE: [&str; 5] = ["swiftshader", "llvmpipe", "lavapipe", "basic render", "warp"];

impl Gpu {
    /// Asks for one.
    ///
    /// # Errors
    /// There is no WebGPU, no adapter, or no device of it.
    pub async fn ask() -> Result<Self, Trouble> {
        if !platform::has_gpus() {
            return Err(Trouble::NoWebGpu);
        }
        let mut options = InstanceDescriptor::new_without_display_handle();
        options.backends = Backends::VULKAN | Backends::BROWSER_WEBGPU;
        let wanted = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let asked = Instance::new(options).request_adapter(&wanted).await;
        let adapter = asked.map_err(|why| Trouble::Refused(why.to_string()))?;
        let wished = Features::SHADER_F16 | Features::TIMESTAMP_QUERY | Features::SUBGROUP;
        let features = adapter.features() & wished;
        let allowed = adapter.limits();
        // Large matrices need large buffers, and the largest tiles more workgroup memory. Kernels keep to the defaults of all other
        // limits.
        let limits = Limits {
            max_buffer_size: allowed.max_buffer_size,
            max_storage_buffer_binding_size: allowed.max_storage_buffer_binding_size,
            max_compute_workgroup_storage_size: allowed.max_compute_workgroup_storage_size,
            ..Limits::default()
        };
        let descriptor = DeviceDescriptor {
            required_features: features,
            required_limits: limits.or_worse_values_from(&allowed),
            ..DeviceDescriptor::default()
        };
        let asked = adapter.request_device(&descriptor).await;
        let (device, queue) = asked.map_err(|why| Trouble::NoDevice(why.to_string()))?;
        let lost: Arc<Mutex<Option<String>>> = Arc::default();
        let note = lost.clone();
        device.set_device_lost_callback(move |_, why| {
            let why = if why.is_empty() { "no reason given".to_owned() } else { why };
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        });
        let info = adapter.get_info();
        let [name, all] = platform::names(&device, &info);
        let all = all.to_ascii_lowercase();
        Ok(Self {
            name: if name.is_empty() { "a GPU that the browser does not name".to_owned() } else { name },
            driver: [info.driver.as_str(), &info.driver_info].join(" ").trim().to_owned(),
            software: info.device_type == DeviceType::Cpu || SOFTWARE.iter().any(|known| all.contains(known)),
            f16: features.contains(Features::SHADER_F16),
            subgroups: platform::has_subgroups(&device) && u64::from(info.subgroup_min_size) >= NEIGHBOURS,
            workgroup_memory: allowed.max_compute_workgroup_storage_size.into(),
            largest: allowed.max_buffer_size.min(allowed.max_storage_buffer_binding_size),
            patience: PATIENCE,
            device,
            queue,
            lost,
        })
    }

    /// Whether it was not lost.
    pub fn alive(&self) -> bool {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// What went wrong really: whatever fails on a device that is lost fails for that.
    pub fn explain(&self, trouble: Trouble) -> Trouble {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone().map_or(trouble, Trouble::Lost)
    }

    /// Gives the device back: whatever runs on it fails from now on.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Waits for what is handed to the callback that `begin` is given.
    pub(crate) async fn told<T: Send + 'static>(
        &self,
        begin: impl FnOnce(Box<dyn FnOnce(T) + Send>),
    ) -> Result<T, Trouble> {
        let (said, heard) = oneshot::channel();
        // Nobody may be waiting any more.
        begin(Box::new(move |told| _ = said.send(told)));
        platform::wait(&self.device, heard, self.patience).await
    }

    /// Does something that needs so many bytes, and fails if the device says that any of it was wrong.
    pub(crate) async fn scoped<T>(
        &self,
        bytes: u64,
        act: impl Future<Output = Result<T, Trouble>>,
    ) -> Result<T, Trouble> {
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let invalid = self.device.push_error_scope(ErrorFilter::Validation);
        let outcome = act.await;
        let (invalid, memory) = (invalid.pop(), memory.pop());
        if matches!(outcome, Err(Trouble::Silent(_))) {
            // It would say nothing of its errors either.
            return outcome;
        }
        match (memory.await, invalid.await) {
            (None, None) => outcome,
            (Some(_), _) => Err(Trouble::OutOfMemory(bytes as f64)),
            (None, Some(Error::Validation { description, .. })) => Err(Trouble::NotAccepted(description)),
            (None, Some(other)) => Err(Trouble::NotAccepted(other.to_string())),
        }
    }
}

/// The buffers of a job. Their memory is given back when it ends, not when someone collects it.
pub(crate) struct Memory<'a> {
    gpu: &'a Gpu,
    made: RefCell<Vec<Buffer>>,
}

impl<'a> Memory<'a> {
    /// No buffers yet.
    pub(crate) fn new(gpu: &'a Gpu) -> Self {
        Self { gpu, made: RefCell::default() }
    }

    /// One more.
    pub(crate) fn buffer(&self, size: u64, usage: BufferUsages) -> Buffer {
        let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.gpu.device.create_buffer(&descriptor);
        self.made.borrow_mut().push(buffer.clone());
        buffer
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        self.made.borrow().iter().for_each(Buffer::destroy);
    }
}
