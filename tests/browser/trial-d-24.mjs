import {open} from "./trial-d-lib.mjs";
const {b,c,p,go,shot}=await open({h:1000});
const txt=async(n,k=2500)=>console.log("\n#### "+n+" "+p.url().slice(0,250)+"\n"+(await p.evaluate(()=>(document.querySelector("main")||document.body).innerText)).replace(/\n+/g,"\n").replace(/GPT-2 \(124M\)[\s\S]*?DeepSeek-V4 Flash \(284B\)/g,"[models]").replace(/V100 SXM2 32[\s\S]*?Trainium 3 144 GB/g,"[gpus]").slice(0,k));
const ask=async(q,n)=>{await go("/",1000);const x=p.getByPlaceholder("Ask, or paste an error or a log");await x.click();await p.waitForTimeout(1200);await x.fill(q);await p.waitForTimeout(2000);await p.keyboard.press("Enter");await p.waitForTimeout(3000);await shot(n,true);await txt(n,3500);};
await ask("my training job only gets 13% MFU on 64 H100s, what's wrong","q-mfu");
await ask("cost of serving 1M tokens with llama 70b on 4 H100 at $2.50/hour","q-cost");
await ask("qlora 70b on a single 48GB card?","q-qlora");
// more questions
await go("/",1000);const box=p.getByPlaceholder("Ask, or paste an error or a log");await box.click();await p.waitForTimeout(1200);
for(const q of ["how long would it take to train a 13B model on 300B tokens with 128 H100 at 40% MFU","train 7B on 2T tokens with 176 H100, how many days","can llama 3 70b run on one H100","can I serve Llama 3 70B on 2 A100 80GB with 50 users at 8k context","llama 3 8b fp8 on a 4090","fine-tune llama 3 8b full on 4x A100 40GB seq 8192","what batch size fits for llama 3 8b on 8 h100 zero 3","2x rtx 3090 qlora llama 3 70b","is 400 tokens/s per GPU good for llama 70b training","allreduce 10GB over 16 nodes 400Gb/s how long","13% MFU","checkpoint interval 1024 gpus mtbf 3 hours 5 minute checkpoint","MI250X fine-tune 7B","fine-tune 30B on one MI250X","NCCL timeout","vLLM latency rises after an hour"]){await box.fill(q);await p.waitForTimeout(1700);const r=await p.evaluate(()=>document.querySelector('[role=listbox]')?.innerText.slice(0,750)||"NOBOX");console.log("\n### "+q+"\n"+r.replace(/\n+/g,"\n"));}
await b.close();
