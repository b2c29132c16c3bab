-- Refunds a leaky bucket.
local capacity, rate, period, expiry
capacity, rate, period, expiry, at = unpack('>I4I4I6I6', limits, at)
-- @include bucket_state
-- @include bucket_back
-- @take
-- @include bucket_take
