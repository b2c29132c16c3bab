-- The sliding counter 'sc', twin of SlidingCounterAlgorithm: two counts, the older of which weighs as much of itself as
-- of its window still lies in the window that ends now.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6)
-- state    a string of 28 bytes: the last charge (7 bytes), the window that it was made under (6), the permits counted
--          in that window of the clock (5) and in the one before (5); when the key expires, in s (5)
-- keeps    the estimate is rounded up, so that rounding never admits
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry = struct.unpack('>I4I6I6', rule)
local last, counted, earlier, expires, time = 0, 0, 0, 0, now
local count, previous = 0, 0
local state = redis.call('GET', key)
if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  local old_window
  last, old_window, counted, earlier, expires = struct.unpack('>I7I6I5I5I5', state)
  if old_window < 1000 or counted > 17179869184 or earlier > 17179869184 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  if last > now then
    time = last
  end
  local starts = time - time % window
  if last >= starts then
    count = counted
  elseif last >= starts - window then
    previous = counted
  end
  -- The earlier ones were admitted before the window of the last charge began; when windows changed, that may be now.
  local before = last - last % old_window - 1
  if old_window == window and last >= starts then
    previous = earlier
  elseif old_window ~= window and before >= starts then
    count = count + earlier
  elseif old_window ~= window and before >= starts - window then
    previous = previous + earlier
  end
end
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
local counts = struct.pack('>I7I6I5I5', time, window, count + permits, previous)
if expires * 1000000 < now + reset + 60000000 then
  redis.call('SET', key, counts .. struct.pack('>I5', now / 1000000 + expiry / 1000), 'PX', string.format('%d', expiry))
else
  redis.call('SETRANGE', key, '0', counts)
end
-- @attempt
permits = permits < limit - count and permits or limit - count
