import {open} from "./trial-d-lib.mjs";
const {b,c,p,go,shot}=await open({h:800});
await go("/chapter/memory-accounting/",2500); await shot("c03-top");
console.log((await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").slice(0,22000));
const H=await p.evaluate(()=>document.documentElement.scrollHeight);console.log("H",H);
await p.setViewportSize({width:1280,height:1500});
for(let i=1;i<8;i++){await p.evaluate(y=>window.scrollTo(0,y),i*1450);await p.waitForTimeout(1200);await shot("c03-"+i);}
await b.close();
