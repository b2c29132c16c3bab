-- Shows some of the names that were noted.
--
-- KEYS     1 the names
-- ARGV     1: where to go on, 0 at the beginning
-- returns  where to go on, 0 at the end, and names, each after a line feed and with a colon and how many shards are noted
-- costs    O(1)
-- @include calls
local page = call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 100)
local lines = {page[1]}
for i = 1, #page[2], 2 do
  lines[#lines + 1] = page[2][i] .. ':' .. page[2][i + 1]
end
return table.concat(lines, '\n')
