-- Hands out jobs that are due, after it has settled others and taken back what expired.
--
-- KEYS     1 header, 2 leases, 3 held, 4 records, 5 keys, 6 places, 7 dead, 8..13 ready and waiting of each priority, 14..16
--          the records of what is ready, of each priority; last done, where done jobs are kept
-- ARGV     1: 2 bytes how many jobs at most, 7 how many microseconds they are leased, 1 how often a job may crash;
--          2: the token of the claim; then what is to be settled, as in settle.lua, and where done jobs are
--          kept, as keeping.lua
-- returns  7 bytes the time, 7 when there may be more, 1 whether the queue is paused, 2 how many jobs, 1 how many are dead
--          letters now, as their leases expired too often; the runs that they are in, in parts; a byte for each that was to be
--          settled
-- stays    a job is in one place; jobs of a priority are handed out by due time, then by number
-- costs    O(1) a run from the list, O(log n) a job from the sorted set, O(jobs) of one claim that expired
-- @include calls
-- @include clock
-- @include keeping
-- @include header_read
-- @include may_write
-- @include at_once
local most, lease, crashes = read('>I2I7B', ARGV[1])
local settled, given_up = '', 0
-- @include parts_of
local settles = last > 2 or ends <= now
-- @include trim_due
if settles then
  local first = 3
  -- @include put_back
  -- @include leases_in
  -- @include settle_all
  -- @include expire
  -- @include take_back
  -- @include trim
end
-- @include take_run
if paused == 0 then
  for level = 8, 12, 2 do
    -- @include take
  end
end
more = math.min(more, ends)
if n > 0 then
  local expiry = now + lease
  -- @include hold
  call('ZADD', KEYS[2], string.format('%.0f', expiry), ARGV[2])
  leased, ends = leased + n, math.min(ends, expiry)
end
if more > now then
  -- Who got all there was comes back only then, unless it is woken.
  awaited = more
end
-- @include header_write
table.insert(taken, 1, pack('>I7I7BI2B', now, more, paused, n, given_up))
taken[#taken + 1] = settled
return taken
