-- Charges a bucket with permits that it may be charged with, and sets its expiry when that is due.
owed, remaining = owed + permits, remaining - permits
if fits then
  local all = owed * period + parts
  local over = all % rate
  reset = (over > 0 and all - over + rate or all) / rate + time - now
else
  reset = wait(owed) + time - now
end
local charged = pack('>I7I4I6I6', time, owed, parts, period)
if expires * 1000000 < now + reset + 60000000 then
  call('SET', key, charged .. pack('>I5', now / 1000000 + expiry / 1000),
    'PX', string.format('%d', expiry))
else
  call('SETRANGE', key, '0', charged)
end
