import {open} from "./trial-d-lib.mjs";import {L} from "./trial-d-logs.mjs";
const {b,c,p,go,shot}=await open({h:1400});
await c.grantPermissions(["clipboard-read","clipboard-write"]);
await go("/",1500);
for(const [k,t] of Object.entries(L)){
 await go("/",1200);
 const box=p.getByPlaceholder("Ask, or paste an error or a log");
 await box.click(); await p.evaluate(t=>navigator.clipboard.writeText(t),t);
 await p.keyboard.press("Control+V"); await p.waitForTimeout(2500);
 const r=await p.evaluate(()=>{const m=document.querySelector("main")||document.body; const s=m.innerText; const i=s.indexOf("papers behind both."); return [location.href, s.slice(i+20,i+2600).split("Only half an hour")[0]]});
 console.log("\n##### "+k+" "+r[0]+"\n"+r[1].replace(/\n+/g,"\n").slice(0,2400));
 await shot("paste-"+k);
}
await b.close();
