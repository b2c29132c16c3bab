-- acquire for a policy of one rule: the same question and the same reply, without functions or tables on the way.
--
-- KEYS, ARGV, returns, keeps, cost: as acquire
-- @include clock
local key, at, permits = KEYS[1], 3, tonumber(ARGV[2])
local retry, remaining, reset
-- @include look
if retry == 0 then
  -- @include charge
end
return {now, remaining, retry, reset}
