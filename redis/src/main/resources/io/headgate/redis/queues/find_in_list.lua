-- Finds a job in a list, which is in the order of numbers: its run and at which index that is, and where in it the record
-- begins and the next one does; nothing when it is not there, or was cancelled. To come to a run deep in a long list takes
-- long, so it is first looked for where it would be if the numbers were spread evenly, and then by halves.
local function find_in_list(ready, number, due)
  local low, high, tries = 0, call('LLEN', ready) - 1, 0
  local least = high > 2 and read('>I6', call('LINDEX', ready, 0)) or number
  local most = high > 2 and read('>I6', call('LINDEX', ready, -1)) or number
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if tries < 6 and least < number and number < most then
      middle = low + math.floor((high - low) * (number - least) / (most - least))
    end
    local run = call('LINDEX', ready, middle)
    local first, at, count = read('>I6I7I2', run)
    tries = tries + 1
    if number < first then
      high, most = middle - 1, first
    elseif number >= first + count then
      low, least = middle + 1, first + count - 1
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
