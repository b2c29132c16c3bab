-- Releases holds of one policy before their leases expire, and notifies callers that wait in other processes.
--
-- KEYS       the keys of the holds, each once
-- ARGV       1 the channel of the policy; 2 the process that releases them; then for each key its holds, as for
--            renew.lua; last, in tests, the time
-- Reply      for each key and each of its holds a byte: how many permits were released, 0 when it was not held
-- Publishes  for each key where any permit was held: the process, how many permits, and the key, separated by spaces
-- State      as acquire.lua
-- Always     releasing a hold that is no longer held takes nothing from other holds, because ids are never reused. If
--            the Redis user may not publish, the holds are released nevertheless
-- Cost       TIME, and for each hold ZSCORE and ZREM, O(log N) for each permit; for each key PUBLISH
--
-- Variables that cross sections. From common.lua, which describes them: call, holds, replies. For common.lua:
--   ARGS_BEFORE_HOLDS   how many arguments come before the holds of the first key
--   RESTORES_LOST       false: only holds that have not expired count

-- @section release
-- Removes the permits of each hold and publishes how many were released.
-- @include calls
-- @include clock
local ARGS_BEFORE_HOLDS, RESTORES_LOST = 2, false
-- @include read_holds
for i, key in ipairs(KEYS) do
  local released_permits = 0
  for _, hold in ipairs(holds[i]) do
    local members = {}
    for n = 1, hold[2] do
      members[n] = hold[1] .. string.char(n - 1)
    end
    local removed_permits = call('ZREM', key, unpack(members))
    replies[hold[3]] = string.char(removed_permits)
    released_permits = released_permits + removed_permits
  end
  if released_permits > 0 then
    redis.pcall('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. released_permits .. ' ' .. key)
  end
end
return table.concat(replies)
