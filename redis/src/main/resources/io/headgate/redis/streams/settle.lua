-- Says what came of entries that are in hand.
--
-- KEYS     1..13 the group's queue, as of claim.lua of queues; 14 stream; 15 when to look for expired leases, where, and the
--          fence; 16 the keys of what is done
-- ARGV     1 the group, 2 the consumer; then what is to be settled, as in settle_all.lua
-- returns  7 bytes the time; a byte for each: 1 done, 0 the lease was lost and nothing changed
-- costs    O(log n) for each
-- @include calls
-- @include clock
-- @include header_read
local stream, looks, done_keys = KEYS[14], KEYS[15], KEYS[16]
-- @include looks_read
local old_seq, old_awaited, settled = seq, awaited, ''
local first = 3
-- @include put_back
-- @include as_job
-- @include settle_all
if seq ~= old_seq or awaited ~= old_awaited then
  -- @include header_write
end
return pack('>I7', now) .. settled
