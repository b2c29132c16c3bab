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
