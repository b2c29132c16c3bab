-- One rule of peek, with the rules after it inside, as in acquire.
local key = KEYS[RULE]
local retry, remaining, reset, delay
-- @include look
-- @include uncharged
-- @include next
-- @include reply
