-- The token bucket 'tb', twin of BucketAlgorithm: permits flow in at a rate up to a capacity, and requests take them.
--
-- KEYS and reply are those of the operation (acquire.lua, refund.lua).
-- ARGV       in packed_limits: capacity (4 bytes); the rate in lowest terms, as permits that flow in (4) in a period
--            in us (6); the expiry of the key in ms (6)
-- State, invariants and cost: see bucket.lua.
--
-- Variables that cross sections. Of the operation, see acquire.lua: packed_limits, position. For bucket.lua:
--   capacity            permits that a full bucket has
--   permits_per_period  permits that flow in during each period
--   period_micros       the period, us
--   ttl_millis          how long the key lives after a charge that sets its expiry, ms

-- @section token_bucket
-- Decides and charges a token bucket.
local capacity, permits_per_period, period_micros, ttl_millis
capacity, permits_per_period, period_micros, ttl_millis, position = unpack('>I4I4I6I6', packed_limits, position)
-- @include bucket
-- @charge
-- @include bucket_charge
-- @not_charged
-- @include bucket_reset_time
-- @attempt
-- @include bucket_attempt
-- @batch_reply
-- @include bucket_batch_reply

-- @section token_bucket_refund
-- Refunds a token bucket.
local capacity, permits_per_period, period_micros, ttl_millis
capacity, permits_per_period, period_micros, ttl_millis, position = unpack('>I4I4I6I6', packed_limits, position)
-- @include bucket_state
-- @include bucket_refundable
-- @write
-- @include bucket_write_refund
