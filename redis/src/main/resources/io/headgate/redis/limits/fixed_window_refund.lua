-- Refunds a fixed window.
local limit, window, expiry, from_first
limit, window, expiry, from_first, at = unpack('>I4I6I6I1', limits, at)
-- @include fixed_window_state
-- @include fixed_window_of
-- @include fixed_window_back
-- @take
-- @include fixed_window_take
