-- Reads the two counts of a sliding counter, and places them in the windows that the time is in and was in before.
--
-- state    a string of 28 bytes: the last charge (7 bytes), the window that it was made under (6), the permits counted
--          in that window of the clock (5) and in the one before (5); when the key expires, in s (5)
local last, counted, earlier, expires, time = 0, 0, 0, 0, now
local count, previous, old_window, starts, before = 0, 0, nil, nil, nil
local state = call('GET', key)
if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  last, old_window, counted, earlier, expires = unpack('>I7I6I5I5I5', state)
  if old_window < 1000 or counted > 17179869184 or earlier > 17179869184 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  if last > now then
    time = last
  end
  starts = time - time % window
  if last >= starts then
    count = counted
  elseif last >= starts - window then
    previous = counted
  end
  -- The earlier ones were admitted before the window of the last charge began; when windows changed, that may be now.
  before = last - last % old_window - 1
  if old_window == window and last >= starts then
    previous = earlier
  elseif old_window ~= window and before >= starts then
    count = count + earlier
  elseif old_window ~= window and before >= starts - window then
    previous = previous + earlier
  end
end
