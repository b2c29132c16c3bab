-- now: microseconds since 1970, by Redis's clock; last: the number of the last argument
local clock = call('TIME')
local now, last = clock[1] * 1000000 + clock[2], #ARGV
