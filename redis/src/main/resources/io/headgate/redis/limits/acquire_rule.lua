-- One rule of acquire, with the rules after it inside: all look on the way in, and are charged on the way out. So a
-- rule's local variables are still there when it is charged, and no function or table is needed to keep them.
--
-- RULE     which one
local key, begins = KEYS[RULE], at
local retry, remaining, reset, delay
-- @include look
-- @include verdict
-- @include next
-- @include settle
-- @include reply
