-- Parts of the token bucket and the leaky bucket: state, wait, charge and refund.

-- @section bucket
-- Looks at a bucket whose capacity, rate, period and expiry are known: how many permits are owed until it is full (a token
-- bucket) or empty (a leaky one).
--
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
-- @include bucket_state
local begun = parts > 0 and 1 or 0
remaining = capacity > owed + begun and capacity - owed - begun or 0
local fits = ((owed > capacity and owed or capacity) + 1) * period < 4503599627370496
if not fits then
  -- @include bucket_wait
end
if permits <= remaining then
  retry = 0
elseif permits > capacity then
  retry = -1
else
  local missing = owed - capacity + permits
  retry = fits and math.ceil((missing * period + parts) / rate) or wait(missing)
  retry = (retry > 316224000000000 and 316224000000000 or retry) + time - now
end

-- @section bucket_state
-- Reads what a bucket owes, and pays off what the rate has since.
--
-- state    a string of 28 bytes: the last charge (7 bytes); what was owed then: whole permits (4), and parts of one
--          (6), of which a permit has as many as the period has microseconds (6); when the key expires, in s (5)
-- keeps    a microsecond pays off as many parts as the rate has permits, so all are whole numbers, and exact
local owed, parts, expires, time, last, wait, product = 0, 0, 0, now, nil, nil, nil
local state = call('GET', key)
if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a bucket')
  end
  local old_period, paid, paid_parts
  last, owed, parts, old_period, expires = unpack('>I7I4I6I6I5', state)
  if parts >= old_period or owed > 1000000000 then
    error('HEADGATE_FOREIGN not a bucket')
  end
  if old_period ~= period then
    -- The same share of a permit, rounded up. The share is a double, which every engine rounds alike.
    parts = math.ceil(parts / old_period * period)
    if parts == period then
      owed, parts = owed + 1, 0
    end
  end
  if last > now then
    time = last
  end
  local passed = time - last
  if passed * rate < 4503599627370496 then
    paid_parts = passed * rate % period
    paid = (passed * rate - paid_parts) / period
  elseif passed / period * rate > owed + 2 then
    paid, paid_parts = owed + 2, 0
  else
    -- @include product
    paid, paid_parts = product(passed, rate, period)
  end
  owed, parts = owed - paid, parts - paid_parts
  if parts < 0 then
    owed, parts = owed - 1, parts + period
  end
  if owed < 0 then
    owed, parts = 0, 0
  end
end

-- @section bucket_wait
-- How many microseconds a token bucket takes to pay off so many permits and the parts, where that is beyond 2^53 parts.
-- @include product
function wait(count)
  local whole, left = product(period, count, rate)
  return whole + math.ceil((left + parts) / rate)
end

-- @section bucket_charge
-- Charges a bucket with permits that it may be charged with, and sets its expiry when that is due.
owed, remaining = owed + permits, remaining - permits
if fits then
  local all = owed * period + parts
  local over = all % rate
  reset = (over > 0 and all - over + rate or all) / rate + time - now
else
  reset = wait(owed) + time - now
end
local charged = pack('>I7I4I6I6', time, owed, parts, period)
if expires * 1000000 < now + reset + 60000000 then
  call('SET', key, charged .. pack('>I5', now / 1000000 + expiry / 1000),
    'PX', string.format('%d', expiry))
else
  call('SETRANGE', key, '0', charged)
end

-- @section bucket_attempt
-- An attempt makes a bucket owe its capacity at most, and then nothing has begun to be paid off.
if permits >= capacity - owed then
  permits = capacity - owed
  parts = permits > 0 and 0 or parts
end

-- @section bucket_several
-- By what a bucket owes beside whole permits, and by when, each of several who were charged together is told what it would have
-- been told alone.
if many > 1 then
  reply = pack('>I6I7c0', parts, time - now, reply)
end

-- @section bucket_whole
-- When a bucket that is not charged would be full (a token bucket) or empty (a leaky one).
if fits then
  local all = owed * period + parts
  local over = all % rate
  reset = (over > 0 and all - over + rate or all) / rate
else
  reset = wait(owed)
end
-- What is owed from another limit may take longer than any limit does; more than ten years are not told.
if reset > 316224000000000 then
  reset = 316224000000000
end
if reset > 0 then
  reset = reset + time - now
end

-- @section bucket_back
-- What a bucket gives back: of what was charged, what has not been paid off.
if state then
  local whole, rest = permits, 0
  if charged_at > 0 and charged_at ~= last then
    -- What was charged last is paid off last. When all of it will be was rounded up, so the last part is left.
    local span = whole_at - 1 - time
    whole, rest = 0, 0
    if span > 0 then
      if not product then
        -- @include product
      end
      whole, rest = product(span, rate, period)
      if whole >= permits then
        whole, rest = permits, 0
      end
    end
  end
  if whole > owed or whole == owed and rest > parts then
    whole, rest = owed, parts
  end
  refunded = rest > 0 and whole + 1 or whole
  owed, parts = owed - whole, parts - rest
  if parts < 0 then
    owed, parts = owed - 1, parts + period
  end
end

-- @section bucket_take
-- Writes what a bucket owes after a refund.
call('SETRANGE', key, '0', pack('>I7I4I6I6', time, owed, parts, period))
