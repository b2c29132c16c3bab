-- The fixed window 'fw', twin of FixedWindowAlgorithm.
--
-- ARGV     limit; window in us; 'c' for windows of the clock or 'f' for those from the first request; expiry in ms
-- state    a string of 20 bytes: when the first and the last counted permits were admitted (7 bytes each), the
--          count (6)
-- cost     GET; charged: SET
look.fw = function(key, at, permits, now)
  local limit, window = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local first, last, count, time = 0, 0, 0, now
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
  local ends
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
  local remaining = limit > count and limit - count or 0
  local retry = permits <= remaining and 0 or permits > limit and -1 or ends - now
  return retry, remaining, count > 0 and ends - now or 0, first, time, count, ends
end

charge.fw = function(key, at, permits, now, remaining, first, time, count, ends)
  redis.call('SET', key, struct.pack('>I7I7I6', first, time, count + permits), 'PX', ARGV[at + 4])
  return remaining - permits, ends - now
end
