import {open,B} from "./trial-d-lib.mjs";import fs from "fs";
const {b,c,p,go,shot}=await open({h:1000});
const txt=async(n,k=2500,P=p)=>console.log("\n#### "+n+" "+P.url().slice(0,200)+"\n"+(await P.evaluate(()=>(document.querySelector("main")||document.body).innerText)).replace(/\n+/g,"\n").slice(0,k));
const Q="/quiz/?e=memory-accounting/weights,memory-accounting/grows-with-batch,memory-accounting/megatron,memory-accounting/what-stage-2-leaves,memory-accounting/explain-stage-3&seed=7";
const mk=async(name,ans)=>{
await go(Q,2500);if(name=="Ann")await txt("quiz taker",3500);if(name=="Ann")await shot("quiz-take0");
const bb=p.getByRole("button",{name:/^(Begin|Start)/}).first();
const nm=p.locator("main input[type=text]:visible").first();await nm.fill(name);
if(await bb.count())await bb.click();await p.waitForTimeout(1000);
const t=p.locator("main input[type=text]:visible");console.log(name,"texts",await t.count(),await p.locator("main input[type=radio]:visible").count(),await p.locator("main input[type=checkbox]:visible").count());
const n=await t.count();let k=0;for(let i=0;i<n;i++){const lab=await t.nth(i).inputValue();if(lab===name)continue;await t.nth(i).fill(ans[k++]||"");}
await p.locator("main input[type=radio]:visible").nth(ans.r).check();
await p.locator("main input[type=checkbox]:visible").nth(1).check().catch(()=>{});
await p.locator("main textarea:visible").first().fill("It all-gathers the layer's weights from the other ranks before use and frees them, so weights move twice.").catch(()=>{});
await p.waitForTimeout(500);if(name=="Ann")await shot("quiz-take1",true);
const btns=await p.evaluate(()=>[...document.querySelectorAll("main button")].filter(e=>e.offsetParent).map(e=>e.innerText+(e.disabled?"[d]":"")));console.log(btns.join(" ; "));
const dl=p.waitForEvent("download",{timeout:6000}).catch(()=>null);
await p.getByRole("button",{name:/hand in|download|finish|save/i}).first().click();await p.waitForTimeout(1500);
const d=await dl; if(d){await d.saveAs("/work/trial-d/hand-"+name+".json");console.log("file",d.suggestedFilename());}
else{const b2=p.getByRole("button",{name:/hand in|download|save/i}).last();const dl2=p.waitForEvent("download",{timeout:5000}).catch(()=>null);await b2.click();const d2=await dl2;if(d2){await d2.saveAs("/work/trial-d/hand-"+name+".json");console.log("file2",d2.suggestedFilename());}}
await txt("after hand in",1800);await shot("quiz-after-"+name,true);};
await mk("Ann",Object.assign(["60 GB","40 GB"],{r:0}));
await mk("Bob",Object.assign(["30","28 GiB"],{r:1}));
const fsx=["Ann","Bob"].map(n=>"/work/trial-d/hand-"+n+".json").filter(f=>fs.existsSync(f));console.log(fsx);
await go("/check/",1500);
if(fsx.length){await p.locator("input[type=file]").first().setInputFiles(fsx);await p.waitForTimeout(2500);await txt("check",5000);await shot("check",true);}
await b.close();
