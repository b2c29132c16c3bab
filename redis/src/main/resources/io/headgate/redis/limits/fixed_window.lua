-- The fixed window: permits counted in a window that begins with its first request or with the clock.

-- @section fixed_window
-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6); 0 for windows of the clock, 1 for those from the first
--          request (1)
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry, from_first
limit, window, expiry, from_first, at = unpack('>I4I6I6I1', limits, at)
-- @include fixed_window_state
-- @include fixed_window_of
-- @include fixed_window_look
-- @charge
-- @include fixed_window_charge
-- @attempt
-- @include fixed_window_attempt

-- @section fixed_window_state
-- Reads what is counted in a window.
--
-- state    a string of 27 bytes: when the first and the last counted permits were admitted (7 bytes each), the
--          count (6), and when the key expires (7)
local first, last, count, expires, time = now, 0, 0, 0, now
local state = call('GET', key)
if state then
  if #state ~= 27 then
    error('HEADGATE_FOREIGN not a window')
  end
  first, last, count, expires = unpack('>I7I7I6I7', state)
  if last > now then
    time = last
  end
end

-- @section fixed_window_of
-- The window that the time is in, and what is counted in it.
local starts, ends
if from_first == 0 then
  starts = time - time % window
  ends = starts + window
  if last < starts or count == 0 then
    first, count = time, 0
  end
else
  if time >= first + window or count == 0 then
    first, count = time, 0
  end
  starts, ends = first, first + window
end

-- @section fixed_window_look
-- What a window says that ends when it is known to.
remaining = limit > count and limit - count or 0
retry = permits <= remaining and 0 or permits > limit and -1 or ends - now
reset = count > 0 and ends - now or 0

-- @section fixed_window_charge
-- Charges a window with permits, and sets its expiry when that is due.
if expires < ends + 60000000 then
  call('SET', key, pack('>I7I7I6I7', first, time, count + permits, now + expiry * 1000),
    'PX', string.format('%d', expiry))
else
  call('SETRANGE', key, '0', pack('>I7I7I6', first, time, count + permits))
end
remaining, reset = remaining - permits, ends - now

-- @section fixed_window_attempt
-- Attempts bring the count of a window to its limit at most.
permits = permits < limit - count and permits or limit - count

-- @section fixed_window_refund
-- Refunds a fixed window.
local limit, window, expiry, from_first
limit, window, expiry, from_first, at = unpack('>I4I6I6I1', limits, at)
-- @include fixed_window_state
-- @include fixed_window_of
-- @include fixed_window_back
-- @take
-- @include fixed_window_take

-- @section fixed_window_back
-- What a window gives back: of what was charged in it.
if charged_at == 0 or charged_at >= starts then
  refunded = permits < count and permits or count
end

-- @section fixed_window_take
-- Takes permits off the count of a window.
call('SETRANGE', key, '14', pack('>I6', count - refunded))
