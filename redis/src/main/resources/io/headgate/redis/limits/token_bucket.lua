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
