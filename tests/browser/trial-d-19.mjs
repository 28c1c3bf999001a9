import {open,B} from "./trial-d-lib.mjs";import fs from "fs";
const {b,c,p,go,shot}=await open({h:1000});
const txt=async(n,k=2500,P=p)=>console.log("\n#### "+n+" "+P.url().slice(0,200)+"\n"+(await P.evaluate(()=>(document.querySelector("main")||document.body).innerText)).replace(/\n+/g,"\n").slice(0,k));
await go("/settings/#teaching",1200);await p.getByText("I teach with this").click();await p.waitForTimeout(800);
await go("/quiz/",1500);
console.log("HDR",await p.evaluate(()=>document.querySelector("header").innerText.replace(/\n+/g," | ")));
await p.evaluate(()=>{[...document.querySelectorAll("main summary")].find(s=>s.innerText.includes("Where the memory goes")).click()});await p.waitForTimeout(1500);
const cbs=p.locator("main input[type=checkbox]:visible");
for(const i of [1,3,7,10,14]){await cbs.nth(i).check().catch(e=>console.log("x",i));await p.waitForTimeout(300);}
await p.locator("main input[type=text]:visible").last().fill("Memory quiz").catch(()=>{});
await p.waitForTimeout(800);await shot("quiz-chosen",true);
const all=await p.evaluate(()=>[...document.querySelectorAll("main a[href]")].map(e=>e.innerText.slice(0,30)+" => "+e.href.slice(0,250)).filter(s=>/[?#]/.test(s)));console.log(all.join("\n"));
console.log(JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll("main button,main input:not([type=checkbox]),main textarea")].filter(e=>e.offsetParent).map(e=>(e.innerText||e.value||"").slice(0,200)))));
const m=(await p.evaluate(()=>document.querySelector("main").innerText));console.log(m.slice(m.indexOf("Order of questions"),m.indexOf("Order of questions")+2500).replace(/\n+/g,"\n"));
await b.close();
