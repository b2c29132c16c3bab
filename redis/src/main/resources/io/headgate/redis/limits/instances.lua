-- Registers the instances of an engine, and counts them.

-- @section instances
-- Notes that an instance is there, or is no more, and says how many are
--
-- KEYS[1] the instances, a sorted set by when each was last heard of, in seconds since 1970; it expires in a minute
-- ARGV[1] the instance
-- ARGV[2] '1' when it is there, '0' when it leaves
-- returns  how many were heard of in the last 10 seconds, in digits. Cost: the number of instances that went
local now = redis.call('TIME')[1]
if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], 60000)
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 10)
return tostring(redis.call('ZCARD', KEYS[1]))
