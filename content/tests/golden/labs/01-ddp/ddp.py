import torch.distributed as dist

works = []


# [hook]
def hook(parameter):
    works.append(dist.all_reduce(parameter.grad, async_op=True))


def finish():
    for work in works:
        work.wait()
# [/hook]
