-- Says of entries that are in hand that they are done.
--
-- KEYS     1 stream, 2 when to look for expired leases, where, and the fence
-- ARGV     1 the group, 2 the consumer; then what is to be acked, as in ack_all.lua
-- returns  7 bytes the time; a byte for each by its id: 1 done, 0 the lease was lost and nothing changed; then what became of
--          whole batches
-- costs    O(1) for each, O(log n) after a takeover
-- @include calls
-- @include clock
local stream, looks = KEYS[1], KEYS[2]
local first, answers = 3, {}
-- @include looks_read
-- @include ack_all
-- @include drop_empty
return pack('>I7', now) .. table.concat(answers) .. table.concat(of_batches)
