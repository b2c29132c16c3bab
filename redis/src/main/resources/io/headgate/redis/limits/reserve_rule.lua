-- The rule of reserve.
local key, begins = KEYS[RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include reserving
-- @include reply_first
