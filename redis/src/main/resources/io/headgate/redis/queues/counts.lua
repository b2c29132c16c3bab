-- Counts the jobs of a queue.
--
-- KEYS     1 header, 2 dead, 3.. ready and waiting of each priority
-- returns  6 bytes each: ready, delayed, leased, dead; 1 whether it is paused; 7 for how long the
--          oldest ready job has been due, below 0 when none is
-- costs    O(log n)
-- @include calls
-- @include clock
-- @include header_read
local until_now = string.format('%.0f', now)
local due, waiting, oldest = 0, 0, NEVER
for level = 3, #KEYS, 2 do
  due = due + call('ZCOUNT', KEYS[level + 1], '-inf', until_now)
  waiting = waiting + call('ZCARD', KEYS[level + 1])
  local first = call('LINDEX', KEYS[level], 0)
  for i = 1, 99 do
    -- a short one was cancelled; they are passed over in bounds
    first = first and #first == 6 and call('LINDEX', KEYS[level], i) or first
  end
  for _, record in ipairs({first, call('ZRANGE', KEYS[level + 1], 0, 0)[1]}) do
    if record and #record > 6 then
      oldest = math.min(oldest, (read('>I7', record, 7)))
    end
  end
end
local in_lists = jobs - leased - waiting
return pack('>I6I6I6I6B', in_lists + due, waiting - due, leased, call('ZCARD', KEYS[2]), paused) .. pack('>i7', now - oldest)
