-- Reads what is counted in a window.
--
-- state    a string of 27 bytes: when the first and the last counted permits were admitted (7 bytes each), the
--          count (6), and when the key expires (7)
local first, last, count, expires, time = now, 0, 0, 0, now
local state = call('GET', key)
if state then
  if #state ~= 27 then
    error('HEADGATE_FOREIGN not a window')
  end
  first, last, count, expires = unpack('>I7I7I6I7', state)
  if last > now then
    time = last
  end
end
