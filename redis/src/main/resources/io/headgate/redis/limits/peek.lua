-- Decides without charging.

-- @section peek
-- What acquire would answer; charges nothing and writes nothing.
--
-- KEYS, ARGV, returns, cost: as acquire; remaining and reset are those before a charge
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules

-- @section peek_rule
-- One rule of peek, with the rules after it inside, as in acquire.
local key = KEYS[RULE]
local retry, remaining, reset, delay
-- @include look
-- @include uncharged
-- @include next
-- @include reply
