import init from "./ringside.js";

await init();

export * from "./ringside.js";
