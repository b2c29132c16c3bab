-- Gives a job that waits another due time.
--
-- KEYS     as of claim.lua
-- ARGV     1: the id: 1 byte shard, 1 priority, 7 when it was due first, 6 its number; 2: 1 byte when it is to be due (0 now,
--          1 after, 2 at), 7 so many microseconds
-- returns  '1' when it waited, else '0'
-- costs    as cancel.lua
-- @include calls
-- @include clock
-- @include header_read
-- @include take_out
-- @include put_back
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
local record = level < 3 and take_out(KEYS[8 + 2 * level], KEYS[9 + 2 * level], KEYS[14 + level], KEYS[6], number, first_due)
if not record then
  return '0'
end
local kind, micros = read('>BI7', ARGV[2])
local soonest = wait_again(record, kind == 2 and math.max(micros, now) or now + micros, 0, 0, 0)
-- @include signal
-- @include header_write
return '1'
