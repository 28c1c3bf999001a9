import {open,B} from "./trial-d-lib.mjs";import fs from "fs";
const {b,c,p,go,shot}=await open({w:1280,h:900});
await go("/settings/#teaching",1200);await p.getByText("I teach with this").click();await p.waitForTimeout(600);
await go("/lecture/",1500);
await p.locator("main textarea").first().fill(`> # Where the memory goes
> 90 minutes
w/memory-breakdown/?params=7e9&dp=8&zero=0 A 7B on eight GPUs
// 10 min
// ask first: who thinks it fits?
w/ddp-overlap/ How DDP hides its all-reduce
// 15 min
w/pipeline-timeline/ Bubbles
chapter/memory-accounting/#exercise-zero-3 Everything sharded`);
await p.waitForTimeout(1200);await p.getByText(/^Present it/).first().click();await p.waitForTimeout(2500);
await shot("presenter");
const pp=c.waitForEvent("page",{timeout:8000}).catch(e=>null);await p.getByText("Open the audience’s window").first().click();const w=await pp;console.log("w",!!w,w&&w.url().slice(0,90));
if(w){w.on("console",m=>{if(m.type()=="error")console.log("PROJ",m.text())});await w.setViewportSize({width:1920,height:1080});await w.waitForTimeout(2500);await w.screenshot({path:"/work/trial-d/proj-0.png"});
 for(let i=1;i<5;i++){await p.getByRole("button",{name:/Next/}).first().click();await p.waitForTimeout(2500);await w.screenshot({path:`/work/trial-d/proj-${i}.png`});}
 }await shot("presenter-2");
await b.close();
