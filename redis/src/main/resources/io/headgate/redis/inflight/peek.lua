-- Counts the holds of keys.

-- @section peek
-- Looks at what is held under each rule of a policy.
--
-- KEYS     the key of each rule
-- ARGV     in tests, the time
-- returns  as acquire
-- cost     TIME, and for each rule of N permits ZCOUNT and ZRANGEBYSCORE, O(log N)
-- @include calls
-- @include clock
-- @include look
return pack('>I7B', now, 0) .. counts()
