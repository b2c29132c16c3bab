-- Renews the leases of holds of one policy, and in mode 2 also stores holds that are not held.
--
-- KEYS       the keys of the holds, each once
-- ARGV       1 the lease, us; 2 how long a key must live, ms; 3 when the leases end at the latest, us since 1970; 4
--            the mode: 0 renews, 1 renews but never shortens a lease, 2 as 1 and also stores holds that are not held,
--            even beyond the limits; then for each key its holds: ids (16 bytes), each with its permits (1 byte), up to
--            500 permits in all, unless one hold has more; last, in tests, the time
-- Reply      for each key and each of its holds a byte: 1 when it was held or is stored, else 0
-- State      as acquire.lua
-- Always     except in mode 2 an expired hold remains expired, because its permits may belong to another hold now
-- Cost       TIME, and for each hold ZSCORE and ZADD, O(log N) for each permit; for each key PTTL, seldom PEXPIRE
--
-- Variables that cross sections. From common.lua, which describes them: call, now, as_score, holds, replies.
-- For common.lua:
--   ARGS_BEFORE_HOLDS   how many arguments come before the holds of the first key
--   RESTORES_LOST       whether holds that are not held are stored
--   key                 a key of KEYS
--   ttl_millis          how long it must live from now on, ms

-- @section renew
-- Renews the permits of each hold.
-- @include calls
-- @include clock
local ARGS_BEFORE_HOLDS, RESTORES_LOST = 4, ARGV[4] == '2'
-- @include read_holds
local ZADD_FLAGS = ({['0'] = {'XX'}, ['1'] = {'XX', 'GT'}, ['2'] = {'GT'}})[ARGV[4]]
local expires_at, ttl_millis = as_score(math.min(now + ARGV[1], ARGV[3] + 0)), ARGV[2] + 0
for i, key in ipairs(KEYS) do
  for _, hold in ipairs(holds[i]) do
    local scores_and_members = {unpack(ZADD_FLAGS)}
    for n = 1, hold[2] do
      scores_and_members[#ZADD_FLAGS + 2 * n - 1], scores_and_members[#ZADD_FLAGS + 2 * n] = expires_at,
        hold[1] .. string.char(n - 1)
    end
    call('ZADD', key, unpack(scores_and_members))
  end
  if #holds[i] > 0 then
    -- @include extend_key_ttl
  end
end
return table.concat(replies)
