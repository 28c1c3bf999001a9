// Prints, as JSON, every address that a first visit to `url` requests.
import { input, launch, ready } from "./launch.mjs";

const browser = await launch();
const page = await browser.newPage();
const requested = new Set();
page.on("request", (request) => requested.add(request.url()));
await page.goto(input.url);
await ready(page);
await page.waitForTimeout(500);
await browser.close();
console.log(JSON.stringify([...requested]));
