-- What acquire would answer; charges nothing and writes nothing.
--
-- KEYS, ARGV, returns, cost: as acquire; remaining and reset are those before a charge
local look, charge = {}, {}
-- @include algorithms
-- @include clock
local permits, reply = tonumber(ARGV[2]), {now}
for i = 1, #KEYS do
  local at = i * 5 - 2
  local retry, remaining, reset = look[ARGV[at]](KEYS[i], at, permits, now)
  reply[i * 3 - 1], reply[i * 3], reply[i * 3 + 1] = remaining, retry, reset
end
return reply
