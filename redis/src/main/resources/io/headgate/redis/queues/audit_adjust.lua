-- Adds to what the header of a queue counts, and subtracts, so much as it is wrong by: that stays the same whatever others do
-- meanwhile.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     what to add to: 1 all jobs, 2 those in hand, 3 cancelled ones; 4 the number of the last job, and 5 the length of the
--          longest record in a sorted set, at least
-- returns  nothing
-- @include calls
-- @include header_read
jobs, leased, cancelled = jobs + ARGV[1], leased + ARGV[2], cancelled + ARGV[3]
jobs, leased, cancelled = math.max(0, jobs), math.max(0, leased), math.max(0, cancelled)
seq, longest = math.max(seq, ARGV[4] + 0), math.max(longest, ARGV[5] + 0)
local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
ends = math.min(ends, soonest and soonest + 0 or NEVER)
-- @include header_write
return ''
