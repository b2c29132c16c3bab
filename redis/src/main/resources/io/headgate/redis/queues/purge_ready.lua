-- Removes jobs that are due, in the order in which they would be handed out.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most
-- returns  1 byte whether there may be more, 6 how many
-- costs    O(1) a run from the list, O(log n) a job from the sorted set, O(1) a job that has a key
-- @include calls
-- @include clock
-- @include header_read
-- @include may_write
-- @include at_once
-- @include put_back
local most = ARGV[1] + 0
-- @include take_run
for level = 8, #KEYS, 2 do
  -- @include take
end
for _, run in ipairs(taken) do
  local first, due, count = read('>I6I7I2', run)
  local at = 16
  for number = first, first + count - 1 do
    local flags, size = read('>BI3', run, at)
    if math.floor(flags / 4) % 2 == 1 then
      free_key(pack('>I6I7I2', number, due, 1) .. sub(run, at, at + 3 + size))
    end
    at = at + 4 + size
  end
end
jobs = jobs - n
-- @include header_write
return pack('>BI6', more <= now and 1 or 0, n)
