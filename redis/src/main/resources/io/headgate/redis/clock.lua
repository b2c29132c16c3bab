-- now: microseconds since 1970, by Redis's clock unless a test passes the time in
local now
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(ARGV[1])
end
