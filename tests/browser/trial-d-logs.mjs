export const L={
nccl:`[rank3]:[E1128 04:12:33.218471 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=58724352, NumelOut=58724352, Timeout(ms)=600000) ran for 600043 milliseconds before timing out.
[rank3]:[E1128 04:12:33.219002 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at work: 48211, last enqueued NCCL work: 48213, last completed NCCL work: 48210.
[rank11]:[E1128 04:12:33.402211 ProcessGroupNCCL.cpp:616] [Rank 11] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48211, OpType=ALLREDUCE, NumelIn=58724352, NumelOut=58724352, Timeout(ms)=600000) ran for 600081 milliseconds before timing out.
[rank7]:[E1128 04:12:33.611902 ProcessGroupNCCL.cpp:616] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48210, OpType=_ALLGATHER_BASE, NumelIn=7340544, NumelOut=117448704, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.
[rank3]:[E1128 04:12:33.700000 ProcessGroupNCCL.cpp:630] [Rank 3] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.
[rank3]:[E1128 04:12:33.700001 ProcessGroupNCCL.cpp:636] [Rank 3] To avoid data inconsistency, we are taking the entire process down.
terminate called after throwing an instance of 'c10::DistBackendError'`,
oom:`torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 23.64 GiB of which 119.12 MiB is free. Process 1842 has 23.52 GiB memory in use. Of the allocated memory 22.71 GiB is allocated by PyTorch, and 371.22 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.
  File "train.py", line 88, in <module>
    optimizer.step()`,
vllm:`INFO 11-28 10:31:02 metrics.py:455] Avg prompt throughput: 2210.4 tokens/s, Avg generation throughput: 1102.7 tokens/s, Running: 212 reqs, Swapped: 0 reqs, Pending: 87 reqs, GPU KV cache usage: 99.4%, CPU KV cache usage: 0.0%.
WARNING 11-28 10:31:07 scheduler.py:1754] Sequence group cmpl-8fa2 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption=451`,
mega:` iteration      120/   50000 | consumed samples:        61440 | elapsed time per iteration (ms): 18234.5 | throughput per GPU (TFLOP/s/GPU): 128.4 | learning rate: 1.8E-05 | global batch size:   512 | lm loss: 6.214E+00 | loss scale: 1.0 | grad norm: 1.312 | number of skipped iterations:   0 | number of nan iterations:   0 |
 iteration      121/   50000 | consumed samples:        61952 | elapsed time per iteration (ms): 18190.1 | throughput per GPU (TFLOP/s/GPU): 128.7 | learning rate: 1.8E-05 | global batch size:   512 | lm loss: 6.187E+00 | loss scale: 1.0 | grad norm: 1.292 | number of skipped iterations:   0 | number of nan iterations:   0 |`,
hf:`{'loss': 1.8342, 'grad_norm': 0.91, 'learning_rate': 1.9e-05, 'epoch': 0.12}
{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.88e-05, 'epoch': 0.13}
{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1.86e-05, 'epoch': 0.14}`,
cmd:`vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4 --max-model-len 32768 --gpu-memory-utilization 0.92 --max-num-seqs 256`,
smi:`|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   78C    P0             121W / 400W |  76211MiB / 81920MiB |    100%      Default |
|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0F:00.0 Off |                    0 |
| N/A   41C    P0             398W / 400W |  76211MiB / 81920MiB |    100%      Default |`,
slurm:`slurmstepd: error: Detected 1 oom_kill event in StepId=881231.0. Some of the step tasks have been OOM Killed.
srun: error: node017: task 12: Out Of Memory`,
ds:`{"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "overlap_comm": true}}`,
rdzv:`torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (10.0.3.14, 29500).`,
none:`KeyError: 'labels'
  File "/home/u/train.py", line 44, in collate
    batch["labels"] = pad(batch["labels"])`,
};
