-- The job is done, and is kept: its record, in the last of the keys; where that is; and with its key, since when. Another job
-- of the key that waits or is in hand has it first.
local record, first_due = aged(job(index), now, 0, 1, 0)
call('ZADD', KEYS[#KEYS], string.format('%.0f', now), record)
longest = math.max(longest, #record)
note_place(record, 2, now, first_due)
local key, active = noted_of_key(record)
if key then
  if sub(active, 2, 7) == sub(record, 1, 6) then
    active = ''
  end
  local level = math.floor(byte(record, 16) / 16) % 4
  call('HSET', KEYS[5], key, active .. string.char(level) .. sub(record, 1, 6) .. pack('>I7I7', first_due, now))
end
kept = kept + 1
