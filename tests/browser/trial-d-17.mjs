import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:1000});
await go("/mission/fit-it/",2000);
const main=async()=>(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n");
const decide=async()=>{await p.getByRole("button",{name:/^(Decide)/}).last().click();await p.waitForTimeout(1300);};
await p.locator("main input[type=text]").first().fill("520 GB");await decide();
await p.locator("main input[type=text]:visible").first().fill("3");await p.keyboard.press("Enter");await p.waitForTimeout(700);await decide();
await decide();
await p.locator("main label",{hasText:/^full$/}).first().click();await p.waitForTimeout(700);await decide();
for(let i=0;i<6;i++){
 let t=await main(); const k=t.lastIndexOf("DECISION "); console.log("\n#### "+i+" "+(k>0?t.slice(Math.max(0,k-600),k+1000):"END "+t.slice(0,5000)));
 await shot("m1r-"+i);
 if(k<0)break;
 const rad=p.locator("main input[type=radio]:visible:enabled");const n=await rad.count();
 let ok=false;for(let j=0;j<Math.max(1,n);j++){if(n)await rad.nth(j).check({force:true}).catch(()=>{});const before=await main();await decide();const a=await main();if(a.match(/DECISION \d/g)?.pop()!==before.match(/DECISION \d/g)?.pop()){ok=true;break;}}
 if(!ok){console.log("STUCK",JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll("main button")].filter(e=>e.offsetParent).map(e=>e.innerText+(e.disabled?"[d]":"")))),(await main()).slice(-300));break;}
}
await shot("m1r-end",true);
await b.close();
