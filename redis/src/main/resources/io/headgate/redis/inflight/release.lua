-- Releases holds, before their leases expire.

-- @section release
-- Gives several holds of one policy back, and tells those who wait in other processes.
--
-- KEYS     the keys where they are held, each once
-- ARGV     1 the channel of the policy; 2 who gives them back; then, of each key, its holds, as for renew; and in tests, the time
-- returns  of each key and each of its holds a byte: how many permits were given back, 0 when it was not held
-- publishes for each key where any was held: who gave it back, how many permits, the key; each after a space but the first
-- keeps    who has lost a hold takes nothing from others: ids are never the same. Who has no right to publish gives back all the same
-- cost     TIME, and for each hold ZSCORE and ZREM, O(log N) for each permit; for each key PUBLISH
-- @include calls
-- @include clock
local GIVEN, PUTS_BACK = 2, false
-- @include members
for i, key in ipairs(KEYS) do
  local freed = 0
  for _, hold in ipairs(work[i]) do
    local held = {}
    for n = 1, hold[2] do
      held[n] = hold[1] .. string.char(n - 1)
    end
    local removed = call('ZREM', key, unpack(held))
    replies[hold[3]] = string.char(removed)
    freed = freed + removed
  end
  if freed > 0 then
    redis.pcall('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. freed .. ' ' .. key)
  end
end
return table.concat(replies)
