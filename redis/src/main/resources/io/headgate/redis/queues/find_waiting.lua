-- Finds a job that waits or is dead, and answers as find.lua does; nothing when it is neither.
local function find_waiting(level, first_due, number)
  local moved, at = call('HGET', KEYS[6], pack('>I6', number)), first_due
  if moved then
    local state, since, of = read('>BI7I7', moved)
    local dead = state == 1 and of == first_due and find_in_set(KEYS[7], number, since)
    if dead then
      return pack('>BI7', 5, since) .. dead
    elseif state > 0 or of ~= first_due then
      return
    end
    at = since
  end
  local record = find_in_set(KEYS[9 + 2 * level], number, at)
  if not record then
    local run, _, from, next = find_in_list(KEYS[8 + 2 * level], number, first_due)
    record, at = run and pack('>I6I7I2', number, first_due, 1) .. sub(run, from, next - 1), first_due
  end
  return record and pack('>BI7', at <= now and 2 or 3, 0) .. record
end
