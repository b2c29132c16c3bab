-- The job is done, and is kept: its record, in the last of the keys; where that is; and beside its key, since when.
local record, first_due = aged(job(index), now, 0, 1, 0)
call('ZADD', KEYS[#KEYS], string.format('%.0f', now), record)
longest = math.max(longest, #record)
note_place(record, 2, now, first_due)
local key, owner = own_key(record)
if key then
  call('HSET', KEYS[5], key, owner .. pack('>I7', now))
end
kept = kept + 1
