-- Renews the leases of holds.

-- @section renew
-- Renews the leases of several holds of one policy, or puts back what was lost of them.
--
-- KEYS     the keys where they are held, each once
-- ARGV     1 the lease in us; 2 for how long a key is kept, in ms; 3 when they end at the latest, in us; 4 what to do, as below; then, of each key, its holds: ids (16 bytes), each with its
--          permits (1 byte); up to 500 permits in all, unless one hold has more; and in tests, the time
-- returns  of each key and each of its holds a byte: 1 when it was held, and so is for the lease, or to the end; else 0
-- does     0 renews, as its holder wants it; 1 the same, but shortens nothing; 2 the same, and puts back what is not held, for which it asks for no room
-- keeps    but for 2, what has expired stays so, as its place may be somebody else's
-- cost     TIME, and for each hold ZSCORE and ZADD, O(log N) for each permit; for each key PTTL, and seldom PEXPIRE
-- @include calls
-- @include clock
local GIVEN, PUTS_BACK = 4, ARGV[4] == '2'
-- @include members
local HOW = ({['0'] = {'XX'}, ['1'] = {'XX', 'GT'}, ['2'] = {'GT'}})[ARGV[4]]
local expires, rest = text(math.min(now + ARGV[1], ARGV[3] + 0)), ARGV[2] + 0
for i, key in ipairs(KEYS) do
  for _, hold in ipairs(work[i]) do
    local scored = {unpack(HOW)}
    for n = 1, hold[2] do
      scored[#HOW + 2 * n - 1], scored[#HOW + 2 * n] = expires, hold[1] .. string.char(n - 1)
    end
    call('ZADD', key, unpack(scored))
  end
  if #work[i] > 0 then
    -- @include live
  end
end
return table.concat(replies)
