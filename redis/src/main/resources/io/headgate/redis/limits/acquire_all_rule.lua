-- One rule of a step of acquire_all, with the rules after it inside, as in acquire.
--
-- RULE     which one
local key, begins = KEYS[base + RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include spare
if remaining < least then
  least = remaining
end
-- @include next
-- @include settle
-- @include several
-- @include reply
