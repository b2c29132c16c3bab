-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- ARGV     limit; window in us; 'c' for windows of the clock or 'f' for those from the first request; expiry in ms
-- state    a string of 20 bytes: when the first and the last counted permits were admitted (7 bytes each), the
--          count (6)
-- cost     GET; charged: SET
local limit, window = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
local first, last, count, time, ends = 0, 0, 0, now, nil
local state = redis.call('GET', key)
if state then
  if #state ~= 20 then
    error('HEADGATE_FOREIGN not a fixed window')
  end
  first, last, count = struct.unpack('>I7I7I6', state)
  if last > now then
    time = last
  end
end
if ARGV[at + 3] == 'c' then
  local starts = time - time % window
  ends = starts + window
  if last < starts then
    count = 0
  end
else
  if time >= first + window then
    count = 0
  end
  ends = (count > 0 and first or time) + window
end
if count == 0 then
  first = time
end
remaining = limit > count and limit - count or 0
retry = permits <= remaining and 0 or permits > limit and -1 or ends - now
reset = count > 0 and ends - now or 0
-- @charge
redis.call('SET', key, struct.pack('>I7I7I6', first, time, count + permits), 'PX', ARGV[at + 4])
remaining, reset = remaining - permits, ends - now
