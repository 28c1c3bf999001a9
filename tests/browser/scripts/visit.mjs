// Prints, as JSON, every address that a first visit to `url` requests: until the page can be read, and until what is seen of
// it is alive.
import { input, launch, readable, ready } from "./launch.mjs";

const browser = await launch();
const page = await browser.newPage();
// Otherwise what comes once the browser is idle would count on a machine where that is at once. Nothing else heeds it.
await page.addInitScript(() => Object.defineProperty(navigator.connection, "saveData", { get: () => true }));
const requested = new Set();
page.on("request", (request) => requested.add(request.url()));
await page.goto(input.url);
await readable(page);
await page.waitForTimeout(500);
const read = [...requested];
await ready(page);
await page.waitForTimeout(500);
await browser.close();
console.log(JSON.stringify({ read, alive: [...requested] }));
