-- The token bucket 'tb', twin of BucketAlgorithm.
--
-- rule     capacity (4 bytes); refill: permits (4), and the period in us (6), both in lowest terms; expiry in ms (6)
local capacity, rate, period, expiry = struct.unpack('>I4I4I6I6', rule)
-- @include bucket
-- @charge
-- @include bucket_charge
-- @attempt
-- @include bucket_attempt
