-- Charges a window with permits, and sets its expiry when that is due.
if expires < ends + 60000000 then
  call('SET', key, pack('>I7I7I6I7', first, time, count + permits, now + expiry * 1000),
    'PX', string.format('%d', expiry))
else
  call('SETRANGE', key, '0', pack('>I7I7I6', first, time, count + permits))
end
remaining, reset = remaining - permits, ends - now
