-- Removes dead letters, the oldest first or a single one.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most; 2: nothing; 3: the id of the only one, or nothing
-- returns  how many
-- costs    O(log n) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include take_from_set
-- @include take_dead
local records = take_dead(ARGV[3], math.min(ARGV[1] + 0, at_once()))
-- @include header_write
return tostring(#records)
