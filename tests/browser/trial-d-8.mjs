import {open} from "./trial-d-lib.mjs";import {L} from "./trial-d-logs.mjs";
const {b,c,p,go,shot}=await open({h:1400});
await go("/run/",2500);
const ta=p.locator("main textarea").first();
const script=`#!/bin/bash
#SBATCH --nodes=8
#SBATCH --gpus-per-node=8
srun torchrun --nnodes 8 --nproc_per_node 8 --rdzv-backend c10d --rdzv-endpoint $MASTER_ADDR:29500 pretrain_gpt.py \\
 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 --sequence-parallel \\
 --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 --group-query-attention --num-query-groups 8 \\
 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 512 --vocab-size 128256 --swiglu --untie-embeddings-and-output-weights \\
 --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --use-distributed-optimizer --bf16

`+L.mega.replace(/18234.5/,"66234.5").replace(/18190.1/,"66190.1")+`
GPUs: H100 SXM 80GB`;
await ta.fill(script);await p.waitForTimeout(500);
await p.getByRole("button",{name:"Read it"}).click();await p.waitForTimeout(5000);
await shot("run-read2",true);console.log((await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").slice(0,6000));
const sel=p.locator("main select"); console.log(await sel.count());
for(let i=0;i<await sel.count();i++){const s=sel.nth(i);if(await s.isVisible()){const o=await s.locator("option").allInnerTexts();if(o.includes("H100 SXM 80 GB")){await s.selectOption({label:"H100 SXM 80 GB"});break;}}}
await p.waitForTimeout(4000);await shot("run-read3",true);console.log("-----\n"+(await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").slice(0,9000));
await b.close();
