-- What is taken so far: runs, how many jobs and bytes they have; how many jobs a run had that was looked at last, which is
-- one at first, as if it had all; how many runs were looked at; and from when on there is more.
local taken, n, bytes, per_run, looked, more = {}, 0, 0, most, 0, NEVER

local function take_whole(run, count)
  taken[#taken + 1] = run
  n, bytes = n + count, bytes + #run
end

-- Takes the jobs of a run that were not cancelled, as runs between those that were.
local function take_live(run, first, due, count)
  local from, start, number = 16, 16, first
  for k = first, first + count do
    local flags, size = 64, 0
    if k < first + count then
      flags, size = read('>BI3', run, from)
    end
    if flags >= 64 then
      if k > number then
        take_whole(pack('>I6I7I2', number, due, k - number) .. sub(run, start, from - 1), k - number)
      end
      if k < first + count then
        cancelled = cancelled - 1
      end
      start, number = from + 4 + size, k + 1
    end
    from = from + 4 + size
  end
end

-- Takes a run of a list, or as much of it as there is room for, and no more jobs than so many, and then returns the rest.
local function take_run(run, at_most)
  local first, due, count = read('>I6I7I2', run)
  local room, rest = math.min(most - n, at_most), nil
  if count > room then
    local from = 16
    for _ = 1, room do
      from = from + 4 + read('>I3', run, from + 1)
    end
    rest = pack('>I6I7I2', first + room, due, count - room) .. sub(run, from)
    run = pack('>I6I7I2', first, due, room) .. sub(run, 16, from - 1)
  end
  per_run, count = count, math.min(count, room)
  if cancelled > 0 then
    take_live(run, first, due, count)
  else
    take_whole(run, count)
  end
  return rest
end
