import { defineConfig } from "@playwright/test";
import chromium from "../playwright.config";

// `cargo xtask test --only firefox` sets FIREFOX and RINGSIDE_URL; by hand:
// FIREFOX=/usr/bin/firefox RINGSIDE_URL=http://127.0.0.1:8080/ npx playwright test -c firefox
export default defineConfig({
  ...chromium,
  testDir: ".",
  testMatch: "*.test.ts",
  fullyParallel: false,
  // One Firefox; two would wait for each other on two cores.
  workers: 1,
});
