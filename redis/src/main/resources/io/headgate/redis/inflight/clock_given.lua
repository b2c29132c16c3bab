-- now: microseconds since 1970, as a test passes it in last; whether what expires then is held
local now = ARGV[#ARGV] + 0
-- @include is_held
