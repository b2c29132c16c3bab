-- Appends entries to a stream, all or none, within the maximum length of the stream.
--
-- KEYS       1 the stream, 2 a string that exists while a consumer waits for an entry
-- ARGV       1: how many entries the stream may have (6 bytes), how many are added (2); then for each entry the number
--            of its further arguments, in digits, and these: names and values of its fields
-- Reply      1 byte: 1 added, followed by the ids, each preceded by its length (1 byte); or 0 the stream is full,
--            followed by the name of a group that still needs an entry that would have to be removed
-- State      a stream: in each entry the field p is the payload, and the other fields are headers
-- Always     the stream never exceeds its maximum length, unless the maximum was lowered. An entry is removed only
--            after every group has received and settled it
-- Cost       O(1) for an entry; in addition O(groups + removed entries) at the maximum length
--
-- Variables that cross sections. From common.lua of queues: call, decode.
--   max_entries       how many entries the stream may have
--   count             how many entries are added
--   is_before         function: whether one entry id is below another

-- @section produce
-- Makes room, appends the entries, and wakes consumers.
-- @include calls
local max_entries, count = decode('>I6I2', ARGV[1])
-- @include make_room
local ids, position = {'\1'}, 2
for i = 1, count do
  local fields = ARGV[position] + 0
  local id = call('XADD', KEYS[1], '*', unpack(ARGV, position + 1, position + fields))
  ids[i + 1] = string.char(#id) .. id
  position = position + fields + 1
end
if call('DEL', KEYS[2]) == 1 then
  call('PUBLISH', KEYS[1], '')
end
return table.concat(ids)

-- @section make_room
-- If the stream would exceed its maximum length, removes the oldest entries; if a group still needs one of these, ends
-- the script. After the maximum was lowered, each call removes up to 100 entries more than it adds.
local length = call('XLEN', KEYS[1])
local surplus = math.min(length + count - max_entries, count + 100)
if surplus > 0 then
  -- @include is_before
  local oldest = call('XRANGE', KEYS[1], '-', '+', 'COUNT', surplus)
  local last_removed = oldest[#oldest][1]
  for _, group in ipairs(call('XINFO', 'GROUPS', KEYS[1])) do
    local facts = {}
    for i = 1, #group, 2 do
      facts[group[i]] = group[i + 1]
    end
    local pending = facts.pending > 0 and call('XPENDING', KEYS[1], facts.name, '-', '+', 1)[1]
    if is_before(facts['last-delivered-id'], last_removed) or pending and not is_before(last_removed, pending[1]) then
      return '\0' .. facts.name
    end
  end
  call('XTRIM', KEYS[1], 'MAXLEN', length - surplus)
end

-- @section is_before
-- Whether one entry id is below another. The second parts are compared as strings, because they have up to 20 digits,
-- too many for a Lua number.
local function is_before(one, other)
  local millis, sequence = string.match(one, '(%d+)-(%d+)')
  local other_millis, other_sequence = string.match(other, '(%d+)-(%d+)')
  if millis ~= other_millis then
    return millis + 0 < other_millis + 0
  end
  return #sequence < #other_sequence or #sequence == #other_sequence and sequence < other_sequence
end
