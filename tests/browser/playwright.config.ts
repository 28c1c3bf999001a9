import { defineConfig } from "@playwright/test";

// `cargo xtask test --only browser` serves dist/ and sets both; by hand, start `cargo xtask serve` first.
const url = process.env.RINGSIDE_URL ?? "http://127.0.0.1:8080/";
const root = process.getuid?.() === 0;

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  fullyParallel: true,
  // More than there are cores: a page waits for its clock and its network for a fifth of the time.
  workers: 3,
  // axe on the longest pages, and all the steps of a test that stays on its page, on two busy cores.
  timeout: 240_000,
  expect: { timeout: 15_000 },
  // What passes at its second try is named (xtask/src/outcomes.rs) and does not throw a run away; whoever sees one mends it.
  retries: 1,
  forbidOnly: !!process.env.CI,
  reporter: "list",
  use: {
    baseURL: url,
    // What is kept without a network has tests of its own; every other test is a first visit.
    serviceWorkers: "block",
    viewport: { width: 1280, height: 900 },
    launchOptions: {
      executablePath: process.env.CHROME || undefined,
      args: [
        ...(root ? ["--no-sandbox"] : []),
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // The headless shell would round the widths of letters, as no desktop does.
        "--font-render-hinting=none",
        // WebGPU in software has to be asked for.
        "--enable-unsafe-webgpu",
      ],
    },
  },
});
