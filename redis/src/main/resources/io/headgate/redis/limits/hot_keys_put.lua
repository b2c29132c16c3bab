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
