-- Creates and removes groups of a stream, and reads the scan state of a group.
--
-- Two scripts: declare_group and remove_group. Each section describes its KEYS, ARGV, reply and cost.
--
-- State      claim.lua describes the scan state
-- Always     the fence only grows, even if a group is removed and created again, so an old lease is never mistaken for
--            a current one
--
-- Variables that cross sections. From common.lua of queues: call, pack, decode, sub, now. Set by the operation:
--   stream            the key of the stream
--   scan_key          the key of the scan state
-- Set here:
--   queue_keys        the index of the last key that belongs to the group's queue
--   scan_at           when to scan for expired leases next, us since 1970
--   fence             when an entry was last taken over or the group was created, us since 1970. No entry that was
--                     delivered under the current fence has been taken over
--   cursor            the id to continue the scan from
--   changed           whether the scan state must be stored
--   create_group      function: creates the group

-- @section declare_group
-- Creates a group before its first claim, so that entries that it needs are not trimmed; also creates the stream if
-- necessary.
--
-- KEYS     1 the stream; 2 the scan state of the group
-- ARGV     1 the group; 2 the id after which it starts, or $ for the last one
-- Reply    1 byte: 1 created, 0 the group existed and nothing changed
-- Always   leases of a removed group of the same name have an older fence, and so are checked one by one when settled
-- Cost     O(1)
-- @include calls
-- @include clock
local stream, scan_key = KEYS[1], KEYS[2]
-- @include read_scan
local changed = false
-- @include create_group
local reply = create_group(redis.pcall, ARGV[2])
if reply.err then
  return string.find(reply.err, 'BUSYGROUP', 1, true) and '\0' or reply
end
call('SET', scan_key, pack('>I7I7', scan_at, fence) .. cursor)
return '\1'

-- @section remove_group
-- Removes a group with its pending entries, its queue with the dead letters, and the keys of done entries.
--
-- KEYS     1 to 13 the group's queue, as in claim.lua of queues; 14 the stream; 15 the scan state of the group; 16 the
--          keys of done entries; 17 the list of data that a repair of the queue has set aside
-- ARGV     1 the group
-- Reply    1 byte: 1 when the group or any of its keys existed, else 0
-- Always   the entries stay in the stream
-- Cost     O(pending entries); the rest is freed in the background
-- @include calls
local stream = KEYS[14]
local found = call('EXISTS', stream) > 0 and call('XGROUP', 'DESTROY', stream, ARGV[1]) > 0
local removed_keys = call('UNLINK', unpack(KEYS, 1, 13)) + call('UNLINK', unpack(KEYS, 15))
return (found or removed_keys > 0) and '\1' or '\0'

-- @section create_group
-- Creates the group, which starts after an id; also creates the stream if it does not exist. run is call, which raises
-- an error of the command, or redis.pcall, which returns it. Sets changed, and sets fence above that of any earlier
-- group of this name.
local function create_group(run, start)
  local reply = run('XGROUP', 'CREATE', stream, ARGV[1], start, 'MKSTREAM')
  if not reply.err then
    fence, changed = math.max(now, fence + 1), true
  end
  return reply
end

-- @section read_scan
-- Reads the scan state.
local scan_at, fence, cursor = 0, 0, '0-0'
local stored = call('GET', scan_key)
if stored then
  scan_at, fence = decode('>I7I7', stored)
  cursor = sub(stored, 15)
end

-- @section queue_keys
-- For read_header of common.lua of queues: the first 13 keys are those of the group's queue.
local queue_keys = 13
