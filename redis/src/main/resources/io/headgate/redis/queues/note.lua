-- Notes the name of a queue, so that it can be listed, and how many shards it has: never fewer than were noted before.
--
-- KEYS     1 the names
-- ARGV     1: the name, 2: how many shards
-- returns  how many shards are noted now
-- costs    O(1)
-- @include calls
local noted = tonumber(call('HGET', KEYS[1], ARGV[1]) or '') or 0
if noted >= ARGV[2] + 0 then
  return tostring(noted)
end
call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]
