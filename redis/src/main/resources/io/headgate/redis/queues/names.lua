-- Shows some of the names that were noted.
--
-- KEYS     1 the names
-- ARGV     1: where to go on, 0 at the beginning
-- returns  where to go on, 0 at the end, and names, each after a line feed
-- costs    O(1)
-- @include calls
local page = call('SSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
table.insert(page[2], 1, page[1])
return table.concat(page[2], '\n')
