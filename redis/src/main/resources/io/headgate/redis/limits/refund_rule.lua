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
