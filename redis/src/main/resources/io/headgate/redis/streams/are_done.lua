-- Tells of which keys an entry is done.
--
-- KEYS     1 the keys of what is done
-- ARGV     1: 6 bytes for how many milliseconds they are kept; then the keys
-- returns  a byte for each: 1 it is
-- costs    O(1) a key
-- @include calls
-- @include clock
local answers, oldest = {}, now - read('>I6', ARGV[1]) * 1000
local kept = call('ZMSCORE', KEYS[1], unpack(ARGV, 2))
for i = 1, last - 1 do
  answers[i] = kept[i] and kept[i] + 0 > oldest and '\1' or '\0'
end
return table.concat(answers)
