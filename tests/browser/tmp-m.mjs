import { chromium } from 'playwright';
const ids = process.argv.slice(2);
const b = await chromium.launch({executablePath:'/usr/bin/chromium-headless-shell'});
for (const js of [true,false]) {
  const c = await b.newContext({viewport:{width:1280,height:900}, javaScriptEnabled: js, reducedMotion:'reduce'});
  for (const a of ids) {
    const [id,q,tag] = a.split('|');
    const p = await c.newPage();
    await p.goto(`http://127.0.0.1:8133/w/${id}/${q?('?'+q):''}`);
    await p.waitForTimeout(js?2500:400);
    await p.screenshot({path:`/work/look-m/${id}${tag??''}-${js?'live':'still'}.png`});
    await p.close();
  }
}
await b.close();
