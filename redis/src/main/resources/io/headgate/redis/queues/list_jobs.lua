-- Goes through the jobs of a list after a number, in pieces of which it reads few; `looked` counts runs. Each call answers
-- the next job: its number, its due time, where it lies, its record; or nothing at the end, and where it has looked enough.
local MAX_PIECES = 8
local looked, looked_enough, passed = 0, false, 0
local function list_jobs(list, after, near)
  local index = after > 0 and run_after(list, after, near) or 0
  local runs, i, pieces, run, first, due, count, k, from = {}, 0, 0, nil, 0, 0, 0, 0, 0
  return function()
    while not looked_enough do
      if not run then
        i = i + 1
        if i > #runs then
          if looked >= MAX_LOOKED or pieces >= MAX_PIECES then
            looked_enough = true
            return
          end
          index = index + #runs
          runs, i, pieces = call('LRANGE', list, index, index + math.max(8, math.min(100, at_once())) - 1), 1, pieces + 1
        end
        run, k, from = runs[i], 0, 16
        if not run then
          return
        end
        looked, first, due, count = looked + 1, read('>I6I7I2', run)
      end
      while k < count do
        local flags, size = read('>BI3', run, from)
        local start, number = from, first + k
        k, from = k + 1, from + 4 + size
        if flags < 64 and number > after then
          return number, due, index + i - 1, sub(run, start, from - 1)
        end
      end
      run, passed = nil, first + count - 1
    end
  end
end
