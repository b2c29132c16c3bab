-- Removes so many done jobs, the oldest first, but no more than a bounded number of bytes; how many.
local function drop_done(most)
  local n, bytes = 0, 0
  while n < most and bytes < 4 * MAX_BYTES do
    local records = call('ZRANGE', KEYS[#KEYS], 0, math.min(most - n, 16) - 1)
    if #records == 0 then
      break
    end
    for _, record in ipairs(records) do
      free_key(record)
      call('HDEL', KEYS[6], sub(record, 1, 6))
      bytes = bytes + #record
    end
    call('ZREMRANGEBYRANK', KEYS[#KEYS], 0, #records - 1)
    n = n + #records
  end
  return n
end
