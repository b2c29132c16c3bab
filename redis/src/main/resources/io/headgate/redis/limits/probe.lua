-- Shows that decisions can be made: that Redis executes scripts and accepts writes.

-- @section probe
-- Writes something of no meaning, which shows that decisions can be made
--
-- KEYS[1] what it writes, for a minute
-- returns  '1'. Cost: constant
redis.call('SET', KEYS[1], '1', 'EX', 60)
return '1'
