-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6); 0 for windows of the clock, 1 for those from the first
--          request (1)
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry, from_first
limit, window, expiry, from_first, at = unpack('>I4I6I6I1', limits, at)
-- @include fixed_window_state
-- @include fixed_window_of
-- @include fixed_window_look
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt
