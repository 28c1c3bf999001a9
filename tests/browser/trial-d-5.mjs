import {open} from "./trial-d-lib.mjs";import {L} from "./trial-d-logs.mjs";
const {b,c,p,go,shot}=await open({h:1100});
await c.grantPermissions(["clipboard-read","clipboard-write"]);
const paste=async t=>{await p.evaluate(t=>navigator.clipboard.writeText(t),t);await p.keyboard.press("Control+V"); await p.waitForTimeout(2500);};
const out=async k=>{const r=await p.evaluate(()=>{const m=document.querySelector("main"); return m.innerText.split("papers behind both.")[1]?.split("Only half an hour")[0]});console.log("\n##### "+k+" "+p.url()+"\n"+r?.replace(/\n+/g,"\n").slice(0,3500));await shot("paste2-"+k);}
for(const k of ["nccl","smi"]){await go("/",3000);await p.getByPlaceholder("Ask, or paste an error or a log").click();await paste(L[k]);console.log("field",await p.evaluate(()=>[...document.querySelectorAll("main input,main textarea")].slice(0,3).map(e=>[e.tagName,e.value.length])));await out(k);}
// paste a log button
await go("/",3000);const box=p.getByPlaceholder("Ask, or paste an error or a log");await box.fill("x");await p.waitForTimeout(1000);
const pl=p.getByText("Paste a log",{exact:true}).first();console.log("pl",await pl.count());await pl.click();await p.waitForTimeout(800);await shot("pastelog-open");await paste(L.nccl);await out("nccl-pl");
// megatron then enter
await go("/",3000);await box.click();await paste(L.mega);await p.keyboard.press("Enter");await p.waitForTimeout(3000);console.log(p.url().slice(0,200));await shot("mega-run",true);console.log((await p.evaluate(()=>document.querySelector("main").innerText)).slice(0,3000));
await b.close();
