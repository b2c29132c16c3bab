-- One rule of peek, with the rules after it inside, as in acquire.
local key, rule = KEYS[RULE], ARGV[RULE + 1]
local retry, remaining, reset, delay
-- @include look
-- @include next
-- @include reply
