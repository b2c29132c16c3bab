-- now: microseconds since 1970, as a test passes it in last; last: the number of the last argument before it
local now, last = ARGV[#ARGV] + 0, #ARGV - 1
