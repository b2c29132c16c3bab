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
