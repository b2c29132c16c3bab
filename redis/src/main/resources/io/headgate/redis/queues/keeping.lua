-- How many done jobs are kept and for how many microseconds, which the last argument says; how many this call adds.
local keep_most, keep_for = read('>I4I7', ARGV[last])
local kept = 0
last = last - 1
