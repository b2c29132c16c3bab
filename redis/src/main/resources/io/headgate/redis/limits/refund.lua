-- Takes back what was charged to some rules: by a decision, or the oldest permits that still count.
--
-- KEYS     the key of each rule
-- ARGV[1]  permits to take back
-- ARGV[2]  and on: each rule's limit, as for acquire, and after it: when the permits were charged, in us (7 bytes), or 0
--          for the oldest; when the limit would have been whole again after them (7)
-- ARGV     last, in tests: the time in microseconds since 1970
-- returns  a string: the time (7 bytes), then for each rule: permits taken back (4), or 2^32 - 1 as in acquire and then how
--          far after now the time is that the periods must be about (7)
-- keeps    everything is read before anything is written, and nothing can fail after the first write
-- cost     TIME, and for each rule what its file reads, and a write
-- @include calls
-- @include clock
local permits, allowed = ARGV[1] + 0, true
local reply = ''
-- @include rules
return pack('>I7', now) .. reply
