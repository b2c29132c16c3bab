-- The only rule of reserve: looks, and is charged when it admits.
local key, begins = KEYS[RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include reserving
-- @include reply_first
