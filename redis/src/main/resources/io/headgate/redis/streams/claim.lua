-- Claims entries of a stream for a consumer of a group. First it processes settlements; then it claims entries whose
-- leases have expired, and new entries. It leaves room for due retries, which claim.lua of queues claims from the
-- group's queue.
--
-- KEYS       1 to 13 the group's queue, as in claim.lua of queues; 14 the stream; 15 the scan state of the group; 16
--            the keys of done entries; 17 a string that exists while a consumer waits for an entry; 18, if the client
--            sends an XREADGROUP after this script, the trailing command, which may read new entries: the stream that
--            allows it, see open_trailing_read
-- ARGV       1 the group; 2 the consumer; 3: how many entries at most (2 bytes), the lease in ms (6), the minimum idle
--            time in ms (6), after how many expired leases an entry becomes a dead letter (1), the most entries that
--            one step reads (2); 4: the id after which the group starts if it does not exist; then settlements, as in
--            settle_all of settle.lua
-- Reply      the time (7 bytes), when more entries may be available (7), whether the group is paused (1), how many
--            retries may be due in its queue (2), the fence (7), whether the trailing command reads new entries (1), how
--            many entries became dead letters because their leases expired (2), how many lists of entries follow (2);
--            the lists, each as MessagePack: for each entry its id, its fields, and, unless this is its first delivery,
--            the number of the delivery as text; then the reply of settle_all
-- State      14 as in produce.lua. 15, a string: when to scan for expired leases next, us since 1970 (7 bytes); the
--            fence (7), see group.lua; the id to continue the scan from. 16 as in done.lua. 17, a string: '1'. 18, an
--            empty stream that expires after a second
-- Always     an entry is pending for one consumer until it is settled. A call returns due retries and expired entries
--            that it finds before new ones, so the trailing command is used only when it finds none
-- Cost       O(1) for a new entry, O(log n) for an entry that is settled or taken over
--
-- Variables that cross sections. From common.lua of queues: call, pack, decode, NEVER, MAX_BYTES, now, last_argument,
-- paused, last_number, job_count, leased_count, awaited_until, next_expiry, dead_letter; from group.lua: scan_at,
-- fence, cursor, changed, create_group; from settle.lua: settled, as_job. For settle.lua: stream, scan_key, done_keys,
-- first_settlement.
--   lease_millis, min_idle_millis   the lease, and the idle time after which an entry is taken over, ms
--   max_crashes       after how many expired leases an entry becomes a dead letter
--   max_step          the most entries that one step reads
--   room              how many entries this call may claim from the stream
--   entry_lists       lists of claimed entries, packed
--   delivered_count, delivered_bytes   how many entries these lists have, and how many bytes
--   retry_count       how many retries may be due in the group's queue
--   more_at           when there may be more entries, us since 1970
--   opened            1 when the trailing command reads new entries, else 0
--   dead_count        entries that became dead letters
--   group_call        function: runs a command on the group, which it creates if necessary
--   deliver           function: adds a list of entries to the reply

-- @section claim
-- Processes settlements, takes over expired entries, reads new entries, and replies.
-- @include calls
-- @include clock
-- @include read_header
local stream, scan_key, done_keys = KEYS[14], KEYS[15], KEYS[16]
-- @include read_scan
local max_entries, lease_millis, min_idle_millis, max_crashes, max_step = decode('>I2I6I6BI2', ARGV[3])
local old_number, old_awaited, settled = last_number, awaited_until, ''
-- @include requeue
-- @include as_job
if last_argument > 4 then
  local first_settlement = 5
  -- @include settle_all
end
local entry_lists, delivered_count, delivered_bytes, retry_count, more_at, opened, changed, dead_count = {}, 0, 0, 0,
  NEVER, 0, false, 0
if paused == 0 then
  -- @include retries_due
  -- @include group_call
  -- @include deliver
  local room = max_entries - math.min(max_entries, retry_count)
  -- @include take_over_expired
  if KEYS[18] and delivered_count + retry_count == 0 then
    -- @include open_trailing_read
  else
    -- @include read_new
  end
end
if changed then
  call('SET', scan_key, pack('>I7I7', scan_at, fence) .. cursor)
end
if more_at > now then
  -- A consumer that received all entries polls again at more_at, unless it is woken earlier.
  awaited_until = more_at
  call('SET', KEYS[17], 1)
end
if last_number ~= old_number or awaited_until ~= old_awaited then
  -- @include write_header
