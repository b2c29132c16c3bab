-- Stores and reads what instances know of hot keys.

-- @section hot_keys_put
-- Keeps what one instance knows of a policy's hot keys of one minute, in the place of what it said before
--
-- KEYS[1] the parts of all instances, a hash; KEYS[2] the policies of which there are any, a sorted set by minute
-- ARGV: 1 instance, 2 part, 3 policy, 4 minute since 1970
-- Returns an empty string. Both keys expire 3 minutes after the last part; nobody has to remove an instance that died
-- Up to 100 instances and 1000 policies: further ones are left out. Cost: O(1), and the log of the number of policies
if redis.call('HLEN', KEYS[1]) < 100 or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], 180000)
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4] - 3)
if redis.call('ZCARD', KEYS[2]) < 1000 or redis.call('ZSCORE', KEYS[2], ARGV[3]) then
  redis.call('ZADD', KEYS[2], 'GT', ARGV[4], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], 180000)
end
return ''

-- @section hot_keys_policies
-- Says what time it is, and of which policies there are hot keys of this minute or the one before; writes nothing
--
-- KEYS[1] the policies, a sorted set by minute
-- Returns lines: seconds since 1970, then the names in order. Cost: the number of policies, up to 1000
local now = redis.call('TIME')[1]
local names = redis.call('ZRANGEBYSCORE', KEYS[1], math.floor(now / 60) - 1, '+inf')
table.insert(names, 1, now)
return table.concat(names, '\n')

-- @section hot_keys_parts
-- Reads what all instances know of a policy's hot keys of two minutes; writes nothing
--
-- KEYS[1], KEYS[2] the parts of each minute, hashes
-- Returns the parts of one minute after those of the other, each of which says how long it is
-- Cost: the bytes of all parts, of 100 instances at most 3.2 MB
return table.concat(redis.call('HVALS', KEYS[1])) .. table.concat(redis.call('HVALS', KEYS[2]))
