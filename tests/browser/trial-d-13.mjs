import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({w:1024,h:768});
await go("/chapter/data-parallel/",2500);
console.log((await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").replace(/GPT-2 \(124M\)[\s\S]*?DeepSeek-V4 Flash \(284B\)/g,"").replace(/V100 SXM2 32[\s\S]*?Trainium 3 144 GB/g,"").slice(0,14000));
await p.getByText("Show it without a prediction").first().click().catch(e=>console.log("no skip"));await p.waitForTimeout(800);
for(let i=0;i<6;i++){await p.evaluate(y=>window.scrollTo(0,y),i*700);await p.waitForTimeout(900);await shot("c08-"+i);}
await b.close();
