//! A table to try: what somebody measured and posted.

use crate::hardware::Source;

/// Where [`EXAMPLE`] is from. The list of its ranks and the row of 64 MiB are left out.
pub const EXAMPLE_SOURCE: Source = Source {
    title: "kvcache-ai/Mooncake, pull request 3484: 8 H20 on NVSwitch",
    url: "https://github.com/kvcache-ai/Mooncake/pull/3484",
};

/// Output of `all_reduce_perf` on 8 GPUs.
pub const EXAMPLE: &str = "\
# nccl-tests version 2.19.7 nccl-headers=23004 nccl-library=23004
# Collective test starting: all_reduce_perf
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
       32768          8192     float     sum      -1    18.66    1.76    3.07       0    17.95    1.83    3.20       0
       65536         16384     float     sum      -1    18.95    3.46    6.05       0    18.25    3.59    6.28       0
      131072         32768     float     sum      -1    19.25    6.81   11.91       0    18.43    7.11   12.44       0
      262144         65536     float     sum      -1    19.54   13.42   23.48       0    19.27   13.61   23.81       0
      524288        131072     float     sum      -1    20.39   25.71   45.00       0    20.48   25.61   44.81       0
     1048576        262144     float     sum      -1    27.76   37.78   66.11       0    27.49   38.15   66.76       0
     2097152        524288     float     sum      -1    40.66   51.58   90.27       0    40.36   51.97   90.94       0
     4194304       1048576     float     sum      -1    53.24   78.78  137.87       0    52.85   79.36  138.88       0
     8388608       2097152     float     sum      -1    81.16  103.36  180.88       0    80.46  104.26  182.45       0
    16777216       4194304     float     sum      -1   121.33  138.28  242.00       0   120.47  139.26  243.71       0
    33554432       8388608     float     sum      -1   195.40  171.72  300.51       0   195.40  171.73  300.52       0
   134217728      33554432     float     sum      -1   700.25  191.67  335.43       0   701.01  191.46  335.06       0
   268435456      67108864     float     sum      -1  1366.17  196.49  343.85       0  1367.43  196.31  343.54       0
   536870912     134217728     float     sum      -1  2671.60  200.96  351.67       0  2670.98  201.00  351.75       0
  1073741824     268435456     float     sum      -1  5252.64  204.42  357.73       0  5234.83  205.12  358.95       0
# Out of bounds values : 0 OK
";
