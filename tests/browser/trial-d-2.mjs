import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:1400});
await go("/",1500);
const box=p.getByPlaceholder("Ask, or paste an error or a log");
await box.fill("why does my 7B fine-tune not fit on one 24GB GPU");
await p.waitForTimeout(2500);
await shot("ask1a"); await box.press("Enter"); await p.waitForTimeout(2500);
await shot("ask1b"); console.log(p.url());
await b.close();
