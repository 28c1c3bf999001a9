import { readFileSync } from "node:fs";
import { initSync } from "./ringside.js";

initSync({ module: readFileSync(new URL("./ringside_bg.wasm", import.meta.url)) });

export * from "./ringside.js";
