-- Claims entries for a consumer of a group, after settling others: retries that are due, expired leases, new entries.

-- @section claim
-- Hands out entries of a stream to a consumer of a group, after it has settled others: those whose lease has expired, then
-- new ones. Room is left for what is due in the group's queue, which is claimed there. Where nothing goes before new entries,
-- a command behind the script may be left to read them.
--
-- KEYS     1..13 the group's queue, as of claim.lua of queues; 14 stream; 15 when to look for expired leases, where, and the
--          fence; 16 the keys of what is done; 17 what is there while somebody waits for an entry; 18, if a command is
--          behind: what opens the stream to it
-- ARGV     1 the group, 2 the consumer; 3: 2 bytes how many entries at most, 6 for how many milliseconds, 6 the minimum idle
--          time in milliseconds, 1 how often an entry may crash, 2 how many surely are not too much for one step; 4 after
--          which id the group begins if it is missing; then what is to be settled, as in settle_all in settle.lua
-- returns  7 bytes the time, 7 when there may be more, 1 whether the group is paused, 2 how many may be due in its queue, 7
--          the fence, 1 whether new entries are left to the command behind, 2 how many are dead letters now, as their leases
--          expired too often, 2 how many lists of entries; these, as MessagePack: of each entry its id, its fields, and the
--          how-manieth delivery it is unless the first, as text; a byte for each that was settled
-- stays    an entry is in the hands of one consumer; what is not settled stays pending
-- costs    O(1) a new entry, O(log n) one that is settled or taken over
-- @include calls
-- @include clock
-- @include header_read
local stream, looks, done_keys = KEYS[14], KEYS[15], KEYS[16]
-- @include looks_read
local most, lease, min_idle, max_crashes, at_once = read('>I2I6I6BI2', ARGV[3])
local old_seq, old_awaited, settled = seq, awaited, ''
-- @include put_back
-- @include as_job
if last > 4 then
  local first = 5
  -- @include settle_all
end
local chunks, n, bytes, retries, more, opened, changed, given_up = {}, 0, 0, 0, NEVER, 0, false, 0
if paused == 0 then
  -- @include retries_due
  -- @include in_group
  -- @include hand_out
  local room = most - math.min(most, retries)
  -- @include take_over
  if KEYS[18] and n + retries == 0 then
    -- @include open
  else
    -- @include read_new
  end
end
if changed then
  call('SET', looks, pack('>I7I7', look_at, fence) .. cursor)
end
if more > now then
  -- Who got all there was comes back only then, unless it is woken.
  awaited = more
  call('SET', KEYS[17], 1)
end
if seq ~= old_seq or awaited ~= old_awaited then
  -- @include header_write
end
return pack('>I7I7BI2I7BI2I2', now, more, paused, math.min(retries, most), fence, opened, given_up, #chunks)
  .. table.concat(chunks) .. settled

-- @section in_group
-- What Redis answers to a command of the group, which is made first if it is missing, and the stream with it.
-- @include create_group
local function in_group(...)
  local reply = redis.pcall(...)
  if reply and reply.err then
    if string.find(reply.err, 'NOGROUP', 1, true) then
      create_group(call, ARGV[4])
    end
    return call(...)
  end
  return reply
end

-- @section retries_due
-- How many entries may be due in the group's queue, and when more will be.
if jobs > 0 then
  retries = call('LLEN', KEYS[10]) + call('ZCOUNT', KEYS[11], '-inf', string.format('%.0f', now))
  if ends <= now then
    retries = retries + leased
  end
  local next = call('ZRANGE', KEYS[11], 0, 0)[1]
  more = math.min(ends, next and read('>I7', next, 7) or NEVER)
end
if retries > 0 then
  more = now
end

-- @section hand_out
-- Adds a list of entries to the reply. Where the lease is shorter than the minimum idle time, they count as idle already.
local function hand_out(entries)
  local chunk = cmsgpack.pack(entries)
  n, bytes = n + #entries, bytes + #chunk
  chunks[#chunks + 1] = chunk
  if lease < min_idle then
    local ids = {}
    for i = 1, #entries do
      ids[i] = entries[i][1]
    end
    ids[#ids + 1] = 'IDLE'
    ids[#ids + 1] = min_idle - lease
    ids[#ids + 1] = 'JUSTID'
    call('XCLAIM', stream, ARGV[1], ARGV[2], 0, unpack(ids))
  end
end

-- @section take_over
-- Takes over entries whose lease has expired, in bounded steps, of which one goes on where the last one ended; between two
-- rounds is a tenth of the minimum idle time, and at most a second. Those that have crashed too often are dead letters;
-- those that were deleted are no longer pending. At the end of a round, consumers go that are silent and have nothing.
local every = math.min(1000000, min_idle * 100)
if room > 0 and (now >= look_at or look_at > now + every) then
  local found =
    in_group('XAUTOCLAIM', stream, ARGV[1], ARGV[2], min_idle, cursor, 'COUNT', math.min(room, at_once), 'JUSTID')
  local entries = {}
  for _, id in ipairs(found[2]) do
    local crashes = call('XPENDING', stream, ARGV[1], id, id, 1)[1][4]
    local entry = call('XCLAIM', stream, ARGV[1], ARGV[2], 0, id)[1]
    local job = entry and crashes >= max_crashes and as_job(id, entry[2], crashes)
    if job then
      bury(job, 0, 1, 'its lease expired ' .. crashes .. ' times')
      given_up = given_up + 1
    end
    if job or not entry then
      call('XACK', stream, ARGV[1], id)
    else
      entries[#entries + 1] = {id, entry[2], tostring(crashes + 1)}
    end
  end
  -- Redis 7 has acked those that were deleted itself, and names them.
  if #found[2] > 0 or #(found[3] or {}) > 0 or fence == 0 then
    fence = math.max(now, fence + 1)
  end
  if #entries > 0 then
    hand_out(entries)
  end
  look_at, cursor, changed = now, found[1], true
  if cursor == '0-0' then
    look_at = now + every
    -- @include remove_silent
  end
end
more = math.max(now, math.min(more, look_at))

-- @section remove_silent
-- Consumers that have nothing pending: batches, which get nothing more, and others that have not asked for long; one that comes
-- back is made again.
local batch = '^' .. string.rep('%x', 32) .. ':%d+$'
for _, consumer in ipairs(call('XINFO', 'CONSUMERS', stream, ARGV[1])) do
  local facts = {}
  for i = 1, #consumer, 2 do
    facts[consumer[i]] = consumer[i + 1]
  end
  if facts.pending == 0 and (facts.idle > 10 * min_idle or string.find(facts.name, batch)) then
    call('XGROUP', 'DELCONSUMER', stream, ARGV[1], facts.name)
  end
end

-- @section open
-- Has the command behind this script read new entries: it reads a stream of this call's own as well, and nothing at all where
-- that is missing, so it is there only from here to the end of the call. Whoever sent both removes it, or time does.
call('XGROUP', 'CREATE', KEYS[18], ARGV[1], '$', 'MKSTREAM')
call('PEXPIRE', KEYS[18], 1000)
opened, more = 1, now

-- @section read_new
-- New entries, in steps that surely are not too much for one call.
while n < room and bytes < MAX_BYTES do
  local want = math.min(room - n, at_once)
  local reply = in_group('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', want, 'STREAMS', stream, '>')
  if not reply then
    break
  end
  hand_out(reply[1][2])
  if #reply[1][2] < want then
    break
  end
end
if n >= room or bytes >= MAX_BYTES then
  more = now
end
