-- Registers queues by name with their number of shards, and lists them.

-- @section note
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

-- @section noted
-- Tells how many shards of a queue are noted.
--
-- KEYS     1 the names
-- ARGV     1: the name
-- returns  how many; nothing when the name is not noted
-- costs    O(1)
-- @include calls
return call('HGET', KEYS[1], ARGV[1]) or ''

-- @section names
-- Shows some of the names that were noted.
--
-- KEYS     1 the names
-- ARGV     1: where to go on, 0 at the beginning
-- returns  where to go on, 0 at the end, and names, each after a line feed and with a colon and how many shards are noted
-- costs    O(1)
-- @include calls
local page = call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local lines = {page[1]}
for i = 1, #page[2], 2 do
  lines[#lines + 1] = page[2][i] .. ':' .. page[2][i + 1]
end
return table.concat(lines, '\n')

-- @section exist
-- Tells which keys there are.
--
-- KEYS     the keys
-- returns  a byte for each: '1' when it is there, else '0'
-- costs    O(1) for each
-- @include calls
local there = {}
for i = 1, #KEYS do
  there[i] = call('EXISTS', KEYS[i])
end
return table.concat(there)
