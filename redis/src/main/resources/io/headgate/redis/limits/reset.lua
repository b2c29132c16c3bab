-- Deletes what one rule has counted.
--
-- KEYS       1 the key of the rule
-- Reply      '1' when something was stored there, else '0'
-- Cost       UNLINK, which frees the memory in the background
--
-- No variable crosses sections.

-- @section reset
-- Deletes the key.
return redis.call('UNLINK', KEYS[1]) > 0 and '1' or '0'
