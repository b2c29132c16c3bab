-- Decides one request under one rule of a policy whose rules are decided apart, as their keys lie in several slots: charges
-- it when it admits, and says besides what it says where others deny and the charge is given back.
--
-- KEYS     the key of the rule
-- ARGV     as acquire, of that rule alone
-- returns  what acquire does; then once more what the rule says, where others deny: as if it had charged nothing, or under
--          attempts that count, after the attempt
-- keeps    as acquire
-- cost     as acquire; under attempts that count what is charged is read once more
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules
