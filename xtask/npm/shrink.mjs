// Optimises WebAssembly modules in place, as `wasm-opt -Oz` does, byte for byte, but all in one process: starting Node and
// warming binaryen up for each of two hundred modules takes many times longer than the work.
//
//   node shrink.mjs <binaryen's module> <features, by comma> <file>…
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, features, ...files] = process.argv.slice(2);
const { default: binaryen } = await import(pathToFileURL(library).href);
const known = (name) => {
  if (!(name in binaryen.Features)) throw new Error(`this binaryen knows no feature ${name}`);
  return binaryen.Features[name];
};
const enabled = features.split(",").reduce((all, name) => all | known(name), 0);
binaryen.setOptimizeLevel(2);
binaryen.setShrinkLevel(2);
binaryen.setGenerateStackIR(true);
binaryen.setOptimizeStackIR(true);
for (const file of files) {
  const module = binaryen.readBinary(readFileSync(file));
  module.setFeatures(enabled);
  module.optimize();
  module.runPasses(["strip-debug", "strip-producers", "strip-target-features"]);
  writeFileSync(file, module.emitBinary());
  module.dispose();
}
