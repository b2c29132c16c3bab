-- The window that the time is in, and what is counted in it.
local starts, ends
if from_first == 0 then
  starts = time - time % window
  ends = starts + window
  if last < starts or count == 0 then
    first, count = time, 0
  end
else
  if time >= first + window or count == 0 then
    first, count = time, 0
  end
  starts, ends = first, first + window
end
