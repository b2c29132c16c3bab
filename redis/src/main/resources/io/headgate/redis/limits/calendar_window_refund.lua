-- Refunds a calendar window.
local limit, rest, earliest, second, third, latest
limit, rest, earliest, second, third, latest, at = unpack('>I4I6I7I7I7I7', limits, at)
-- @include fixed_window_state
-- @include calendar_window_of
-- @include fixed_window_back
if time < earliest or time >= latest then
  allowed, refunded, reset = nil, 4294967295, time - now
end
-- @take
-- @include fixed_window_take
