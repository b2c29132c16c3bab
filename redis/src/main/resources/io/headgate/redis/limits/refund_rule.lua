-- One rule of refund, with the rules after it inside, as in acquire.
local key, limits, at = KEYS[RULE], ARGV[RULE + 1], 1
local charged_at, whole_at = unpack('>I7I7', limits, #limits - 13)
local refunded, reset = 0, 0
-- @include refund
-- @include next
if allowed and refunded > 0 then
  -- @include take
end
reply = pack('>I4I7c0', refunded, reset, reply)
