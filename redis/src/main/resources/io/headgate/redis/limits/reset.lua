-- Deletes what one rule has counted.
--
-- KEYS       1 the key of the rule; 2 the key of its denials, if the rule bans
-- Reply      '1' when a count or a ban was stored under the key of the rule, else '0'
-- Cost       UNLINK for each key, which frees the memory in the background
--
-- No variable crosses sections.

-- @section reset
-- Deletes the keys.
if KEYS[2] then
  redis.call('UNLINK', KEYS[2])
end
return redis.call('UNLINK', KEYS[1]) > 0 and '1' or '0'
