import {open} from "./trial-d-lib.mjs";
const {b,c,p,go,shot}=await open({h:800});
for(const u of ["w/parallel-planner","w/serving-planner","w/continuous-batching","w/trace-detective","w/launch-doctor","w/zero-stepper"]){const t=Date.now();await go("/"+u+"/",2500);await shot("f-"+u.slice(2));
 console.log(u,(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").replace(/GPT-2 \(124M\)[\s\S]*?DeepSeek-V4 Flash \(284B\)/g,"[models]").replace(/V100 SXM2 32[\s\S]*?Trainium 3 144 GB/g,"[gpus]").slice(0,2600),"\n");}
await b.close();
const d=await open({w:390,h:844,mobile:true});
for(const u of ["w/parallel-planner","w/serving-planner","w/continuous-batching","w/trace-detective","run","quiz","lecture","syllabus","mission/it-stalls-at-512","w/roofline","w/ring-all-reduce","reference","w"]){await d.go("/"+u+"/",2000);const sw=await d.p.evaluate(()=>[document.documentElement.scrollWidth,[...document.querySelectorAll("main *")].filter(e=>{const r=e.getBoundingClientRect();return r.width>0&&r.right>395&&!e.closest("svg")&&getComputedStyle(e).position!=="absolute"}).slice(0,4).map(e=>e.tagName+"."+String(e.className).slice(0,30)+":"+Math.round(e.getBoundingClientRect().right))]);console.log(u,JSON.stringify(sw));await d.shot("ph-"+u.replace(/\//g,"_"));}
await d.b.close();
