-- Appends entries to a stream, within its bound.

-- @section produce
-- Adds entries to a stream, all of them or none.
--
-- KEYS     1 stream, 2 what is there while somebody waits for an entry
-- ARGV     1: 6 bytes how many entries the stream may have, 2 how many are to be added; then for each: how many of the next
--          arguments are its fields, and these
-- returns  1 byte whether they were added; then each id behind its length in 1 byte, or the name of a group that still needs
--          what would have to go
-- stays    there are no more entries than there may be; none goes that a group was not handed or has not settled
-- costs    O(1) an entry; at the bound O(groups + entries that go) more
-- @include calls
local most, count = read('>I6I2', ARGV[1])
-- @include make_room
local ids, at = {'\1'}, 2
for i = 1, count do
  local fields = ARGV[at] + 0
  local id = call('XADD', KEYS[1], '*', unpack(ARGV, at + 1, at + fields))
  ids[i + 1] = string.char(#id) .. id
  at = at + fields + 1
end
if call('DEL', KEYS[2]) == 1 then
  call('PUBLISH', KEYS[1], '')
end
return table.concat(ids)

-- @section make_room
-- Takes out the oldest entries, as many as are too many, when no group needs them; else ends the script. Where the bound
-- was lowered that goes in steps.
local length = call('XLEN', KEYS[1])
local over = math.min(length + count - most, count + 100)
if over > 0 then
  -- @include before
  local oldest = call('XRANGE', KEYS[1], '-', '+', 'COUNT', over)
  local last_out = oldest[#oldest][1]
  for _, group in ipairs(call('XINFO', 'GROUPS', KEYS[1])) do
    local facts = {}
    for i = 1, #group, 2 do
      facts[group[i]] = group[i + 1]
    end
    local pending = facts.pending > 0 and call('XPENDING', KEYS[1], facts.name, '-', '+', 1)[1]
    if before(facts['last-delivered-id'], last_out) or pending and not before(last_out, pending[1]) then
      return '\0' .. facts.name
    end
  end
  call('XTRIM', KEYS[1], 'MAXLEN', length - over)
end

-- @section before
-- Whether one id of an entry is below another: as numbers of up to 20 digits, which Lua does not have.
local function before(one, other)
  local millis, sequence = string.match(one, '(%d+)-(%d+)')
  local other_millis, other_sequence = string.match(other, '(%d+)-(%d+)')
  if millis ~= other_millis then
    return millis + 0 < other_millis + 0
  end
  return #sequence < #other_sequence or #sequence == #other_sequence and sequence < other_sequence
end
