-- Registers queues by name with their number of shards, and lists them.
--
-- Four scripts: register_name, shard_count, list_names and keys_exist. Their KEYS, ARGV, reply and cost stand above
-- their sections.
--
-- State      a hash: the number of shards, in digits, by the name of the queue
-- Always     the number of shards of a queue never decreases
--
-- Variables that cross sections. From common.lua: call.

-- @section register_name
-- Registers the name and the number of shards of a queue.
--
-- KEYS     1 the names
-- ARGV     1: the name, 2: how many shards
-- Reply    how many shards are registered now
-- Cost     O(1)
-- @include calls
local registered = tonumber(call('HGET', KEYS[1], ARGV[1]) or '') or 0
if registered >= ARGV[2] + 0 then
  return tostring(registered)
end
call('HSET', KEYS[1], ARGV[1], ARGV[2])
return ARGV[2]

-- @section shard_count
-- Returns how many shards of a queue are registered.
--
-- KEYS     1 the names
-- ARGV     1: the name
-- Reply    how many; empty when the name is not registered
-- Cost     O(1)
-- @include calls
return call('HGET', KEYS[1], ARGV[1]) or ''

-- @section list_names
-- Lists some registered names.
--
-- KEYS     1 the names
-- ARGV     1: the cursor, 0 at the start
-- Reply    lines: the cursor, 0 at the end; then names, each with a colon and how many shards are registered
-- Cost     O(1)
-- @include calls
local page = call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local lines = {page[1]}
for i = 1, #page[2], 2 do
  lines[#lines + 1] = page[2][i] .. ':' .. page[2][i + 1]
end
return table.concat(lines, '\n')

-- @section keys_exist
-- Returns which keys exist.
--
-- KEYS     the keys
-- Reply    a byte for each: '1' when it exists, else '0'
-- Cost     O(1) for each
-- @include calls
local exists = {}
for i = 1, #KEYS do
  exists[i] = call('EXISTS', KEYS[i])
end
return table.concat(exists)
