-- Takes a job that waits out of its place, wherever that is, and returns its record; nothing when it does not wait.
local function take_out(ready, waiting, places, number, first_due)
  local name, due = pack('>I6', number), first_due
  local moved = call('HGET', places, name)
  if moved then
    local state, at = read('>BI7', moved)
    if state > 0 then
      return
    end
    due = at
  end
  -- In the sorted set those of one due time are in the order of their numbers.
  local score = string.format('%.0f', due)
  local low = call('ZCOUNT', waiting, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', waiting, score, score) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local record = call('ZRANGE', waiting, middle, middle)[1]
    local at = read('>I6', record)
    if at == number then
      call('ZREMRANGEBYRANK', waiting, middle, middle)
      if moved then
        call('HDEL', places, name)
      end
      return record
    elseif at < number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  -- The whole list is in that order. What is cancelled there leaves its number, so that the list stays in order.
  low, high = 0, call('LLEN', ready) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local record = call('LINDEX', ready, middle)
    local at = read('>I6', record)
    if at == number then
      if #record == 6 then
        return
      end
      call('LSET', ready, middle, name)
      return record
    elseif at < number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
end
