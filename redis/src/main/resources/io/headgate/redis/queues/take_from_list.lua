-- Takes a job out of the run in which it lies in a list, and returns it as a run of one; nothing when it is not there. The
-- list is in the order of numbers. What is left of the job is a record without content, flagged 64, until a claim comes by.
local function take_from_list(ready, number, due)
  local low, high = 0, call('LLEN', ready) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local run = call('LINDEX', ready, middle)
    local first, at, count = read('>I6I7I2', run)
    if number < first then
      high = middle - 1
    elseif number >= first + count then
      low = middle + 1
    elseif at ~= due then
      return
    else
      local from = 16
      for _ = first, number - 1 do
        from = from + 4 + read('>I3', run, from + 1)
      end
      local flags, size = read('>BI3', run, from)
      if flags >= 64 then
        return
      end
      call('LSET', ready, middle, sub(run, 1, from - 1) .. string.char(flags + 64) .. '\0\0\0' .. sub(run, from + 4 + size))
      cancelled = cancelled + 1
      return pack('>I6I7I2', number, due, 1) .. sub(run, from, from + 3 + size)
    end
  end
end
