-- Takes a job that waits out of its place, wherever that is, and returns it as a run of one; nothing when it does not wait.
-- @include take_from_set
-- @include take_from_list
local function take_out(ready, waiting, ready_records, places, number, first_due)
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
  return take_from_list(ready, ready_records, number, first_due)
end
