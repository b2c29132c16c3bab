-- Looks for a job by its id, wherever it is.
--
-- KEYS     as of claim.lua
-- ARGV     1: the id, as of cancel.lua; 2: where to go on among claims: 7 bytes when the first lease of one ends, 12 its
--          token; nothing at the beginning
-- returns  1 byte where it is: 0 nowhere, 1 not found so far and 19 bytes where to go on, 2 ready, 3 delayed, 4 in hand, 5
--          dead; then 7 when its lease ends or since when it is dead, and a run of one
-- costs    as cancel.lua where it waits; else O(jobs) of each claim, of which at most 100 are looked at
-- @include calls
-- @include clock
-- @include header_read
-- @include leases_in
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include find_in_hand
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
if level > 2 then
  return '\0'
end
return find_waiting(level, first_due, number) or find_in_hand(level, first_due, number)
