import {open} from "./trial-d-lib.mjs";
{const {b,p,go,shot}=await open({w:390,h:844,mobile:true});
await go("/chapter/activations/",2500);
console.log("SW",await p.evaluate(()=>document.documentElement.scrollWidth));
for(let i=0;i<7;i++){await p.evaluate(y=>window.scrollTo(0,y),i*800);await p.waitForTimeout(900);await shot("c04ph-"+i);}
const small=await p.evaluate(()=>{const o={};document.querySelectorAll("main *").forEach(e=>{if(!e.children.length&&e.textContent.trim()&&e.getClientRects().length){let f=parseFloat(getComputedStyle(e).fontSize);const s=e.closest("svg");if(s&&s.viewBox?.baseVal?.width){f*=s.getBoundingClientRect().width/s.viewBox.baseVal.width;}if(f<11)o[f.toFixed(1)]=(o[f.toFixed(1)]||[]).concat(e.textContent.trim().slice(0,20)).slice(0,6);}});return o});console.log(JSON.stringify(small));
await b.close();}
{const {b,p,go,shot}=await open({h:1500,dark:true});
await go("/chapter/activations/",2500);
console.log((await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").replace(/GPT-2 \(124M\)[\s\S]*?DeepSeek-V4 Flash \(284B\)/g,"").replace(/V100 SXM2 32[\s\S]*?Trainium 3 144 GB/g,"").slice(0,20000));
for(let i=0;i<7;i++){await p.evaluate(y=>window.scrollTo(0,y),i*1430);await p.waitForTimeout(900);await shot("c04d-"+i);}
await b.close();}
