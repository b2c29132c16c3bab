-- A sliding window in a sorted set: members are admissions, scores their times in microseconds.
--
-- KEYS[1]  the key
-- ARGV     limit; window in us; a member that no other request has
-- returns  1 when admitted, 0 when denied; neither the remaining permits nor a wait
local time = redis.call('TIME')
local now, window = time[1] * 1000000 + time[2], tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  return 0
end
redis.call('ZADD', KEYS[1], now, ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 1
