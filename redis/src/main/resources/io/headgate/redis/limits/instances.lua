-- Registers or removes an instance of an engine, and counts the live ones.
--
-- KEYS       1 the instances
-- ARGV       1 the instance; 2 '1' to register it, '0' to remove it
-- Reply      how many instances were registered in the last 10 seconds, in digits
-- State      a sorted set of instances by when each was last registered, in seconds since 1970; it expires
--            after a minute without a registration
-- Cost       O(log n) for n instances, and O(log n) for each expired instance that is removed
--
-- No variable crosses sections.

-- @section instances
-- Registers or removes the instance, drops expired ones and returns the count.
local now_seconds = redis.call('TIME')[1]
if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[1], now_seconds, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], 60000)
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_seconds - 10)
return tostring(redis.call('ZCARD', KEYS[1]))
