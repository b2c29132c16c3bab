-- Describes a stream and its groups.

-- @section state
-- Looks at a stream and its groups.
--
-- KEYS     1 stream
-- returns  texts, each behind its length in 2 bytes: how many entries, the first id, the last one; how many groups, and of
--          each its name, the last id that was handed out, how many were not, how many are pending, the oldest of these; how
--          many consumers, and of each its name, how many it has, for how many milliseconds it has not asked. What there is
--          not, or Redis does not tell, is empty
-- costs    O(consumers)
-- @include calls
local texts = {}
local function tell(value)
  local text = type(value) == 'number' and string.format('%.0f', value) or value or ''
  texts[#texts + 1] = pack('>I2', #text) .. text
end
local function facts(reply)
  local all = {}
  for i = 1, #reply, 2 do
    all[reply[i]] = reply[i + 1]
  end
  return all
end
if call('EXISTS', KEYS[1]) == 0 then
  return '\0\1' .. '0' .. '\0\0\0\0\0\1' .. '0'
end
local stream = facts(call('XINFO', 'STREAM', KEYS[1]))
tell(stream.length)
tell(stream['first-entry'] and stream['first-entry'][1])
tell(stream['last-generated-id'])
local groups = call('XINFO', 'GROUPS', KEYS[1])
tell(#groups)
for i = 1, #groups do
  local group = facts(groups[i])
  tell(group.name)
  tell(group['last-delivered-id'])
  tell(group.lag)
  tell(group.pending)
  tell(group.pending > 0 and call('XPENDING', KEYS[1], group.name)[2])
  local consumers = call('XINFO', 'CONSUMERS', KEYS[1], group.name)
  tell(#consumers)
  for k = 1, #consumers do
    local consumer = facts(consumers[k])
    tell(consumer.name)
    tell(consumer.pending)
    tell(consumer.idle)
  end
end
return table.concat(texts)
