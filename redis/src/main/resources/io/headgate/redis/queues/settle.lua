-- Says what came of jobs that are in hand.
--
-- KEYS     as of claim.lua
-- ARGV     a token and what is to be done with its jobs, and so on: see settle_all.lua
-- returns  7 bytes the time; a byte for each: 1 done, 0 the lease was lost and nothing changed
-- costs    O(jobs of the claims); O(log n) more for one that waits again
-- @include calls
-- @include clock
-- @include header_read
-- @include may_write
local settled = ''
local first = 1
-- @include put_back
-- @include parts_of
-- @include leases_in
-- @include settle_all
-- @include header_write
return pack('>I7', now) .. settled
