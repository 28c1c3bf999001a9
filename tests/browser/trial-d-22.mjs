import {open,B} from "./trial-d-lib.mjs";import fs from "fs";
const {b,c,p,go,shot}=await open({w:1280,h:900});
const txt=async(n,k=2500,P=p)=>console.log("\n#### "+n+" "+P.url().slice(0,200)+"\n"+(await P.evaluate(()=>(document.querySelector("main")||document.body).innerText)).replace(/\n+/g,"\n").slice(0,k));
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
// 12 min
chapter/memory-accounting/#exercise-zero-3 Everything sharded
w/nonsense/ Broken`);
await p.waitForTimeout(1500);await shot("lec-filled",true);await txt("lec",2200);
const lk=await p.evaluate(()=>[...document.querySelectorAll("main a,main button")].filter(e=>e.offsetParent).map(e=>e.tagName+":"+e.innerText+":"+(e.href||"").slice(0,80)));console.log(lk.join("\n"));
const pr=p.getByText(/^Present it/).first();const pop=c.waitForEvent("page",{timeout:4000}).catch(()=>null);await pr.click();await p.waitForTimeout(3000);const q=await pop;const P=q||p;console.log("popup",!!q,P.url().slice(0,100));
await P.setViewportSize({width:1280,height:900});await P.waitForTimeout(1500);await P.screenshot({path:"/work/trial-d/presenter.png"});await txt("presenter",2500,P);
console.log((await P.evaluate(()=>[...document.querySelectorAll("button,a")].filter(e=>e.offsetParent).map(e=>e.innerText).filter(Boolean).slice(0,60))).join(" ; "));
const o=P.getByRole("button",{name:/open|project|audience|window/i}).first();
if(await o.count()){const pp=c.waitForEvent("page",{timeout:5000}).catch(()=>null);await o.click();const w=await pp;if(w){w.on("console",m=>{if(m.type()=="error")console.log("PROJ",m.text())});await w.setViewportSize({width:1920,height:1080});await w.waitForTimeout(2500);await w.screenshot({path:"/work/trial-d/proj-0.png"});
 for(let i=1;i<6;i++){await P.bringToFront();await P.keyboard.press("ArrowRight");await P.waitForTimeout(2500);await w.screenshot({path:`/work/trial-d/proj-${i}.png`});}
 await P.screenshot({path:"/work/trial-d/presenter-2.png"});}}
await b.close();
