import os
import torch
import torch.distributed as dist


def main():
    dist.init_process_group(backend="nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    x = torch.ones(4).to(device)
    y = torch.ones(4).cuda()
    dist.all_reduce(x + y)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
