import { chromium } from 'playwright';
const b = await chromium.launch({executablePath:'/usr/bin/chromium-headless-shell'});
for (const rm of ['no-preference','reduce']) {
const c = await b.newContext({viewport:{width:1280,height:900}, reducedMotion:rm});
const p = await c.newPage();
await p.goto('http://127.0.0.1:8080/w/kv-compression/');
for (let i=0;i<8;i++){ await p.waitForTimeout(700);
console.log(rm, JSON.stringify(await p.evaluate(()=>[...document.querySelectorAll('.one-picture')].map(e=>[e.getBoundingClientRect().width, e.clientWidth, getComputedStyle(e).fontSize,e.querySelector('.form svg')?.getAttribute('viewBox'),e.querySelector('.form svg text')?.getAttribute('font-size')]))));
}
await p.screenshot({path:`/work/look-n/dd-${rm}.png`});
}
await b.close();
