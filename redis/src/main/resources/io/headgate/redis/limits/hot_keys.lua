-- Stores and reads the hot keys that instances report.
--
-- Three scripts: hot_keys_put, hot_keys_policies and hot_keys_parts. Their KEYS, ARGV, reply and cost are described
-- above their sections.
--
-- State      for each policy and minute a hash with the report of each instance (see HotKeysPart); and a sorted set of
--            the policies by the minute of their last report. Both expire after 3 minutes without a report, so the
--            reports of a dead instance need no removal
-- Always     at most 100 instances for each policy and minute, and 1000 policies; further ones are left out
--
-- No variable crosses sections.

-- @section hot_keys_put
-- Stores the hot keys that one instance reports for a policy and minute, in place of its previous report.
--
-- KEYS     1 the reports of that policy and minute; 2 the policies
-- ARGV     1 the instance; 2 its report; 3 the policy; 4 the minute since 1970
-- Reply    an empty string
-- Cost     O(1), and O(log n) for n policies
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
-- Returns the time, and the policies with reports of this minute or the previous one. Writes nothing.
--
-- KEYS     1 the policies
-- Reply    lines: seconds since 1970, then the names of the policies, those with the earliest last report first
-- Cost     O(n) for n policies, at most 1000
local now_seconds = redis.call('TIME')[1]
local names = redis.call('ZRANGEBYSCORE', KEYS[1], math.floor(now_seconds / 60) - 1, '+inf')
table.insert(names, 1, now_seconds)
return table.concat(names, '\n')

-- @section hot_keys_parts
-- Returns the reports of all instances about a policy for two minutes. Writes nothing.
--
-- KEYS     1, 2 the reports of each minute
-- Reply    the reports of the first minute, then those of the second; each begins with its length
-- Cost     O(bytes); 100 instances have at most 3.2 MB
return table.concat(redis.call('HVALS', KEYS[1])) .. table.concat(redis.call('HVALS', KEYS[2]))
