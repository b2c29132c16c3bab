-- Describes a stream, its groups and their consumers.
--
-- KEYS       1 the stream
-- Reply      strings, each preceded by its length (2 bytes): the number of entries, the first id, the last id; the number
--            of groups, and for each group its name, the last delivered id, the lag, the number of pending entries, the
--            id of the oldest pending entry, the number of consumers, and for each consumer its name, the number of its
--            pending entries, and for how many ms it has been idle. A string is empty if there is no such value, or if
--            Redis does not report it
-- State      produce.lua describes the stream
-- Always     nothing is written
-- Cost       O(consumers)
--
-- Variables that cross sections. From common.lua of queues: call, pack.

-- @section state
-- Collects the strings of the reply.
-- @include calls
local strings = {}
local function add(value)
  local string_value = type(value) == 'number' and string.format('%.0f', value) or value or ''
  strings[#strings + 1] = pack('>I2', #string_value) .. string_value
end
local function as_table(reply)
  local all = {}
  for i = 1, #reply, 2 do
    all[reply[i]] = reply[i + 1]
  end
  return all
end
if call('EXISTS', KEYS[1]) == 0 then
  -- No entries, no first and no last id, no groups.
  return '\0\1' .. '0' .. '\0\0\0\0\0\1' .. '0'
end
local stream = as_table(call('XINFO', 'STREAM', KEYS[1]))
add(stream.length)
add(stream['first-entry'] and stream['first-entry'][1])
add(stream['last-generated-id'])
local groups = call('XINFO', 'GROUPS', KEYS[1])
add(#groups)
for i = 1, #groups do
  local group = as_table(groups[i])
  add(group.name)
  add(group['last-delivered-id'])
  add(group.lag)
  add(group.pending)
  add(group.pending > 0 and call('XPENDING', KEYS[1], group.name)[2])
  local consumers = call('XINFO', 'CONSUMERS', KEYS[1], group.name)
  add(#consumers)
  for k = 1, #consumers do
    local consumer = as_table(consumers[k])
    add(consumer.name)
    add(consumer.pending)
    add(consumer.idle)
  end
end
return table.concat(strings)
