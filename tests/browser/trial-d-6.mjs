import {open} from "./trial-d-lib.mjs";import {L} from "./trial-d-logs.mjs";
for (const [fresh,w1,w2] of [[1,500,50],[1,3000,50],[1,3000,3000],[1,8000,1000]]){
const {b,c,p,go,shot}=await open({h:900});
await c.grantPermissions(["clipboard-read","clipboard-write"]);
for (let i=0;i<3;i++){
await go("/",w1); await p.evaluate(t=>navigator.clipboard.writeText(t),L.mega);
await p.getByPlaceholder("Ask, or paste an error or a log").click();await p.waitForTimeout(w2);await p.keyboard.press("Control+V"); await p.waitForTimeout(1500);
console.log(w1,w2,"load",i,await p.evaluate(()=>document.activeElement.tagName+" "+(document.activeElement.value||"").length));
}
if(w1==8000){ await p.keyboard.press("Enter");await p.waitForTimeout(3500);console.log(p.url().slice(0,300));await shot("mega-run",true);console.log((await p.evaluate(()=>document.querySelector("main").innerText)).slice(0,3500));}
await b.close();}
