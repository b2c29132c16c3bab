-- Takes back what a request with an id was charged by one rule that is decided apart, unless others were told the same
-- answer, who may be admitted by it; and forgets the answer.
--
-- KEYS     the key of the rule, then that of the id
-- ARGV     1 permits, 0 where only the answer is to be forgotten; 2 the limit and when they were charged, as for refund; 3 what tells this request from others (16
--          bytes); 4 how many of those who were told the answer don't use it: 1, or 65535 for all; and in tests, the time
-- returns  as refund
-- keeps    as refund: what is not the answer that was told, or is gone, takes back nothing
-- cost     as refund, a GET, and an UNLINK or SETRANGE
-- @include calls
-- @include clock
local limit = ARGV[2]
local answer = call('GET', KEYS[2])
if not answer or #answer < 61 or string.sub(answer, 1, 16) ~= ARGV[3]
  or unpack('>I7', answer, 19) ~= unpack('>I7', limit, #limit - 13) then
  return pack('>I7I4I7', now, 0, 0)
end
local told = unpack('>I2', answer, 17)
if told == 65535 and ARGV[4] ~= '65535' then
  return pack('>I7I4I7', now, 0, 0)
end
if told > ARGV[4] + 0 then
  call('SETRANGE', KEYS[2], '16', pack('>I2', told - ARGV[4]))
  return pack('>I7I4I7', now, 0, 0)
end
local permits, allowed, taken, counts_until = ARGV[1] + 0, true, false, 0
if permits == 0 then
  call('UNLINK', KEYS[2])
  return pack('>I7I4I7', now, 0, 0)
end
local reply = ''
-- @include rules
if allowed then
  call('UNLINK', KEYS[2])
end
return pack('>I7', now) .. reply
