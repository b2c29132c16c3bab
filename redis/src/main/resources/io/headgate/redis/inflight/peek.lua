-- Counts the permits that are held under each rule of a policy.
--
-- KEYS       the key of each rule
-- ARGV       in tests, the time
-- Reply      as acquire.lua, as if the hold was not acquired
-- State      as acquire.lua
-- Always     nothing is written
-- Cost       TIME, and for each rule of N permits ZCOUNT and ZRANGEBYSCORE, O(log N)
--
-- Variables that cross sections. From common.lua, which describes them: call, pack, now, packed_counts.

-- @section peek
-- Returns the counts.
-- @include calls
-- @include clock
-- @include count_held
return pack('>I7B', now, 0) .. packed_counts()
