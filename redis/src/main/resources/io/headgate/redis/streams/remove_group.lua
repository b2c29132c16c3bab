-- Ends a group: what it has in hand, its queue with its dead letters, and the keys of what it has done go with it.
--
-- KEYS     1..13 the group's queue, as of claim.lua of queues; 14 stream; 15 when it looks for expired leases, where, and the
--          fence; 16 the keys of what is done
-- ARGV     1 the group
-- returns  1 byte whether there was one
-- stays    entries stay in the stream
-- costs    O(entries pending); the rest is freed beside
-- @include calls
local stream = KEYS[14]
local found = call('EXISTS', stream) > 0 and call('XGROUP', 'DESTROY', stream, ARGV[1]) > 0
local left = call('UNLINK', unpack(KEYS, 1, 13)) + call('UNLINK', unpack(KEYS, 15))
return (found or left > 0) and '\1' or '\0'
