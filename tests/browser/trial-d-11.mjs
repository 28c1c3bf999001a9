import {open} from "./trial-d-lib.mjs";
const {b,c,p,go,shot}=await open({h:1000});
await go("/chapter/memory-accounting/",2000);
const ex=async(id,vals)=>{await p.evaluate(i=>document.getElementById(i).scrollIntoView({block:"center"}),id);await p.waitForTimeout(1500);const L=p.locator("#"+id);
 for(const v of vals){const i=L.locator("input[type=text]").first();try{await i.fill(v,{timeout:2000});await i.press("Enter");}catch(e){console.log("cannot",v,String(e).slice(0,80));}await p.waitForTimeout(900);console.log("== "+id+" «"+v+"»\n"+(await L.innerText()).replace(/\n+/g," | ").slice(0,900));}
 await shot("ex-"+id);};
await ex("exercise-weights",["56","120 GB","60 Gb","15 GB","55.9 GiB"]);
await ex("exercise-adam",["240 GB","360"]);
await ex("exercise-zero-2",["26 GB","14.9","33,6 GB"]);
await ex("exercise-read-the-message",["9.2 GiB","2.5 GiB"]);
const ids=await p.evaluate(()=>[...document.querySelectorAll(".exercise-slot")].map(e=>e.id));console.log(ids.join(" "));
for(const id of ids.slice(8)){await p.evaluate(i=>document.getElementById(i).scrollIntoView({block:"center"}),id);await p.waitForTimeout(500);}
await p.waitForTimeout(1500);
for(const id of ids.slice(8)) {const t=(await p.locator("#"+id).innerText()).replace(/\n+/g," | ");console.log("-- "+id+": "+t.slice(0,500));}
await p.setViewportSize({width:1280,height:1500});
for(let i=0;i<4;i++){await p.evaluate(([id])=>document.getElementById(id).scrollIntoView({block:"start"}),[ids[Math.min(ids.length-1,9+i*4)]]);await p.waitForTimeout(700);await shot("c03-ex"+i);}
await b.close();
