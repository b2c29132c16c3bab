-- Decides one request under all rules of a policy: charges every rule, or none.
--
-- KEYS     the key of each rule
-- ARGV     the limits of all rules in one, each packed as the file of its kind says, for one argument costs Redis less
--          than several; then permits asked for, if it is not one; and in tests, the time in microseconds since 1970
-- returns  a string, which costs Redis less than a list of numbers: the time (7 bytes), then for each rule: permits
--          remaining (4); microseconds until the request would be admitted, 0 when it is, -1 when it never would be, and
--          -1 - n when this rule admitted it, but has counted the attempt and would admit the same one only in n (7);
--          microseconds until the limit is whole again (7)
-- keeps    everything is read and decided before anything is written, and nothing can fail after the first write
-- cost     TIME, and for each rule the calls that its file names
-- @include calls
-- @include clock
local limits, at, permits, many, allowed = ARGV[1], 1, (ARGV[2] or 1) + 0, 1, true
local reply = ''
-- @include rules
