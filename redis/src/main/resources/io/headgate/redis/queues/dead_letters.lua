-- Shows dead letters, the oldest first.
--
-- KEYS     1 header, 2 dead
-- ARGV     1: how many to pass over; 2: how many to show at most
-- returns  their records, as many as may be told in one call
-- costs    O(log n), and O(1) for each
-- @include calls
-- @include header_read
-- @include at_once
local shown, bytes = {}, 0
local from = ARGV[1] + 0
for _, record in ipairs(call('ZRANGE', KEYS[2], from, from + math.min(ARGV[2] + 0, at_once()) - 1)) do
  shown[#shown + 1] = record
end
return table.concat(shown)
