import { chromium } from 'playwright';
const [base,out,...ids] = process.argv.slice(2);
const b = await chromium.launch({executablePath:'/usr/bin/chromium-headless-shell'});
const views=[['1280',1280,900,'light'],['390',390,844,'light'],['dark',1280,900,'dark']];
for (const [tag,w,h,scheme] of views) {
  const c = await b.newContext({viewport:{width:w,height:h}, colorScheme:scheme, reducedMotion:'reduce'});
  for (const a of ids) {
    const [id,q,name] = a.split('|');
    const p = await c.newPage();
    p.on('console',m=>{ if(m.type()=='error') console.log(id,m.text())}); p.on('pageerror',e=>console.log(id,e.message));
    await p.goto(`${base}w/${id}/${q?('?'+q):''}`);
    await p.waitForSelector('.figure .form svg, .figure .chart canvas',{timeout:30000}).catch(()=>console.log(id,'no picture'));
    await p.waitForTimeout(1200);
    await p.screenshot({path:`${out}/${name??id}-${tag}.png`, fullPage: false});
    await p.close();
  }
}
await b.close();
