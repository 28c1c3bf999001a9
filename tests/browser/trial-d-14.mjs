import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:900});
await go("/placement/",2000); await p.getByRole("button",{name:"Start"}).click();await p.waitForTimeout(1200);
for(let i=0;i<9;i++){
 const t=(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g," | ");console.log("#"+i+" "+t.slice(0,1600)+"\n");
 if(i==1)await shot("pl-1");
 const dk=p.getByRole("button",{name:/don.t know/}).first();
 if(!(await dk.count()))break;
 const rad=p.locator("main input[type=radio]:visible");
 if(i==0&&await rad.count()){await rad.first().check();await p.getByRole("button",{name:"Check"}).first().click();}
 else await dk.click();
 await p.waitForTimeout(1000);
 const c=p.getByRole("button",{name:"Continue"}).first(); if(await c.count()){console.log("AFTER: "+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g," | ").slice(-400));await c.click();await p.waitForTimeout(1200);}
}
await shot("pl-end",true);
await go("/practice/",2000);await shot("practice",true);console.log("PRACTICE "+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g," | ").slice(0,4000));
await go("/practice/now/",2000);await shot("practicenow");console.log("NOW "+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g," | ").slice(0,1500));
await b.close();
