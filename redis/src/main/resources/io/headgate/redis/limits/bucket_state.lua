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

