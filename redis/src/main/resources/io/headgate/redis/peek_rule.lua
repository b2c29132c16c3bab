-- One rule of peek, with the rules after it inside, as in acquire.
local key, rule = KEYS[RULE], ARGV[RULE]
local retry, remaining, reset, delay
-- @include look
-- @include uncharged
-- @include next
-- @include reply
