-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6); 0 for windows of the clock, 1 for those from the first
--          request (1)
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry, from_first = struct.unpack('>I4I6I6I1', rule)
local ends
-- @include fixed_window_state
if from_first == 0 then
  local starts = time - time % window
  ends = starts + window
  if last < starts then
    first, count = time, 0
  end
else
  if time >= first + window or count == 0 then
    first, count = time, 0
  end
  ends = first + window
end
-- @include fixed_window_look
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt
