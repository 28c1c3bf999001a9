import {chromium} from "playwright-core";
export const B="http://127.0.0.1:8131";
export async function open({w=1280,h=800,dark=false,mobile=false}={}){
  const b=await chromium.launch({executablePath:"/usr/bin/chromium-headless-shell"});
  const c=await b.newContext({viewport:{width:w,height:h},colorScheme:dark?"dark":"light",hasTouch:mobile,isMobile:mobile,acceptDownloads:true,storageState: process.env.STATE?process.env.STATE:undefined});
  const p=await c.newPage();
  p.on("console",m=>{if(["error","warning"].includes(m.type()))console.log("CONSOLE",m.type(),m.text().slice(0,300))});
  p.on("pageerror",e=>console.log("PAGEERR",String(e).slice(0,300)));
  const go=async(u,wait=1500)=>{const t=Date.now();await p.goto(B+u,{waitUntil:"load"});await p.waitForTimeout(wait);};
  const shot=(n,full=false)=>p.screenshot({path:`/work/trial-d/${n}.png`,fullPage:full});
  return {b,c,p,go,shot};
}
