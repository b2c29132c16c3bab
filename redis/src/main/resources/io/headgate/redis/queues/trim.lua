-- Removes done jobs that are too many or too old, the oldest first: as many as this call added, and some.
local too_old = call('ZCOUNT', KEYS[14], '-inf', string.format('%.0f', now - keep_for))
local want, trimmed = math.min(math.max(call('ZCARD', KEYS[14]) - keep_most, too_old), kept + 100), 0
while want > 0 and trimmed < 8 * MAX_BYTES do
  local records = call('ZRANGE', KEYS[14], 0, math.min(want, 16) - 1)
  for _, record in ipairs(records) do
    free_key(record)
    call('HDEL', KEYS[6], sub(record, 1, 6))
    trimmed = trimmed + #record
  end
  call('ZREMRANGEBYRANK', KEYS[14], 0, #records - 1)
  want = want - #records
end
