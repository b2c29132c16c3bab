-- Takes a job that waits out of a queue.
--
-- KEYS     as of claim.lua
-- ARGV     1: the id: 1 byte shard, 1 priority, 7 when it was due first, 6 its number
-- returns  '1' when it waited, else '0'
-- costs    O(log^2 n) in the sorted set, O(n) steps of the list's chunks in the list
-- @include calls
-- @include header_read
-- @include may_write
-- @include take_out
-- @include put_back
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
local record = level < 3 and take_out(KEYS[8 + 2 * level], KEYS[9 + 2 * level], KEYS[14 + level], KEYS[6], number, first_due)
if not record then
  return '0'
end
free_key(record)
jobs = jobs - 1
-- @include header_write
return '1'
