export * from "./ringside.js";
