-- The period that the time is in, and what is counted in it.
local starts, ends = second, third
if time < second then
  starts, ends = earliest, second
elseif time >= third then
  starts, ends = third, latest
end
if last < starts then
  first, count = time, 0
end
