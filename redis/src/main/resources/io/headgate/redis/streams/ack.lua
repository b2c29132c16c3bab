-- Acknowledges entries: whole batches by removing their consumers, other entries by their ids.
--
-- KEYS       1 the stream; 2 the scan state of the group
-- ARGV       1 the group; 2 the consumer; then what to acknowledge, see ack_all
-- Reply      the time (7 bytes); for each id a byte: 1 acknowledged, 0 the lease was lost and nothing changed; then
--            the results of batches, see ack_batch
-- State      claim.lua describes the scan state. A batch is a separate consumer, whose pending entries one claim has
--            delivered
-- Always     an entry is acknowledged only for the consumer and delivery for which it is pending. While the fence of
--            the group is that of the claim, no entry was taken over since, and this need not be checked
-- Cost       O(1) for each entry, O(log n) after a takeover
--
-- Variables that cross sections. From common.lua of queues: call, pack, decode, sub, byte, now; from group.lua:
-- scan_key, fence. settle.lua uses these too:
--   stream            the key of the stream
--   first_settlement  the index of the first argument of ack_all
--   replies           the reply, in parts
--   batch_results     the results of whole batches
--   batch_count, batch_names   how many batches the arguments name, and the names of their consumers
--   batch_fence, name   the fence of the group when a batch was claimed, and the name of its consumer
--   ack_count         how many entries are acknowledged by their ids
--   ids_at            the index of the first argument that is an id
--   pending_entries   function: returns the pending entries in a range of ids
--   is_held           function: whether an entry is pending for this delivery and owner

-- @section ack
-- Acknowledges, and replies.
-- @include calls
-- @include clock
local stream, scan_key = KEYS[1], KEYS[2]
local first_settlement, replies = 3, {}
-- @include read_scan
-- @include ack_all
-- @include remove_empty_batches
return pack('>I7', now) .. table.concat(replies) .. table.concat(batch_results)

-- @section ack_all
-- Acknowledges entries: whole batches by their names, and other entries in one command if they were delivered under the
-- current fence. Otherwise it reads the pending entries from the first id to the last; if there are many others in that
-- range, it reads the remaining ones one by one.
--
-- Argument first_settlement: how many batches are named (2 bytes), how many entries are acknowledged by their ids (2);
-- the fence under which these entries were delivered, or 0 unless it is the same for all and none was settled before
-- (7); for each of these entries its delivery (2) and its owner (2): the index of a batch, or 0 for the consumer.
-- Then an argument for each batch: what happens to its consumer (1): 0 it is kept, 1 it is removed if it has no pending
-- entries, 2 it is removed and all its entries are acknowledged; the fence of its claim (7); its name.
-- Then the ids in ascending order.
-- Adds to replies a byte for each id, and to batch_results what ack_batch describes.
local batch_count, ack_count, claim_fence = decode('>I2I2I7', ARGV[first_settlement])
local batch_names, batch_results, ids_at = {}, {}, first_settlement + 1 + batch_count
-- @include pending_entries
for i = 1, batch_count do
  local mode, batch_fence, name = byte(ARGV[first_settlement + i]), decode('>I7', ARGV[first_settlement + i], 2),
    sub(ARGV[first_settlement + i], 9)
  batch_names[i] = name
  if mode == 2 then
    -- @include ack_batch
  end
end
if ack_count > 0 and claim_fence > 0 and claim_fence == fence then
  -- XACK returns how many entries were pending. If none was, the group was created again.
  local gone = call('XACK', stream, ARGV[1], unpack(ARGV, ids_at, ids_at + ack_count - 1))
  replies[1] = string.rep(gone > 0 and '\1' or '\0', ack_count)
elseif ack_count > 0 then
  -- @include ack_each
end

-- @section pending_entries
-- pending_entries returns the pending entries in a range of ids, of one consumer or of all: for each its id, consumer,
-- idle time and number of deliveries; nothing if the group does not exist. is_held returns whether such an entry is
-- pending for this delivery and owner.
local function pending_entries(from, to, max_count, ...)
  local reply = redis.pcall('XPENDING', stream, ARGV[1], from, to, max_count, ...)
  if reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    return {}
  end
  -- Sent again, an error other than a missing group ends the script.
  return reply.err and call('XPENDING', stream, ARGV[1], from, to, max_count, ...) or reply
end
local function is_held(row, delivery, owner)
  return row[2] == (batch_names[owner] or ARGV[2]) and math.min(65535, row[4]) == delivery
end

-- @section ack_batch
-- Acknowledges all entries of a batch by removing its consumer. Adds to batch_results 0 when no entry was pending, 1
-- when all were acknowledged. After a takeover, or when Redis 6.2 is out of memory and rejects XGROUP, it acknowledges
-- the entries that are still pending, and adds 2 and their ids as MessagePack.
local removed = batch_fence > 0 and batch_fence == fence and redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1],
  name)
if type(removed) == 'number' then
  batch_results[#batch_results + 1] = removed > 0 and '\1' or '\0'
else
  local ids = pending_entries('-', '+', 65535, name)
  for k = 1, #ids do
    ids[k] = ids[k][1]
  end
  if #ids > 0 then
    call('XACK', stream, ARGV[1], unpack(ids))
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], name)
  end
  batch_results[#batch_results + 1] = #ids > 0 and '\2' .. cmsgpack.pack(ids) or '\0'
end

-- @section ack_each
-- Acknowledges entries by their ids, if they are pending for the given delivery and owner.
local max_rows, rows, ids = 2 * ack_count, {}, {}
local pending = pending_entries(ARGV[ids_at], ARGV[ids_at + ack_count - 1], max_rows)
for i = 1, #pending do
  rows[pending[i][1]] = pending[i]
end
for i = 1, ack_count do
  local id = ARGV[ids_at + i - 1]
  local row = rows[id]
  if row == nil and #pending == max_rows then
    row = pending_entries(id, id, 1)[1]
  end
  local done = row and is_held(row, decode('>I2I2', ARGV[first_settlement], 4 * i + 8))
  if done then
    ids[#ids + 1] = id
    rows[id] = false
  end
  replies[i] = done and '\1' or '\0'
end
if #ids > 0 then
  call('XACK', stream, ARGV[1], unpack(ids))
end
