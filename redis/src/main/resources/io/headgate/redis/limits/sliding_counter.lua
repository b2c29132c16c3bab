-- The sliding counter: two fixed windows, the older one weighted by what is left of it.

-- @section sliding_counter
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

-- @section sliding_counter_state
-- Reads the two counts of a sliding counter, and places them in the windows that the time is in and was in before.
--
-- state    a string of 28 bytes: the last charge (7 bytes), the window that it was made under (6), the permits counted
--          in that window of the clock (5) and in the one before (5); when the key expires, in s (5)
local last, counted, earlier, expires, time = 0, 0, 0, 0, now
local count, previous, old_window, starts, before = 0, 0, nil, nil, nil
local state = call('GET', key)
if state then
  if #state ~= 28 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  last, old_window, counted, earlier, expires = unpack('>I7I6I5I5I5', state)
  if old_window < 1000 or counted > 17179869184 or earlier > 17179869184 then
    error('HEADGATE_FOREIGN not a sliding counter')
  end
  if last > now then
    time = last
  end
  starts = time - time % window
  if last >= starts then
    count = counted
  elseif last >= starts - window then
    previous = counted
  end
  -- The earlier ones were admitted before the window of the last charge began; when windows changed, that may be now.
  before = last - last % old_window - 1
  if old_window == window and last >= starts then
    previous = earlier
  elseif old_window ~= window and before >= starts then
    count = count + earlier
  elseif old_window ~= window and before >= starts - window then
    previous = previous + earlier
  end
end

-- @section sliding_counter_refund
-- Refunds a sliding counter: each of its counts, as long as some of it weighs.
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
-- @include sliding_counter_state
local of_counted, of_earlier = 0, 0
if state then
  local live = starts - window
  local began = last - last % old_window
  if old_window == window then
    before = last - window
  end
  if charged_at < began and (charged_at == 0 or charged_at >= began - old_window) and before >= live then
    of_earlier = permits < earlier and permits or earlier
  end
  if (charged_at == 0 or charged_at >= began) and last >= live then
    of_counted = permits - of_earlier
    of_counted = of_counted < counted and of_counted or counted
  end
  refunded = of_earlier + of_counted
end
-- @take
call('SETRANGE', key, '13', pack('>I5I5', counted - of_counted, earlier - of_earlier))
