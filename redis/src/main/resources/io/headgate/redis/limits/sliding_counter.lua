-- The sliding counter 'sc', twin of SlidingCounterAlgorithm: two counts, the older of which weighs as much of itself as
-- of its window still lies in the window that ends now.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6)
-- keeps    the estimate is rounded up, so that rounding never admits
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
-- @include sliding_counter_state
local left = window - time % window
local fits = (count + previous + limit) * window < 4503599627370496
local product
if not fits then
  -- @include product
end
local weight = 0
if previous > 0 then
  if fits then
    weight = math.ceil(previous * left / window)
  else
    local rest
    weight, rest = product(left, previous, window)
    weight = rest > 0 and weight + 1 or weight
  end
end
remaining = limit > count + weight and limit - count - weight or 0
reset = count > 0 and left + window or previous > 0 and left or 0
if reset > 0 then
  reset = reset + time - now
end
if permits <= remaining then
  retry = 0
elseif permits > limit then
  retry = -1
else
  -- What weighs too much weighs little enough when no more than this is left of its window.
  local heavy, room, wait = previous, limit - count - permits, left - window
  if room < 0 then
    heavy, room, wait = count, limit - permits, left
  end
  local light = fits and math.floor(room * window / heavy) or product(window, room, heavy)
  retry = wait + window - light + time - now
end
-- @charge
remaining, reset = remaining - permits, left + window + time - now
local counts = pack('>I7I6I5I5', time, window, count + permits, previous)
if expires * 1000000 < now + reset + 60000000 then
  call('SET', key, counts .. pack('>I5', now / 1000000 + expiry / 1000), 'PX', string.format('%d', expiry))
else
  call('SETRANGE', key, '0', counts)
end
-- @attempt
permits = permits < limit - count and permits or limit - count
