import {open} from "./trial-d-lib.mjs";import {L} from "./trial-d-logs.mjs";
const {b,c,p,go,shot}=await open({h:1400});
await c.grantPermissions(["clipboard-read","clipboard-write"]);
for(const w of [250,500,800]){await go("/",2000);await p.evaluate(t=>navigator.clipboard.writeText(t),L.mega);
await p.getByPlaceholder("Ask, or paste an error or a log").click();await p.waitForTimeout(w);await p.keyboard.press("Control+V"); await p.waitForTimeout(1000);
console.log(w,await p.evaluate(()=>document.activeElement.tagName));}
await go("/run/",2500); await shot("run-empty");
const ta=p.locator("main textarea").first();
const script=`#!/bin/bash
#SBATCH --nodes=8
#SBATCH --gpus-per-node=8
srun torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py \\
 --tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 --sequence-parallel \\
 --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 --group-query-attention --num-query-groups 8 \\
 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 512 --vocab-size 128256 --swiglu --untie-embeddings-and-output-weights \\
 --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --use-distributed-optimizer --bf16
`+L.mega+`
| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |
|   0  NVIDIA H100 80GB HBM3          On  | 00000000:19:00.0 Off |                    0 |
| N/A   41C    P0             398W / 700W |  71211MiB / 81559MiB |    100%      Default |`;
await ta.fill(script);await p.waitForTimeout(500);
const rd=p.getByRole("button",{name:"Read it"});const t=Date.now();if(await rd.count())await rd.click();await p.waitForTimeout(6000);
await shot("run-read",true);console.log((await p.evaluate(()=>document.querySelector("main").innerText)).replace(/\n+/g,"\n").slice(0,7000));
await b.close();
