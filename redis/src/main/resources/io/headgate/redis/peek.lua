-- What acquire would answer; charges nothing and writes nothing.
--
-- KEYS, ARGV, returns, cost: as acquire; remaining and reset are those before a charge
-- @include clock
local permits = ARGV[1] + 0
local reply = ''
-- @include rules
return struct.pack('>I7', now) .. reply
