-- Takes a job that waits out of its place, wherever that is, and returns its record; nothing when it does not wait.
-- @include take_from_set
local function take_out(ready, waiting, places, number, first_due)
  local name, due = pack('>I6', number), first_due
  local moved = call('HGET', places, name)
  if moved then
    local state, at, of = read('>BI7I7', moved)
    if state > 0 or of ~= first_due then
      return
    end
    due = at
  end
  local record = take_from_set(waiting, number, due)
  if record then
    if moved then
      call('HDEL', places, name)
    end
    return record
  end
  -- The whole list is in that order. What is cancelled there leaves its number, so that the list stays in order.
  local low, high = 0, call('LLEN', ready) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local record = call('LINDEX', ready, middle)
    local at = read('>I6', record)
    if at == number then
      if #record == 6 or read('>I7', record, 7) ~= first_due then
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
