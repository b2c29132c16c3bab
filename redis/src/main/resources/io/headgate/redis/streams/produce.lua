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
