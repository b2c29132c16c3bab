-- Refunds a token bucket.
local capacity, rate, period, expiry = unpack('>I4I4I6I6', rule)
-- @include bucket_state
-- @include bucket_back
-- @take
-- @include bucket_take
