-- Refunds what requests were charged, also by the id of a request.

-- @section refund
-- Takes back what was charged to some rules: by a decision, or the oldest permits that still count.
--
-- KEYS     the key of each rule; then, where a decision is refunded that must not be refunded twice, the key of its record
-- ARGV[1]  permits to take back
-- ARGV[2]  and on: each rule's limit, as for acquire, and after it: when the permits were charged, in us (7 bytes), or 0
--          for the oldest; when the limit would have been whole again after them (7)
-- ARGV     last, in tests: the time in microseconds since 1970
-- state    the record is an empty string; it expires a minute after the charge stops counting under every rule
-- returns  a string: the time (7 bytes), then for each rule: permits taken back (4), or 2^32 - 1 as in acquire and then how
--          far after now the time is that the periods must be about (7)
-- keeps    everything is read before anything is written, and nothing can fail after the first write; of a decision that has
--          a record, nothing is taken back
-- cost     TIME, and for each rule what its file reads, and a write; with a record GET, and SET where anything was taken back
-- locals   counts_until: when the charge stops counting under every rule; taken: whether anything was taken back
-- @include calls
-- @include clock
local record, taken, counts_until = KEYS[RULES + 1], false, 0
if record and call('GET', record) then
  return pack('>I7', now) .. string.rep('\0', RULES * 11)
end
local permits, allowed = ARGV[1] + 0, true
local reply = ''
-- @include rules
if record and taken then
  -- No limit takes longer than ten years to be whole again.
  local left = math.min(math.ceil((counts_until - now) / 1000), 316224000000)
  call('SET', record, '', 'PX', string.format('%d', left + 60000))
end
return pack('>I7', now) .. reply

-- @section refund_once
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

-- @section refund_rule
-- One rule of refund, with the rules after it inside, as in acquire.
local key, limits, at = KEYS[RULE], ARGV[RULE + 1], 1
local charged_at, whole_at = unpack('>I7I7', limits, #limits - 13)
if whole_at > counts_until then
  counts_until = whole_at
end
if charged_at > 0 and now >= whole_at then
  -- The charge has expired, even if the limit is longer now. A charge time of 1970 is outside every window.
  charged_at, whole_at = 1, 1
end
local refunded, reset = 0, 0
-- @include refund
-- @include next
if allowed and refunded > 0 then
  taken = true
  -- @include take
end
reply = pack('>I4I7c0', refunded, reset, reply)
