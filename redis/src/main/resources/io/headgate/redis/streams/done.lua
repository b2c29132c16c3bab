-- Keeps the keys of entries that are done. Those that were tried again: their ack is another call, after this one.
--
-- KEYS     1 the keys of what is done
-- ARGV     1: 6 bytes for how many milliseconds they are kept; then the keys
-- returns  nothing
-- stays    what was kept for long enough goes at least as fast as more comes
-- costs    O(log n) a key
-- @include calls
-- @include clock
local done_keys = KEYS[1]
-- @include remember
local keep_millis = read('>I6', ARGV[1])
for i = 2, last do
  remember(ARGV[i], keep_millis)
end
return ''
