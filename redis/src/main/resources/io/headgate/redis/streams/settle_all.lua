-- Settles entries: from argument `first` on, an id and what is to be said of that entry: 2 bytes under which delivery it is
-- in hand, 1 byte what, and
--   1 done
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 6 bytes for how many milliseconds it counts as idle already
-- and answers a byte for each: 1 done, 0 the lease was lost.
local answers = {}
for i = first, last, 2 do
  local id, said = ARGV[i], ARGV[i + 1]
  local delivery, verb = read('>I2B', said)
  local pending = redis.pcall('XPENDING', KEYS[14], ARGV[1], id, id, 1)
  if pending.err and not string.find(pending.err, 'NOGROUP', 1, true) then
    return pending
  end
  local held = pending[1]
  local done = held and held[2] == ARGV[2] and math.min(65535, held[4]) == delivery
  if done then
    -- @include settle_one
  end
  answers[#answers + 1] = done and '\1' or '\0'
end
settled = table.concat(answers)
-- @include signal
