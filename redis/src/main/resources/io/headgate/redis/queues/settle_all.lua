-- Settles jobs, claim by claim: from argument `first` on, a token and what is to be done with its jobs, each 2 bytes which
-- one, 1 byte what, and
--   1 done; 2 done, and it has a key
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 7 bytes for how many microseconds from now
-- and answers a byte for each: 1 done, 0 the lease was lost.
local answers, soonest = {}, NEVER
for i = first, last, 2 do
  local token, ops = ARGV[i], ARGV[i + 1]
  local slots = call('HGET', KEYS[3], token)
  local expiries = slots and {read('>' .. string.rep('I7', (#slots - 2) / 7), slots, 3)}
  local left = slots and read('>I2', slots)
  local records, starts
  local function record(index)
    if not records then
      records, starts = call('HGET', KEYS[4], token), {1}
    end
    for k = #starts, index do
      starts[k + 1] = starts[k] + length(records, starts[k])
    end
    return sub(records, starts[index], starts[index + 1] - 1)
  end
  local at = 1
  while at < #ops do
    local index, verb = read('>I2B', ops, at)
    at = at + 3
    local held = slots and index < #expiries and index > 0 and expiries[index] > now
    -- @include settle_one
    answers[#answers + 1] = held and '\1' or '\0'
  end
  if slots then
    local least = NEVER
    for k = 1, #expiries - 1 do
      if expiries[k] > 0 then
        least = math.min(least, expiries[k])
      end
    end
    ends = math.min(ends, least)
    -- @include claim_changed
  end
end
settled = table.concat(answers)
-- @include signal
