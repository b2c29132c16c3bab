-- Renews the leases of several holds of one policy, or puts back what was lost of them.
--
-- KEYS     the keys where they are held, each once
-- ARGV     1 the lease in us; 2 for how long a key is kept, in ms; 3 when they end at the latest, in us; 4 1 to put back what is not held, else 0; then, of each key, its holds: ids (16 bytes), each with its
--          permits (1 byte); up to 500 permits in all, unless one hold has more; and in tests, the time
-- returns  of each key and each of its holds a byte: 1 when it was held, and so is for the lease, or to the end; else 0
-- keeps    what has expired stays so, as its place may be somebody else's, but where it is to be put back: that asks for no room
-- cost     TIME, and for each hold ZSCORE and ZADD, O(log N) for each permit; for each key PTTL, and seldom PEXPIRE
-- @include calls
-- @include clock
local GIVEN, PUTS_BACK = 4, ARGV[4] == '1'
-- @include members
local expires, rest = text(math.min(now + ARGV[1], ARGV[3] + 0)), ARGV[2] + 0
for i, key in ipairs(KEYS) do
  for _, hold in ipairs(work[i]) do
    local scored = {}
    for n = 1, hold[2] do
      scored[2 * n - 1], scored[2 * n] = expires, hold[1] .. string.char(n - 1)
    end
    -- CH changes nothing but the reply.
    call('ZADD', key, PUTS_BACK and 'CH' or 'XX', unpack(scored))
  end
  if #work[i] > 0 then
    -- @include live
  end
end
return table.concat(replies)
