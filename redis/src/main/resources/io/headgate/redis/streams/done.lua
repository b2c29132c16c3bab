-- Remembers the keys of entries that are done, so that duplicates are skipped.

-- @section done
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

-- @section are_done
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

-- @section remember
-- Keeps the key of an entry that is done, and forgets as many as come in of those that were kept for long enough.
local function remember(key, keep_millis)
  call('ZADD', done_keys, string.format('%.0f', now), key)
  call('PEXPIRE', done_keys, keep_millis)
  local over = string.format('%.0f', now - keep_millis * 1000)
  local old = call('ZRANGEBYSCORE', done_keys, '-inf', over, 'LIMIT', 0, 2)
  if #old > 0 then
    call('ZREM', done_keys, unpack(old))
  end
end
