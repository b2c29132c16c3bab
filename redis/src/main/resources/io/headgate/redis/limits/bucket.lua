-- Parts of the token bucket and the leaky bucket, twin of BucketAlgorithm: state, decision, charge and refund.
--
-- KEYS, ARGV and the format of the reply are those of the operation (acquire.lua, peek.lua, reserve.lua, refund.lua).
--
-- State      a string of 28 bytes: the last charge or refund, us since 1970 (7 bytes); what was owed then: permits (4)
--            and parts of a permit (6); the period, us (6), which is also how many parts make one permit; when the
--            key expires, s since 1970 (5); or a ban, see ban_rules.lua
-- Always     each microsecond pays off permits_per_period parts, so all numbers are integers
-- Cost       GET; when charged, a SETRANGE, or a SET where the expiry must be set; when refunded, a SETRANGE
-- Owed       permits that a token bucket lacks, or that a leaky bucket contains
-- Ten years  3660 days, 316224000000000 us, as in Bounds.MAX_FILL_MICROS
--
-- Variables that cross sections. Of the operation, see acquire.lua: now, key, call, pack, unpack, permits,
-- requests, reply, remaining, retry_micros, reset_micros, mul_div (common.lua); see refund.lua: charged_at_micros,
-- reset_at_micros, refunded. Of the kind of bucket, see its file: capacity, permits_per_period, period_micros,
-- ttl_millis.
--   owed_permits        whole permits owed
--   owed_parts          parts of a permit owed in addition to owed_permits
--   expires_at_seconds  when the key expires, seconds since 1970; 0 when it does not exist
--   key_time            now, or last_charge where that is later: the time of the key never runs backwards
--   last_charge         when the key was last charged or refunded, us since 1970; nil when it does not exist
--   state               the stored string; false without a key, nil if the key has a ban
--   fits_in_double      whether the parts owed stay below 2^52, so that plain arithmetic is exact
--   wait_micros         function: microseconds until a number of whole permits and owed_parts are paid off; set only
--                       where fits_in_double is false

-- @section bucket
-- Decides: computes remaining and retry_micros of a bucket.
-- @include bucket_state
local partial_permit = owed_parts > 0 and 1 or 0
remaining = capacity > owed_permits + partial_permit and capacity - owed_permits - partial_permit or 0
local fits_in_double = ((owed_permits > capacity and owed_permits or capacity) + 1) * period_micros < 4503599627370496
if not fits_in_double then
  -- @include bucket_wait
end
if permits <= remaining then
  retry_micros = 0
elseif permits > capacity then
  retry_micros = -1
else
  -- At most ten years: a debt from before the limit was changed may take longer to pay off.
  local missing_permits = owed_permits - capacity + permits
  retry_micros = fits_in_double and math.ceil((missing_permits * period_micros + owed_parts) / permits_per_period)
    or wait_micros(missing_permits)
  retry_micros = (retry_micros > 316224000000000 and 316224000000000 or retry_micros) + key_time - now
end

-- @section bucket_state
-- Reads what the bucket owes, and subtracts what the rate has paid off since last_charge.
local owed_permits, owed_parts, expires_at_seconds, key_time, last_charge, wait_micros, mul_div = 0, 0, 0, now, nil,
  nil, nil
local state = call('GET', key)
if state and #state ~= 28 then
  -- @include require_ban
  state = nil
end
if state then
  local stored_period, paid_permits, paid_parts
  last_charge, owed_permits, owed_parts, stored_period, expires_at_seconds = unpack('>I7I4I6I6I5', state)
  -- No limit has more than 10^9 permits.
  if owed_parts >= stored_period or owed_permits > 1000000000 then
    error('HEADGATE_FOREIGN not a bucket')
  end
  if stored_period ~= period_micros then
    -- Convert the fraction of a permit to the new period, rounded up. IEEE doubles round alike in every engine.
    owed_parts = math.ceil(owed_parts / stored_period * period_micros)
    if owed_parts == period_micros then
      owed_permits, owed_parts = owed_permits + 1, 0
    end
  end
  if last_charge > now then
    key_time = last_charge
  end
  local elapsed_micros = key_time - last_charge
  if elapsed_micros * permits_per_period < 4503599627370496 then
    paid_parts = elapsed_micros * permits_per_period % period_micros
    paid_permits = (elapsed_micros * permits_per_period - paid_parts) / period_micros
  elseif elapsed_micros / period_micros * permits_per_period > owed_permits + 2 then
    -- The time pays off more than everything that is owed.
    paid_permits, paid_parts = owed_permits + 2, 0
  else
    -- @include mul_div
    paid_permits, paid_parts = mul_div(elapsed_micros, permits_per_period, period_micros)
  end
  owed_permits, owed_parts = owed_permits - paid_permits, owed_parts - paid_parts
  if owed_parts < 0 then
    owed_permits, owed_parts = owed_permits - 1, owed_parts + period_micros
  end
  if owed_permits < 0 then
    owed_permits, owed_parts = 0, 0
  end
