-- The token bucket: permits flow in at a rate, up to a capacity, and requests take them.

-- @section token_bucket
-- The token bucket 'tb', twin of BucketAlgorithm.
--
-- rule     capacity (4 bytes); refill: permits (4), and the period in us (6), both in lowest terms; expiry in ms (6)
local capacity, rate, period, expiry
capacity, rate, period, expiry, at = unpack('>I4I4I6I6', limits, at)
-- @include bucket
-- @charge
-- @include bucket_charge
-- @uncharged
-- @include bucket_whole
-- @attempt
-- @include bucket_attempt
-- @several
-- @include bucket_several

-- @section token_bucket_refund
-- Refunds a token bucket.
local capacity, rate, period, expiry
capacity, rate, period, expiry, at = unpack('>I4I4I6I6', limits, at)
-- @include bucket_state
-- @include bucket_back
-- @take
-- @include bucket_take
