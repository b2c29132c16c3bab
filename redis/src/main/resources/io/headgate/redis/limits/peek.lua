-- What acquire would answer; charges nothing and writes nothing.
--
-- KEYS, ARGV, returns, cost: as acquire; remaining and reset are those before a charge
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules
