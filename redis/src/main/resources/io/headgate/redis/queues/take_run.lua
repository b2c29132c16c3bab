-- What is taken so far: runs in parts, how many jobs and bytes they have; how many jobs a run had that was looked at last,
-- which is one at first, as if it had all; how many runs were looked at; and from when on there is more.
local taken, n, bytes, per_run, looked, more = {}, 0, 0, most, 0, NEVER

local function take_whole(head, records, count)
  taken[#taken + 1] = head
  taken[#taken + 1] = records
  n, bytes = n + count, bytes + #head + #records
end

-- Takes the jobs of a run that were not cancelled, as runs between those that were.
local function take_live(records, first, due, count)
  local from, start, number = 1, 1, first
  for k = first, first + count do
    local flags, size = 64, 0
    if k < first + count then
      flags, size = read('>BI3', records, from)
    end
    if flags >= 64 then
      if k > number then
        take_whole(pack('>I6I7I2', number, due, k - number), sub(records, start, from - 1), k - number)
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
local function take_run(head, records, at_most)
  local first, due, count = read('>I6I7I2', head)
  local room, rest_head, rest = math.min(most - n, at_most), nil, nil
  per_run = count
  if count > room then
    local from = 1
    for _ = 1, room do
      from = from + 4 + read('>I3', records, from + 1)
    end
    rest = sub(records, from)
    rest_head = pack('>I6I7I2I3', first + room, due, count - room, #rest)
    records, count = sub(records, 1, from - 1), room
  end
  if cancelled > 0 then
    take_live(records, first, due, count)
  else
    take_whole(pack('>I6I7I2', first, due, count), records, count)
  end
  return rest_head, rest
end
