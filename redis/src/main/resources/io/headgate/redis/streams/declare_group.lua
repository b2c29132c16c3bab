-- Creates a group before its first claim, and the stream with it, so that what it needs is not trimmed.
--
-- KEYS     1 stream; 2 when the group looks for expired leases, where, and its fence
-- ARGV     1 the group; 2 after which id it begins, or $ for the last one
-- returns  1 byte whether the group was created; 0 when it existed, and nothing was changed
-- stays    a lease of a group of the same name that was removed is under an older fence, and so is looked up when it is settled
-- costs    O(1)
-- @include calls
-- @include clock
local stream, looks = KEYS[1], KEYS[2]
-- @include looks_read
local changed = false
-- @include create_group
local reply = create_group(redis.pcall, ARGV[2])
if reply.err then
  return string.find(reply.err, 'BUSYGROUP', 1, true) and '\0' or reply
end
call('SET', looks, pack('>I7I7', look_at, fence) .. cursor)
return '\1'
