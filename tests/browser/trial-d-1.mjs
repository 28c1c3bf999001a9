import {open} from "./trial-d-lib.mjs";
for (const [n,o] of [["l",{}],["d",{dark:true}],["ph",{w:390,h:844,mobile:true}]]){
const {b,p,go,shot}=await open(o);
let t=Date.now(); await go("/",2500);
await shot("home-"+n); await shot("home-full-"+n,true);
if(n=="l"){console.log(await p.evaluate(()=>document.body.innerText));
 console.log(JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll("input,textarea,button,select")].filter(e=>e.offsetParent).map(e=>[e.tagName,e.type,e.id,e.name,e.placeholder,e.innerText?.slice(0,40),e.getAttribute("aria-label")]))));}
await b.close();}
