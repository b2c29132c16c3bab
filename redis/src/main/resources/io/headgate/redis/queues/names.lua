-- Registers and lists the names of queues, with their numbers of shards, and the names of streams.
--
-- Four scripts: register_name, shard_count, list_names and keys_exist. Each section describes its KEYS, ARGV, reply and
-- cost.
--
-- State      a hash: name to the number of shards in digits, which is 1 for a stream, followed by the letter t if jobs
--            may have tenants
-- Always     the registered number of shards never decreases, and the letter t is never removed
--
-- Variables that cross sections. From common.lua: call.

-- @section register_name
-- Registers the name and the number of shards of a queue.
--
-- KEYS     1 the hash of names
-- ARGV     1: the name; 2: the number of shards, followed by t if jobs may have tenants
-- Reply    the value that is registered now, in the form of ARGV 2
-- Cost     O(1)
-- @include calls
local registered = call('HGET', KEYS[1], ARGV[1]) or ''
local shards, tenants = string.match(registered, '^(%d+)(t?)$')
local new_shards, new_tenants = string.match(ARGV[2], '^(%d+)(t?)$')
local value = math.max(shards or 0, new_shards) .. (tenants == 't' and tenants or new_tenants)
if value ~= registered then
  call('HSET', KEYS[1], ARGV[1], value)
end
return value

-- @section shard_count
-- Returns the registered number of shards of a queue.
--
-- KEYS     1 the hash of names
-- ARGV     1: the name
-- Reply    the registered value, as for register_name; empty when the name is not registered
-- Cost     O(1)
-- @include calls
return call('HGET', KEYS[1], ARGV[1]) or ''

-- @section list_names
-- Lists a page of the registered names.
--
-- KEYS     1 the hash of names
-- ARGV     1: the cursor, 0 at the start
-- Reply    lines: the cursor, 0 at the end; then one line for each name: the name, a colon and the registered value
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
