import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:1000});
const txt=async(n,k=4500)=>console.log("\n#### "+n+" "+p.url()+"\n"+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").slice(0,k));
await go("/",1200);const teach=p.getByRole("link",{name:"Teach",exact:true}).first();console.log(await teach.getAttribute("href"));await teach.click();await p.waitForTimeout(2000);await txt("teach",5000);await shot("teach",true);
for(const u of ["syllabus","lecture","presenter","quiz","check","export","record","author"]){await go("/"+u+"/",1800);await txt(u,2600);await shot("i-"+u,true);}
await b.close();
