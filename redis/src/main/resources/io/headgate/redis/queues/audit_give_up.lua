-- Takes apart a claim that does not fit together: its jobs wait again, and what can't be read is set aside.

-- The first field with records of a claim; nothing when there is none.
local function first_part(token)
  local fields = parts_of(token, MAX_PARTS)
  for i, there in ipairs(call('HMGET', KEYS[4], unpack(fields))) do
    if there then
      return fields[i]
    end
  end
end

-- What has ended of the jobs before what is missing is known, and of those after it, when it is known how many there were.
local function give_up(token)
  local held, parts = call('HGET', KEYS[3], token), call('HMGET', KEYS[4], unpack(parts_of(token, MAX_PARTS)))
  local count, _, many = held_of(held)
  local lost, all, i = 0, {}, 1
  while i <= MAX_PARTS do
    local runs = parts[i]
    if runs and not readable(runs) and parts[i + 1] and readable(runs .. parts[i + 1]) then
      -- A head, and its records.
      i, runs = i + 1, runs .. parts[i + 1]
    end
    if runs and readable(runs) then
      readable(runs, function(number, due, _, at, next)
        all[#all + 1] = {pack('>I6I7I2', number, due, 1) .. sub(runs, at, next - 1), lost}
      end)
    elseif runs or i <= (many or 0) then
      lost = lost + 1
      if runs then
        set_aside(runs)
      end
    end
    i = i + 1
  end
  local expiries = count and (lost > 0 or count == #all) and leases_in(held) or {}
  for k, one in ipairs(all) do
    local record, gap = one[1], one[2]
    local ended = gap == 0 and expiries[k] == 0 or gap > 0 and gap == lost and expiries[(count or 0) - #all + k] == 0
    if not ended and byte(record, 16) < 64 and not find_waiting(level_of(record), first_due_of(record), (read('>I6', record))) then
      wait_again(record, (read('>I7', record, 7)), 0, 0, 0)
    end
  end
  claim_ended(token, MAX_PARTS)
end
