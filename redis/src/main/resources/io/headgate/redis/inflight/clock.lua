-- now: microseconds since 1970, by Redis's clock; whether what expires then is held
local clock = call('TIME')
local now = clock[1] * 1000000 + clock[2]
-- @include is_held
