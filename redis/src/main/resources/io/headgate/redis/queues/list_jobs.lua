-- Goes through the jobs of a list after a number, in pieces of which it reads few; `looked` counts runs. Each call answers
-- the next job: its number, its due time, where it lies, its record; or nothing at the end, and where it has looked enough.
local MAX_PIECES, MAX_PIECE_BYTES = 8, 131072
local looked, looked_enough, passed = 0, false, 0
local function list_jobs(ready, ready_records, after, near)
  local index = after > 0 and run_after(ready, after, near) or 0
  local heads, runs, i, pieces, run, first, due, count, k, from = {}, {}, 0, 0, nil, 0, 0, 0, 0, 0
  -- As many runs as are not too much at once, and one at least.
  local function read_piece()
    heads = call('LRANGE', ready, index, index + 99)
    local most, bytes_of_all = 0, 0
    while most < #heads and bytes_of_all < MAX_PIECE_BYTES do
      most = most + 1
      bytes_of_all = bytes_of_all + read('>I3', heads[most], 16)
    end
    runs, i, pieces = most > 0 and call('LRANGE', ready_records, index, index + most - 1) or {}, 1, pieces + 1
  end
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
          read_piece()
        end
        run, k, from = runs[i], 0, 1
        if not run then
          return
        end
        looked, first, due, count = looked + 1, read('>I6I7I2', heads[i])
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
