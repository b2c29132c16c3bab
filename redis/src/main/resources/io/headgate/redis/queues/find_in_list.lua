-- Finds a job in a list, which is in the order of numbers: its run and at which index that is, and where in it the record
-- begins and the next one does; nothing when it is not there, or was cancelled.
local function find_in_list(ready, number, due)
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
      if byte(run, from) < 64 then
        return run, middle, from, from + 4 + read('>I3', run, from + 1)
      end
      return
    end
  end
end
