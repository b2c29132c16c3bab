-- Resets what a rule has counted.

-- @section reset
-- Forgets what is counted.
--
-- KEYS     the key of one rule
-- returns  '1' when something was stored there, else '0'
return redis.call('UNLINK', KEYS[1]) > 0 and '1' or '0'
