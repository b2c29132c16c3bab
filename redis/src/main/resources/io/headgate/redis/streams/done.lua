-- Stores the keys of done entries, so that duplicates are skipped, and looks them up.
--
-- Two scripts: store_done_keys and are_done. Each section describes its ARGV, reply and cost.
--
-- KEYS       1 the keys of done entries
-- State      a sorted set of keys, scored by when an entry with the key was done, us since 1970. The sorted set expires
--            when no key was added for as long as keys are kept
-- Always     while there are expired keys, they are removed at least as fast as keys are added
--
-- Variables that cross sections. From common.lua of queues: call, decode, now, last_argument.
--   done_keys         the key of the sorted set
--   remember_key      function: stores a key

-- @section store_done_keys
-- Stores the keys of entries that were retried and are done. The entries are acknowledged by another call after this
-- one.
--
-- ARGV     1: for how long keys are kept, in ms (6 bytes); then the keys
-- Reply    empty
-- Cost     O(log n) for a key
-- @include calls
-- @include clock
local done_keys = KEYS[1]
-- @include remember_key
local keep_millis = decode('>I6', ARGV[1])
for i = 2, last_argument do
  remember_key(ARGV[i], keep_millis)
end
return ''

-- @section are_done
-- Returns for which keys an entry is done.
--
-- ARGV     1: for how long keys are kept, in ms (6 bytes); then the keys
-- Reply    a byte for each key: 1 when an entry with the key is done, else 0
-- Cost     O(1) for a key
-- @include calls
-- @include clock
local replies, oldest = {}, now - decode('>I6', ARGV[1]) * 1000
local done_at = call('ZMSCORE', KEYS[1], unpack(ARGV, 2))
for i = 1, last_argument - 1 do
  replies[i] = done_at[i] and done_at[i] + 0 > oldest and '\1' or '\0'
end
return table.concat(replies)

-- @section remember_key
-- Stores the key of a done entry, and removes up to two keys that have expired.
local function remember_key(key, keep_millis)
  call('ZADD', done_keys, string.format('%.0f', now), key)
  call('PEXPIRE', done_keys, keep_millis)
  local expired_before = string.format('%.0f', now - keep_millis * 1000)
  local expired = call('ZRANGEBYSCORE', done_keys, '-inf', expired_before, 'LIMIT', 0, 2)
  if #expired > 0 then
    call('ZREM', done_keys, unpack(expired))
  end
end
