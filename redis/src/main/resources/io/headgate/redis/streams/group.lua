-- Creates and removes groups.

-- @section declare_group
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

-- @section create_group
-- Creates the group, which begins after that id, and the stream with it if it is missing. The function that runs the command is
-- call, which raises its error, or redis.pcall, which returns it. Reads now, the time in microseconds; sets fence, which is newer
-- than that of every group of the same name before it, and changed, whether the fence is to be stored.
local function create_group(run, start)
  local reply = run('XGROUP', 'CREATE', stream, ARGV[1], start, 'MKSTREAM')
  if not reply.err then
    fence, changed = math.max(now, fence + 1), true
  end
  return reply
end

-- @section remove_group
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

-- @section looks_read
-- When the group looks for expired leases next, its fence, and where to go on looking. The fence is when an entry was taken
-- over last, or the group was made, and only ever grows: what was handed out under it as it is now nobody has taken over.
local look_at, fence, cursor = 0, 0, '0-0'
local known = call('GET', looks)
if known then
  look_at, fence = read('>I7I7', known)
  cursor = sub(known, 15)
end

-- @section own_keys
-- The number of the last key that is a queue's: the group's.
local own_keys = 13
