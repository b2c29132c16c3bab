-- now: microseconds since 1970, by Redis's clock unless a test passes the time in
local now = ARGV[#KEYS + 2]
if now then
  now = now + 0
else
  local clock = redis.call('TIME')
  now = clock[1] * 1000000 + clock[2]
end
