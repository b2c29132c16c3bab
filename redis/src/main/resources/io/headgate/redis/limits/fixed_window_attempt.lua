-- Attempts bring the count of a window to its limit at most.
permits = permits < limit - count and permits or limit - count
