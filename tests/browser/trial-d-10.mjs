import {open} from "./trial-d-lib.mjs";
const {b,c,p,go,shot}=await open({h:1000});
await go("/chapter/memory-accounting/",2500);
console.log(await p.evaluate(()=>[...document.querySelectorAll("form,[class*=exercise]")].slice(0,12).map(e=>e.tagName+"."+e.className+"#"+e.id).join("\n")));
const ask=async(loc,val)=>{const inp=loc.locator("input[type=text]:visible,input:not([type]):visible,input[inputmode]:visible").first();await inp.fill(val);await inp.press("Enter");await p.waitForTimeout(900);console.log("== "+val+"\n"+(await loc.innerText()).replace(/\n+/g," | ").slice(0,1200));};
// prediction
const pred=p.locator("form",{hasText:"Commit"}).first();
await pred.locator("input[type=text]").first().fill("60");await pred.locator("input[type=text]").first().press("Enter");await p.waitForTimeout(1000);await shot("c03-pred1");
await pred.locator("input[type=text]").first().fill("60 GB").catch(()=>console.log("locked"));await p.keyboard.press("Enter");await p.waitForTimeout(1500);await shot("c03-pred2");
await b.close();
