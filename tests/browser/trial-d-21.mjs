import {open,B} from "./trial-d-lib.mjs";import fs from "fs";
const {b,c,p,go,shot}=await open({h:1000});
const txt=async(n,k=2500,P=p)=>console.log("\n#### "+n+" "+P.url().slice(0,200)+"\n"+(await P.evaluate(()=>(document.querySelector("main")||document.body).innerText)).replace(/\n+/g,"\n").slice(0,k));
const s=JSON.parse(fs.readFileSync("/work/trial-d/hand-Ann.json","utf8"));s.learner="Bob";s.answers[0].answer="14 GB";s.answers[0].verdict="right";fs.writeFileSync("/work/trial-d/hand-Bob.json",JSON.stringify(s));
fs.writeFileSync("/work/trial-d/junk.json","{\"hello\":1}");
await go("/check/",1500);
await p.locator("input[type=file]").first().setInputFiles(["/work/trial-d/hand-Ann.json","/work/trial-d/hand-Bob.json","/work/trial-d/junk.json"]);await p.waitForTimeout(2500);await txt("check",5000);await shot("check",true);
// paste?
console.log("has textarea",await p.locator("main textarea").count());
// export
await go("/export/?e=memory-accounting/weights,memory-accounting/sketch-stage-1,memory-accounting/megatron,memory-accounting/what-stage-2-leaves,memory-accounting/order-layouts&seed=7",1500);await txt("export",2500);await shot("export",true);
const dl=p.waitForEvent("download",{timeout:8000}).catch(()=>null);await p.getByRole("button",{name:/Download/}).first().click();const d=await dl;if(d){console.log(d.suggestedFilename());await d.saveAs("/work/trial-d/moodle.xml");}
await b.close();
