"""From scores of cuts to partitions: the published recursion, its window form, the best total."""
