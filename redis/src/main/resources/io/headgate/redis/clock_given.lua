-- now: microseconds since 1970, as a test passes it in
local now = ARGV[#KEYS + 2] + 0
