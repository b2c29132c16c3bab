-- Settles jobs, claim by claim: from argument `first` on, a token and what is to be done with its jobs. Either 2 bytes how
-- many jobs the claim has: all of them are done, and have no keys. Or for each 2 bytes which one, 1 byte what, and
--   1 done; 2 done, and it has a key
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 7 bytes for how many microseconds from now
--   6 done, this one and those that follow it, of which none has a key: 2 bytes how many
-- and answers a byte for each: 1 done, 0 the lease was lost.
local answers, soonest = {}, NEVER
for i = first, last, 2 do
  local token, ops = ARGV[i], ARGV[i + 1]
  local held = call('HGET', KEYS[3], token)
  local count, left, parts, expiry = 0, 0, 0, 0
  if held then
    count, left, parts, expiry = read('>I2I2BI7', held)
  end
  if #ops > 2 then
    -- @include settle_some
  elseif count > 0 and #held == 12 and expiry > now then
    jobs, leased = jobs - count, leased - count
    claim_ended(token, parts)
    answers[#answers + 1] = string.rep('\1', count)
  else
    ops = pack('>I2B', 1, 6) .. ops
    -- @include settle_some
  end
end
settled = table.concat(answers)
-- @include signal
