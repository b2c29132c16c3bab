-- Shows dead letters, the oldest first.
--
-- KEYS     1 header, 2 dead
-- ARGV     1: where to go on: 7 bytes since when the last one is dead that was shown, 6 its number; nothing at the beginning;
--          2: how many to show at most
-- returns  1 byte whether there are more, 13 where to go on; records, as many as may be told in one call
-- costs    O(log^2 n), and O(1) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include rank_after
local from = 0
if #ARGV[1] > 0 then
  from = rank_after(KEYS[2], read('>I7I6', ARGV[1]))
end
local want = math.min(ARGV[2] + 0, at_once())
local shown = call('ZRANGE', KEYS[2], from, from + want)
local more = #shown > want and '\1' or '\0'
if #shown > want then
  shown[#shown] = nil
end
local place = NO_PLACE
if #shown > 0 then
  place = sub(shown[#shown], 7, 13) .. sub(shown[#shown], 1, 6)
end
return more .. place .. table.concat(shown)
