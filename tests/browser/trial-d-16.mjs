import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:1000});
await go("/mission/fit-it/",2000);
const main=async()=>(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n");
await p.locator("main input[type=text]").first().fill("520 GB");await p.getByRole("button",{name:"Decide"}).click();await p.waitForTimeout(1500);
await shot("m1q-stage",true);
await p.locator("main input[type=text]:visible").first().fill("3");await p.keyboard.press("Enter");await p.waitForTimeout(700);await p.getByRole("button",{name:"Decide"}).click();await p.waitForTimeout(1500);
for(let i=0;i<10;i++){
 let t=await main(); const k=t.lastIndexOf("DECISION "); console.log("\n#### "+i+" "+(k>0?t.slice(Math.max(0,k-700),k+1500):"END "+t.slice(0,5000)));
 if(k<0)break;
 const rad=p.locator("main input[type=radio]:visible:enabled"); const cb=p.locator("main input[type=checkbox]:visible:enabled");
 if(await rad.count()) {await rad.first().check().catch(()=>{});}
 const d=p.getByRole("button",{name:/^(Decide|Commit|Apply|Measure)/}).last();
 if(await d.count()&&await d.isEnabled()){await d.click();await p.waitForTimeout(1300);
  const t2=await main(); if(t2.includes("You decided that already")){ const n=await rad.count(); if(n>1){await rad.nth(1).check();await d.click();await p.waitForTimeout(1000);} else {console.log("STUCK");break;}}
 } else {console.log("stuck",JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll("main button")].filter(e=>e.offsetParent).map(e=>e.innerText+(e.disabled?"[d]":"")))));break;}
 if(i==1)await shot("m1q-"+i,true);
}
await shot("m1q-end",true);
await b.close();
