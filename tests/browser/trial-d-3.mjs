import {open} from "./trial-d-lib.mjs";
const {b,p,go,shot}=await open({h:1400});
await go("/",1500);
const box=p.getByPlaceholder("Ask, or paste an error or a log");
const qs=["my training job only gets 13% MFU on 64 H100s, what's wrong","we train llama 3 8b on 32 a100 and MFU is 13%","why does p99 latency go up when we add users to our vLLM server",
"how much KV cache does a 32k context take for llama 3 8b","can I fine-tune Qwen2.5 7B on two 4090s without LoRA",
"gradient accumulation vs bigger batch memory","is 2xA100 40GB enough to serve mixtral in int4",
"how long would it take to train a 13B model on 300B tokens with 128 H100","what is data parallelism",
"how often should I checkpoint with 2000 gpus","GPU utilization is 100% in nvidia-smi but training is slow",
"does NVLink matter for tensor parallel 8 over pcie","what's the difference between FSDP and DDP in one sentence",
"loss goes to NaN after a few hundred steps in fp16","cost of serving 1M tokens with llama 70b on 4 H100 at $2.50/hour",
"qlora 70b on a single 48GB card?","why is my batch size 1 decode so slow on A10","how do I set NCCL_IB_HCA","time to first token is 4 seconds with 8k prompts","how many H100s do I need to pretrain a 7B on 2T tokens in 2 weeks",
"what is the capital of France","how do I bake bread","llama 4 maverick on 8 h100", "deepspeed zero 3 offload 13B on one 3090 with 128GB RAM","speed up dataloader"];
for(const q of qs){const t=Date.now();await box.fill(q);await p.waitForTimeout(1800);
 const r=await p.evaluate(()=>{const x=document.querySelector('[role=listbox]');if(x)return x.innerText.slice(0,900);return "NOBOX"});
 console.log("\n### "+q+"\n"+r.replace(/\n+/g,"\n"));}
await b.close();
