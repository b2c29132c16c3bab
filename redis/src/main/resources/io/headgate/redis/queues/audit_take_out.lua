-- Takes a run out of a list that can't stay there.
-- @include audit_anew
-- What is out of order waits in the sorted set instead, which has an order of its own.
local function take_out(i)
  local run = records[i - from + 1]
  local first, due = 0, now
  if #heads[i] == 18 then
    first, due = read('>I6I7', heads[i])
  end
  if bad[i] == UNREADABLE then
    set_aside(first > 0 and sub(heads[i], 1, 15) .. run or heads[i])
    if first == 0 then
      set_aside(run)
    end
  elseif bad[i] == RUN or due > now then
    number_anew(run, due)
  else
    each_record(run, 1, nil, function(k, flags, at, next)
      if flags < 64 then
        wait_again(pack('>I6I7I2', first + k, due, 1) .. sub(run, at, next - 1), due, 0, 0, 0)
      else
        cancelled = math.max(0, cancelled - 1)
      end
    end)
  end
  mark(ready, low + i - 1)
  mark(ready_records, low + i - 1)
end
