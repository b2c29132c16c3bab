-- Finds a job in a list, which is in the order of numbers: the records of its run and at which index that is, and where in
-- them its own begins and the next one does; nothing when it is not there, or was cancelled.
local function find_in_list(ready, ready_records, number, due)
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
      if byte(records, from) < 64 then
        return records, middle, from, from + 4 + read('>I3', records, from + 1)
      end
      return
    end
  end
end
