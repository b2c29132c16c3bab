-- One rule of acquire, with the rules after it inside: all look on the way in, and are charged on the way out. So a
-- rule's local variables are still there when it is charged, and no function or table is needed to keep them.
--
-- RULE     which one
local key, rule = KEYS[RULE], ARGV[RULE + 1]
local retry, remaining, reset
-- @include look
allowed = allowed and retry == 0
-- @include next
if allowed then
  -- @include charge
end
reply = struct.pack('>I4i7I7c0', remaining, retry, reset, reply)
