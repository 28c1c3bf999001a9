import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:900});
const txt=async n=>console.log("\n#### "+n+"\n"+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").replace(/V100 SXM2 32[\s\S]*?Trainium 3 144 GB/g,"[gpus]").slice(0,5500));
await go("/mission/fit-it/",2500);await shot("m1-0");await txt("m1");
const btn=async()=>console.log(JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll("main button,main input,main select")].filter(e=>e.offsetParent).map(e=>e.tagName[0]+":"+(e.innerText||e.type+"/"+(e.getAttribute("aria-label")||e.name)).slice(0,40)+(e.disabled?"[d]":"")))));
await btn();
for(let i=0;i<4;i++){
 const s=p.getByRole("button",{name:/^(Start|Begin|Play|Decide|Continue|Next|Run|Go on)/}).first();
 if(await s.count()&&await s.isEnabled()){console.log("CLICK",await s.innerText());await s.click();await p.waitForTimeout(1500);await shot("m1-"+(i+1));await txt("after"+i);await btn();} else break;
}
await b.close();
