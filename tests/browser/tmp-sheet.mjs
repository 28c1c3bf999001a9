import { chromium } from 'playwright';
import { readFileSync } from 'fs';
const [out, width, ...files] = process.argv.slice(2);
const b = await chromium.launch({executablePath:'/usr/bin/chromium-headless-shell'});
const p = await b.newPage({viewport:{width:+width, height:400}});
await p.setContent('<body style="margin:0;display:grid;grid-template-columns:1fr 1fr;gap:4px;background:#888">'+files.map(f=>`<img style="width:100%" src="data:image/png;base64,${readFileSync(f).toString('base64')}">`).join('')+'</body>');
await p.waitForTimeout(300);
await p.screenshot({path:out, fullPage:true});
await b.close();
