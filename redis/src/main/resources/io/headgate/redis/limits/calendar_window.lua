-- The calendar window: a fixed window of a day, week or month, whose times the caller passes.

-- @section calendar_window
-- The calendar window 'cw', twin of FixedWindowAlgorithm.
--
-- rule     limit (4 bytes); how long to keep the count after its period, in ms (6); when four periods begin, in order, of
--          which the time should lie between the first and the last (7 each)
-- reply    where it does not, nothing is charged by any rule, remaining is 2^32 - 1, and reset is how far after now the
--          time is that the periods must be about: the caller asks again
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, rest, earliest, second, third, latest
limit, rest, earliest, second, third, latest, at = unpack('>I4I6I7I7I7I7', limits, at)
-- @include fixed_window_state
-- @include calendar_window_of
local expiry = math.floor((ends - now) / 1000) + rest
-- @include fixed_window_look
if time < earliest or time >= latest then
  allowed, remaining, retry, reset = nil, 4294967295, -1, time - now
end
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt

-- @section calendar_window_of
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

-- @section calendar_window_refund
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
