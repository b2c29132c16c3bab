-- Counts the jobs of a queue.

-- @section counts
-- Counts the jobs of a queue.
--
-- KEYS     1 header, 2 dead, 3..8 ready and waiting of each priority, 9..11 the records of what is ready; last done
-- ARGV     where done jobs are kept, as keeping in settle.lua
-- returns  6 bytes each: ready, delayed, leased, dead, done; 1 whether it is paused; 7 for how long the
--          oldest ready job has been due, below 0 when none is
-- costs    O(log n)
-- @include calls
-- @include clock
-- @include header_read
-- @include keeping
-- When the first job of a list was due that was not cancelled; so many runs without one are passed over.
local function first_due(ready, ready_records)
  for i = 0, 99 do
    local head = call('LINDEX', ready, i)
    if not head then
      break
    end
    local due, count = read('>I7I2', head, 7)
    if cancelled == 0 then
      return due
    end
    local records, at = call('LINDEX', ready_records, i), 1
    for _ = 1, count do
      local flags, size = read('>BI3', records, at)
      if flags < 64 then
        return due
      end
      at = at + 4 + size
    end
  end
  return NEVER
end
local until_now = string.format('%.0f', now)
local due, waiting, oldest = 0, 0, NEVER
for level = 3, 7, 2 do
  due = due + call('ZCOUNT', KEYS[level + 1], '-inf', until_now)
  waiting = waiting + call('ZCARD', KEYS[level + 1])
  local next = call('ZRANGE', KEYS[level + 1], 0, 0)[1]
  oldest = math.min(oldest, first_due(KEYS[level], KEYS[(level + 15) / 2]), next and read('>I7', next, 7) or NEVER)
end
local in_lists = jobs - leased - waiting
local done = math.min(keep_most, call('ZCOUNT', KEYS[#KEYS], '(' .. string.format('%.0f', keep_for > 0 and now - keep_for or -1), '+inf'))
return pack('>I6I6I6I6I6B', in_lists + due, waiting - due, leased, call('ZCARD', KEYS[2]), done, paused) .. pack('>i7', now - oldest)
