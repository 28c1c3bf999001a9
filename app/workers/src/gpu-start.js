// wgpu 30 does not know the browser's feature `subgroups` (FEATURES_MAPPING in its backend/webgpu.rs), and so cannot ask for it.
// After this it is asked for wherever the adapter has it; `shaders/gpu/src/browser.rs` reads from the device that it is there. Once wgpu
// knows it, this file can go.
export function askForSubgroups() {
  if (!self.GPUAdapter) return;
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = function (wanted = {}) {
    const more = this.features.has("subgroups") ? ["subgroups"] : [];
    return requestDevice.call(this, { ...wanted, requiredFeatures: [...(wanted.requiredFeatures ?? []), ...more] });
  };
}
