-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6); 0 for windows of the clock, 1 for those from the first
--          request (1)
-- state    a string of 27 bytes: when the first and the last counted permits were admitted (7 bytes each), the
--          count (6), and when the key expires (7)
-- cost     GET; charged: SETRANGE, or SET where the expiry must be set
local limit, window, expiry, from_first = struct.unpack('>I4I6I6I1', rule)
local first, last, count, expires, time, ends = now, 0, 0, 0, now, nil
local state = redis.call('GET', key)
if state then
  if #state ~= 27 then
    error('HEADGATE_FOREIGN not a fixed window')
  end
  first, last, count, expires = struct.unpack('>I7I7I6I7', state)
  if last > now then
    time = last
  end
end
if from_first == 0 then
  local starts = time - time % window
  ends = starts + window
  if last < starts then
    first, count = time, 0
  end
else
  if time >= first + window or count == 0 then
    first, count = time, 0
  end
  ends = first + window
end
remaining = limit > count and limit - count or 0
retry = permits <= remaining and 0 or permits > limit and -1 or ends - now
reset = count > 0 and ends - now or 0
-- @charge
if expires < ends + 60000000 then
  redis.call('SET', key, struct.pack('>I7I7I6I7', first, time, count + permits, now + expiry * 1000),
    'PX', string.format('%d', expiry))
else
  redis.call('SETRANGE', key, '0', struct.pack('>I7I7I6', first, time, count + permits))
end
remaining, reset = remaining - permits, ends - now
