-- Settles claimed entries: acknowledges, retries or dead-letters them, or extends their leases.
--
-- KEYS       1 to 13 the group's queue, as in claim.lua of queues; 14 the stream; 15 the scan state of the group; 16
--            the keys of done entries
-- ARGV       1 the group; 2 the consumer; then settlements, see settle_all
-- Reply      the time (7 bytes); for each entry a byte: 1 settled, 0 the lease was lost and nothing changed, or the
--            entry can't be stored in a queue, see settle_one; then the results of batches, see ack_batch in ack.lua
-- State      as in claim.lua; a record in the group's queue has the id of its entry in the header headgate-entry
-- Always     an entry is settled only for the consumer and delivery for which it is pending
-- Cost       O(log n) for each entry
--
-- Variables that cross sections. From common.lua of queues: call, pack, decode, sub, byte, NEVER, now, last_argument,
-- last_number, job_count, awaited_until, earliest_due, requeue, dead_letter, with_history; from ack.lua: replies,
-- batch_results, batch_count, batch_names, ack_count, ids_at, pending_entries, is_held; from done.lua: remember_key,
-- done_keys; from group.lua: scan_key.
--   stream            the key of the stream
--   first_settlement  the index of the first argument of settle_all, set by the operation
--   settled           the reply of settle_all
--   action_bytes, id  the packed settlement of an entry, and the id of the entry
--   delivery, owner   the delivery that is settled, and its owner: the index of a batch, or 0 for the consumer
--   action            how to settle the entry, see settle_all
--   pending           the pending entry: id, consumer, idle time, deliveries; nil when it is not pending
--   done              whether the entry was settled
--   as_job            function: returns an entry as a record for the group's queue

-- @section settle
-- Processes settlements, and replies.
-- @include calls
-- @include clock
-- @include read_header
local stream, scan_key, done_keys = KEYS[14], KEYS[15], KEYS[16]
-- @include read_scan
local old_number, old_awaited, settled = last_number, awaited_until, ''
local first_settlement = 3
-- @include requeue
-- @include as_job
-- @include settle_all
if last_number ~= old_number or awaited_until ~= old_awaited then
  -- @include write_header
end
return pack('>I7', now) .. settled

-- @section settle_all
-- Settles entries. The first arguments acknowledge entries, as in ack_all of ack.lua. Then pairs of arguments: the
-- settlement of an entry, and its id. A settlement is the delivery (2 bytes), its owner (2): the index of a batch, or 0
-- for the consumer; an action (1), and its data:
--   2 done, and its key is kept: for how long, in ms (6), the key
--   3 wait again: whether the attempt failed (1), the delay in us (7), the length of the cause (2), the cause
--   4 dead letter: the length of the cause (2), the cause
--   5 extend the lease: the new idle time of the entry, in ms (6)
-- Sets settled: for each entry a byte, 1 settled, 0 the lease was lost; then the results of batches.
local replies, earliest_due = {}, NEVER
-- @include ack_all
-- @include remember_key
for i = ids_at + ack_count, last_argument, 2 do
  local action_bytes, id = ARGV[i], ARGV[i + 1]
  local delivery, owner, action = decode('>I2I2B', action_bytes)
  local pending = pending_entries(id, id, 1)[1]
  local done = pending and is_held(pending, delivery, owner)
  if done then
    -- @include settle_one
  end
  replies[#replies + 1] = done and '\1' or '\0'
end
-- @include remove_empty_batches
settled = table.concat(replies) .. table.concat(batch_results)
-- @include wake_consumers

-- @section settle_one
-- Settles an entry that is pending for its owner. A deleted entry, or an entry that is too large for a queue, can't be
-- retried, handed back or dead-lettered: the reply is 0, as for a lost lease. A deleted entry is also acknowledged.
if action == 2 then
  remember_key(sub(action_bytes, 12), decode('>I6', action_bytes, 6))
  call('XACK', stream, ARGV[1], id)
elseif action == 5 then
  done = #call('XCLAIM', stream, ARGV[1], pending[2], 0, id, 'IDLE', decode('>I6', action_bytes, 6), 'JUSTID') > 0
else
  local entry = call('XRANGE', stream, id, id)[1]
  local job = entry and as_job(id, entry[2], delivery)
  if job and action == 3 then
    local failed, delay, size = decode('>BI7I2', action_bytes, 6)
    local cause = size > 0 and sub(action_bytes, 16, 15 + size) or nil
    earliest_due = math.min(earliest_due, requeue(job, now + delay, failed, 1, 0, cause))
  elseif job then
    -- One failed attempt, no expired lease.
    dead_letter(job, 1, 0, sub(action_bytes, 8, 7 + decode('>I2', action_bytes, 6)))
  end
  done = job
  if done or not entry then
    call('XACK', stream, ARGV[1], id)
  end
end

-- @section as_job
-- Returns the payload of an entry, and its headers in the form of a record: each name and value preceded by its length
-- (2 bytes). Entries of other producers may have more headers than a record can store; the surplus is dropped.
local function payload_and_headers(fields)
  local payload, headers, size = nil, {}, 0
  for i = 1, #fields, 2 do
    local name, value = fields[i], fields[i + 1]
    if name == 'p' and not payload then
      payload = value
    elseif size + #name + #value < 65000 then
      headers[#headers + 1] = pack('>I2', #name) .. name .. pack('>I2', #value) .. value
      size = size + #headers[#headers]
    end
  end
  return payload or '', table.concat(headers)
end

-- Returns an entry as a record for the group's queue, of normal priority and with the entry's id in a header; nil when
-- the entry is too large for a record. Its history has the deliveries before the current one, all of which expired.
local function as_job(id, fields, deliveries)
  local payload, headers = payload_and_headers(fields)
  headers = pack('>I2', 14) .. 'headgate-entry' .. pack('>I2', #id) .. id .. headers
  local body = pack('>I2', #headers) .. headers .. payload
  if #body >= 16777216 then
    return
  end
  last_number, job_count = last_number + 1, job_count + 1
  -- Flags 24: headers, and the normal priority.
  local record = pack('>I6I7I2BI3', last_number, now, 1, 24, #body) .. body
  return deliveries > 1 and with_history(record, now, 0, deliveries - 1, deliveries - 1) or record
end

-- @section remove_empty_batches
-- Removes the consumers of batches that have no pending entry, so that Redis does not keep them.
for i = 1, batch_count do
  if byte(ARGV[first_settlement + i]) == 1 and #pending_entries('-', '+', 1, batch_names[i]) == 0 then
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], batch_names[i])
  end
end
