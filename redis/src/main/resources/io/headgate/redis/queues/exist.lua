-- Tells which keys there are.
--
-- KEYS     the keys
-- returns  a byte for each: '1' when it is there, else '0'
-- costs    O(1) for each
-- @include calls
local there = {}
for i = 1, #KEYS do
  there[i] = call('EXISTS', KEYS[i])
end
return table.concat(there)
