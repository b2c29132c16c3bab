-- Says what time it is, and of which policies there are hot keys of this minute or the one before; writes nothing
--
-- KEYS[1] the policies, a sorted set by minute
-- Returns lines: seconds since 1970, then the names in order. Cost: the number of policies, up to 1000
local now = redis.call('TIME')[1]
local names = redis.call('ZRANGEBYSCORE', KEYS[1], math.floor(now / 60) - 1, '+inf')
table.insert(names, 1, now)
return table.concat(names, '\n')