end

-- @section bucket_wait
-- Sets wait_micros, for a bucket whose owed permits or capacity amount to 2^52 parts or more. Its parameter is a number
-- of whole permits.
-- @include mul_div
function wait_micros(count)
  local quotient, remainder = mul_div(period_micros, count, permits_per_period)
  return quotient + math.ceil((remainder + owed_parts) / permits_per_period)
end

-- @section bucket_charge
-- Charges the bucket with permits that it has room for, and sets the expiry of the key if it would expire less than a
-- minute after the reset. Computes reset_micros as bucket_reset_time does; here, permits are always owed.
owed_permits, remaining = owed_permits + permits, remaining - permits
if fits_in_double then
  local total_parts = owed_permits * period_micros + owed_parts
  local excess_parts = total_parts % permits_per_period
  reset_micros = (excess_parts > 0 and total_parts - excess_parts + permits_per_period
    or total_parts) / permits_per_period + key_time - now
else
  reset_micros = wait_micros(owed_permits) + key_time - now
end
local charged_state = pack('>I7I4I6I6', key_time, owed_permits, owed_parts, period_micros)
if expires_at_seconds * 1000000 < now + reset_micros + 60000000 then
  call('SET', key, charged_state .. pack('>I5', now / 1000000 + ttl_millis / 1000),
    'PX', string.format('%d', ttl_millis))
else
  call('SETRANGE', key, '0', charged_state)
end

-- @section bucket_attempt
-- Lowers permits to what an attempt may add (a denied request that is charged, see charge_attempt in acquire.lua): up
-- to the capacity. If that fills the bucket, owed_parts becomes 0. Where permits is 0 or less, nothing is charged.
if permits >= capacity - owed_permits then
  permits = capacity - owed_permits
  owed_parts = permits > 0 and 0 or owed_parts
end

-- @section bucket_batch_reply
-- Adds owed_parts and how far key_time is after now. From them, the client derives the result of each request of a step
-- (equal requests, see acquire_batch in acquire.lua).
if requests > 1 then
  reply = pack('>I6I7c0', owed_parts, key_time - now, reply)
end

-- @section bucket_reset_time
-- Computes reset_micros from what is owed now, without a charge: until the bucket is full (token) or empty (leaky).
-- A shaper also uses it as the delay of an admitted request.
if fits_in_double then
  local total_parts = owed_permits * period_micros + owed_parts
  local excess_parts = total_parts % permits_per_period
  reset_micros = (excess_parts > 0 and total_parts - excess_parts + permits_per_period
    or total_parts) / permits_per_period
else
  reset_micros = wait_micros(owed_permits)
end
-- A debt from before the limit was changed may take longer to pay off than any limit allows; the time from key_time is
-- at most ten years.
if reset_micros > 316224000000000 then
  reset_micros = 316224000000000
end
if reset_micros > 0 then
  reset_micros = reset_micros + key_time - now
end

-- @section bucket_refundable
-- Computes refunded, the part of the charge that has not been paid off yet, and subtracts it from what is owed.
if state then
  local refund_permits, refund_parts = permits, 0
  if charged_at_micros > 0 and charged_at_micros ~= last_charge then
    -- A charge is paid off after all earlier ones, so reset_at_micros is the end of its pay-off. It was rounded up, so
    -- the last microsecond is not counted.
    local unpaid_micros = reset_at_micros - 1 - key_time
    refund_permits, refund_parts = 0, 0
    if unpaid_micros > 0 then
      if not mul_div then
        -- @include mul_div
      end
      refund_permits, refund_parts = mul_div(unpaid_micros, permits_per_period, period_micros)
      if refund_permits >= permits then
        refund_permits, refund_parts = permits, 0
      end
    end
  end
  if refund_permits > owed_permits or refund_permits == owed_permits and refund_parts > owed_parts then
    refund_permits, refund_parts = owed_permits, owed_parts
  end
  refunded = refund_parts > 0 and refund_permits + 1 or refund_permits
  owed_permits, owed_parts = owed_permits - refund_permits, owed_parts - refund_parts
  if owed_parts < 0 then
    owed_permits, owed_parts = owed_permits - 1, owed_parts + period_micros
  end
end

-- @section bucket_write_refund
-- Writes what the bucket owes after a refund.
call('SETRANGE', key, '0', pack('>I7I4I6I6', key_time, owed_permits, owed_parts, period_micros))
