-- Charges a window with permits, and sets its expiry when that is due.
if expires < ends + 60000000 then
  redis.call('SET', key, struct.pack('>I7I7I6I7', first, time, count + permits, now + expiry * 1000),
    'PX', string.format('%d', expiry))
else
  redis.call('SETRANGE', key, '0', struct.pack('>I7I7I6', first, time, count + permits))
end
remaining, reset = remaining - permits, ends - now