end
return pack('>I7I7BI2I7BI2I2', now, more_at, paused, math.min(retry_count, max_entries), fence, opened, dead_count,
  #entry_lists)
  .. table.concat(entry_lists) .. settled

-- @section retries_due
-- Sets retry_count and more_at from the group's queue, all of whose jobs have the normal priority: keys 10 and 11.
if job_count > 0 then
  retry_count = call('LLEN', KEYS[10]) + call('ZCOUNT', KEYS[11], '-inf', string.format('%.0f', now))
  if next_expiry <= now then
    retry_count = retry_count + leased_count
  end
  local next_waiting = call('ZRANGE', KEYS[11], 0, 0)[1]
  more_at = math.min(next_expiry, next_waiting and decode('>I7', next_waiting, 7) or NEVER)
end
if retry_count > 0 then
  more_at = now
end

-- @section group_call
-- Runs a command on the group. If the group does not exist, it creates the group, and the stream if necessary, and runs
-- the command again.
-- @include create_group
local function group_call(...)
  local reply = redis.pcall(...)
  if reply and reply.err then
    if string.find(reply.err, 'NOGROUP', 1, true) then
      create_group(call, ARGV[4])
    end
    return call(...)
  end
  return reply
end

-- @section deliver
-- Adds a list of entries to the reply. If the lease is shorter than the minimum idle time, it sets the idle time of the
-- entries to the difference, so that they reach the minimum idle time when the lease ends.
local function deliver(entries)
  local packed = cmsgpack.pack(entries)
  delivered_count, delivered_bytes = delivered_count + #entries, delivered_bytes + #packed
  entry_lists[#entry_lists + 1] = packed
  if lease_millis < min_idle_millis then
    local ids = {}
    for i = 1, #entries do
      ids[i] = entries[i][1]
    end
    ids[#ids + 1] = 'IDLE'
    ids[#ids + 1] = min_idle_millis - lease_millis
    ids[#ids + 1] = 'JUSTID'
    call('XCLAIM', stream, ARGV[1], ARGV[2], 0, unpack(ids))
  end
end

-- @section take_over_expired
-- Takes over entries whose lease has expired. A call makes one bounded step of a scan over all pending entries, from
-- where the last step ended. A scan starts a tenth of the minimum idle time after the last one ended, at most a second.
-- Entries whose leases expired max_crashes times become dead letters, unless they are too large for a queue; deleted
-- entries are acknowledged. At the end of a scan, idle consumers are removed.
local interval_micros = math.min(1000000, min_idle_millis * 100)
-- scan_at can be later than that if the clock was set back, or the minimum idle time was longer.
if room > 0 and (now >= scan_at or scan_at > now + interval_micros) then
  local claimed =
    group_call('XAUTOCLAIM', stream, ARGV[1], ARGV[2], min_idle_millis, cursor, 'COUNT', math.min(room, max_step),
      'JUSTID')
  local entries = {}
  for _, id in ipairs(claimed[2]) do
    -- With JUSTID, XAUTOCLAIM does not count a delivery. So all deliveries counted so far have expired.
    local crashes = call('XPENDING', stream, ARGV[1], id, id, 1)[1][4]
    local entry = call('XCLAIM', stream, ARGV[1], ARGV[2], 0, id)[1]
    local job = entry and crashes >= max_crashes and as_job(id, entry[2], crashes)
    if job then
      -- No failed attempt, one more expired lease.
      dead_letter(job, 0, 1, 'its lease expired ' .. crashes .. ' times')
      dead_count = dead_count + 1
    end
    if job or not entry then
      call('XACK', stream, ARGV[1], id)
    else
      entries[#entries + 1] = {id, entry[2], tostring(crashes + 1)}
    end
  end
  -- Redis 7 acknowledges deleted entries itself, and returns their ids.
  if #claimed[2] > 0 or #(claimed[3] or {}) > 0 or fence == 0 then
    fence = math.max(now, fence + 1)
  end
  if #entries > 0 then
    deliver(entries)
  end
  scan_at, cursor, changed = now, claimed[1], true
  if cursor == '0-0' then
    scan_at = now + interval_micros
    -- @include remove_idle_consumers
  end
end
more_at = math.max(now, math.min(more_at, scan_at))

-- @section remove_idle_consumers
-- Removes consumers without pending entries: batches (see ack.lua), which receive no more entries, and consumers that
-- have claimed nothing for ten times the minimum idle time. Redis creates a consumer again when it claims.
-- The names of batches, which Consumer.java creates.
local batch_pattern = '^' .. string.rep('%x', 32) .. ':%d+$'
for _, consumer in ipairs(call('XINFO', 'CONSUMERS', stream, ARGV[1])) do
  local facts = {}
  for i = 1, #consumer, 2 do
    facts[consumer[i]] = consumer[i + 1]
  end
  if facts.pending == 0 and (facts.idle > 10 * min_idle_millis or string.find(facts.name, batch_pattern)) then
    call('XGROUP', 'DELCONSUMER', stream, ARGV[1], facts.name)
  end
end

-- @section open_trailing_read
-- Allows the trailing command to read new entries. That command also reads the stream KEYS[18], which only this call
-- uses, and fails if it does not exist. So it reads entries only if this section has created KEYS[18]. The caller
-- deletes the key after the command; otherwise it expires.
call('XGROUP', 'CREATE', KEYS[18], ARGV[1], '$', 'MKSTREAM')
call('PEXPIRE', KEYS[18], 1000)
opened, more_at = 1, now

-- @section read_new
-- Reads new entries, in steps of bounded size.
while delivered_count < room and delivered_bytes < MAX_BYTES do
  local wanted = math.min(room - delivered_count, max_step)
  local reply = group_call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', wanted, 'STREAMS', stream, '>')
  if not reply then
    break
  end
  deliver(reply[1][2])
  if #reply[1][2] < wanted then
    break
  end
end
if delivered_count >= room or delivered_bytes >= MAX_BYTES then
  more_at = now
end
