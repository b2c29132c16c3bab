-- now: microseconds since 1970, as a test passes it in with each step
local now = 0
