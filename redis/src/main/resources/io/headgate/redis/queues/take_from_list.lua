-- Takes a job out of the run in which it lies in a list, and returns it as a run of one; nothing when it is not there. The
-- list is in the order of numbers. What is left of the job is a record without content, flagged 64, until a claim comes by.
local function take_from_list(ready, ready_records, number, due)
  local low, high = 0, call('LLEN', ready) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local first, at, count = read('>I6I7I2', call('LINDEX', ready, middle))
    if number < first then
      high = middle - 1
    elseif number >= first + count then
      low = middle + 1
    elseif at ~= due then
      return
    else
      local records, from = call('LINDEX', ready_records, middle), 1
      for _ = first, number - 1 do
        from = from + 4 + read('>I3', records, from + 1)
      end
      local flags, size = read('>BI3', records, from)
      if flags >= 64 then
        return
      end
      call('LSET', ready_records, middle,
        sub(records, 1, from - 1) .. string.char(flags + 64) .. '\0\0\0' .. sub(records, from + 4 + size))
      call('LSET', ready, middle, pack('>I6I7I2I3', first, at, count, #records - size))
      cancelled = cancelled + 1
      return pack('>I6I7I2', number, due, 1) .. sub(records, from, from + 3 + size)
    end
  end
end
