-- The leaky bucket 'lb', twin of BucketAlgorithm: requests fill it up to its capacity, and it drains at a rate.
--
-- KEYS are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: capacity (4 bytes); the rate in lowest terms, as permits that leak out (4) in a period
--            in us (6); the expiry of the key in ms (6); 0 for a meter, 1 for a shaper (1)
-- Reply      as acquire, with one more field before the reset: how long an admitted request must wait, in us (7)
-- State, invariants and cost: see bucket.lua.
--
-- Variables that cross sections. Of the operation, see acquire.lua: packed_limits, position, now, pack, reply,
-- remaining, retry_micros, reset_micros.
--   delay_micros        how long an admitted request must wait, us; declared with the rule, before its sections
-- For bucket.lua:
--   capacity            permits that fill the bucket
--   permits_per_period  permits that leak out during each period
--   period_micros       the period, us
--   ttl_millis          how long the key lives after a charge that sets its expiry, ms

-- @section leaky_bucket
-- Decides and charges a leaky bucket.
local capacity, permits_per_period, period_micros, ttl_millis, is_shaper
capacity, permits_per_period, period_micros, ttl_millis, is_shaper, position = unpack('>I4I4I6I6I1', packed_limits,
  position)
-- @include bucket
-- @include bucket_reset_time
delay_micros = is_shaper == 1 and retry_micros == 0 and reset_micros or 0
-- @charge
-- @include bucket_charge
-- @attempt
-- @include bucket_attempt
-- @reply_first
return pack('>I7I4i7I7I7c0', now, remaining, retry_micros, delay_micros, reset_micros, reply)
-- @reply
reply = pack('>I4i7I7I7c0', remaining, retry_micros, delay_micros, reset_micros, reply)
-- @batch_reply
-- @include bucket_batch_reply

-- @section leaky_bucket_refund
-- Refunds a leaky bucket.
local capacity, permits_per_period, period_micros, ttl_millis
capacity, permits_per_period, period_micros, ttl_millis, position = unpack('>I4I4I6I6', packed_limits, position)
-- @include bucket_state
-- @include bucket_refundable
-- @write
-- @include bucket_write_refund
