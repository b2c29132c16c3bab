-- The leaky bucket: requests fill it up to its capacity, and it drains at a rate.

-- @section leaky_bucket
-- The leaky bucket 'lb', twin of BucketAlgorithm.
--
-- rule     capacity (4 bytes); leak: permits (4), and the period in us (6), both in lowest terms; expiry in ms (6); 0 for
--          a meter, 1 for a shaper (1)
-- reply    how long an admitted request is to wait comes before the reset (7 bytes)
local capacity, rate, period, expiry, shapes
capacity, rate, period, expiry, shapes, at = unpack('>I4I4I6I6I1', limits, at)
-- @include bucket
-- @include bucket_whole
delay = shapes == 1 and retry == 0 and reset or 0
-- @charge
-- @include bucket_charge
-- @attempt
-- @include bucket_attempt
-- @reply_first
return pack('>I7I4i7I7I7c0', now, remaining, retry, delay, reset, reply)
-- @reply
reply = pack('>I4i7I7I7c0', remaining, retry, delay, reset, reply)
-- @several
-- @include bucket_several

-- @section leaky_bucket_refund
-- Refunds a leaky bucket.
local capacity, rate, period, expiry
capacity, rate, period, expiry, at = unpack('>I4I4I6I6', limits, at)
-- @include bucket_state
-- @include bucket_back
-- @take
-- @include bucket_take
