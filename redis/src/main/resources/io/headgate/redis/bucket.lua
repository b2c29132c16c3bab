-- Looks at a bucket whose capacity, rate, period and expiry are known: how many permits are owed until it is full (a token
-- bucket) or empty (a leaky one).
--
-- state    a string of 28 bytes: the last charge (7 bytes); what was owed then: whole permits (4), and parts of one
--          (6), of which a permit has as many as the period has microseconds (6); when the key expires, in s (5)
-- keeps    a microsecond pays off as many parts as the rate has permits, so all are whole numbers, and exact
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local owed, parts, expires, time, wait, product = 0, 0, 0, now, nil, nil
local state = redis.call('GET', key)
if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a bucket')
  end
  local last, old_period, paid, paid_parts
  last, owed, parts, old_period, expires = struct.unpack('>I7I4I6I6I5', state)
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

local begun = parts > 0 and 1 or 0
remaining = capacity > owed + begun and capacity - owed - begun or 0
local fits = ((owed > capacity and owed or capacity) + 1) * period < 4503599627370496
if not fits then
  -- @include bucket_wait
end
reset = fits and math.ceil((owed * period + parts) / rate) or wait(owed)
-- What is owed from another limit may take longer than any limit does; more than ten years are not told.
if reset > 316224000000000 then
  reset = 316224000000000
end
if reset > 0 then
  reset = reset + time - now
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
