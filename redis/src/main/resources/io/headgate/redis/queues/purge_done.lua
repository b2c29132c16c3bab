-- Removes jobs that are done, the oldest first.
--
-- KEYS     as of claim.lua; last done
-- ARGV     1: how many at most
-- returns  1 byte whether there may be more, 6 how many
-- costs    O(log n) for each
-- @include calls
-- @include header_read
-- @include may_write
-- @include put_back
-- @include drop_done
local n = drop_done(ARGV[1] + 0)
return pack('>BI6', n > 0 and 1 or 0, n)
