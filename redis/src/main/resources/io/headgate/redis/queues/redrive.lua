-- Has dead letters wait again, the oldest first or a single one. Their attempts and crashes begin anew; what they failed of
-- stays with them.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most; 2: so many microseconds from one's due time to the next one's; 3: the id of the only one, or
--          nothing; 4: 6 bytes how many jobs the queue may have
-- returns  how many; nothing when there are some, and the queue is full
-- stays    there are no more jobs than there may be
-- costs    O(log n) for each
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include take_from_set
-- @include put_back
-- @include take_dead
-- @include anew
local room = read('>I6', ARGV[4]) - jobs
if room <= 0 then
  return any_dead(ARGV[3]) and '' or '0'
end
local records = take_dead(ARGV[3], math.min(ARGV[1] + 0, at_once(), room))
local soonest = NEVER
for i, record in ipairs(records) do
  local due = now + (i - 1) * ARGV[2]
  soonest = math.min(soonest, due)
  wait_again(anew(record), due, 0, 0, 0)
  jobs = jobs + 1
end
-- @include signal
-- @include header_write
return tostring(#records)
