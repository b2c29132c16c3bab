-- A job that has a key is left out when there is another, or takes the place of one that waits.
local key, done
if admitted and math.floor(byte(record) / 4) % 2 == 1 then
  key = sub(record, 6, 5 + byte(record, 5))
  local there = call('HGET', KEYS[8], key)
  done = there and (#there == 21 and there or sub(there, 15)) or ''
  if there and #there == 21 and (kind >= 64 or read('>I7', there, 15) <= now - keep_for) then
    -- It is done: nothing to replace, and after some time nobody's.
    there = nil
  end
  if there and kind < 64 then
    outcome, level, place = 2, byte(there), sub(there, 2, 14)
  elseif there then
    local number, first_due = read('>I6I7', there, 2)
    if number > seq_before then
      -- It came with this call, and lies nowhere yet.
      put_away()
    end
    if take_out(KEYS[2 * byte(there) + 2], KEYS[2 * byte(there) + 3], KEYS[10 + byte(there)], KEYS[9], number, first_due) then
      outcome, jobs = 1, jobs - 1
    end
  end
end
