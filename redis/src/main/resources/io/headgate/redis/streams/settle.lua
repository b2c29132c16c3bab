-- Settles claimed entries: acknowledges, retries or dead-letters them.

-- @section settle
-- Says what came of entries that are in hand.
--
-- KEYS     1..13 the group's queue, as of claim.lua of queues; 14 stream; 15 when to look for expired leases, where, and the
--          fence; 16 the keys of what is done
-- ARGV     1 the group, 2 the consumer; then what is to be settled, as in settle_all
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

-- @section settle_all
-- Settles entries. First those that are done, as in ack_all in ack.lua. Then pairs: what is to be said of another entry, and its id:
-- 2 bytes under which delivery it is in hand, 2 whose, as there, 1 byte what, and
--   2 done, and its key is kept: 6 bytes for how many milliseconds, the key
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 6 bytes for how many milliseconds it counts as idle already
-- Answers a byte for each: 1 done, 0 the lease was lost; then what became of whole batches.
local answers, soonest = {}, NEVER
-- @include ack_all
-- @include remember
for i = ids_at + acks, last, 2 do
  local said, id = ARGV[i], ARGV[i + 1]
  local delivery, whose, verb = read('>I2I2B', said)
  local held = in_hand(id, id, 1)[1]
  local done = held and is_held(held, delivery, whose)
  if done then
    -- @include settle_one
  end
  answers[#answers + 1] = done and '\1' or '\0'
end
-- @include drop_empty
settled = table.concat(answers) .. table.concat(of_batches)
-- @include signal

-- @section settle_one
-- Settles one entry that is held. One that was deleted from the stream, or is too large for a queue, can't wait again.
if verb == 2 then
  remember(sub(said, 12), read('>I6', said, 6))
  call('XACK', stream, ARGV[1], id)
elseif verb == 5 then
  done = #call('XCLAIM', stream, ARGV[1], held[2], 0, id, 'IDLE', read('>I6', said, 6), 'JUSTID') > 0
else
  local entry = call('XRANGE', stream, id, id)[1]
  local job = entry and as_job(id, entry[2], delivery)
  if job and verb == 3 then
    local failed, delay, size = read('>BI7I2', said, 6)
    local cause = size > 0 and sub(said, 16, 15 + size) or nil
    soonest = math.min(soonest, wait_again(job, now + delay, failed, 1, 0, cause))
  elseif job then
    bury(job, 1, 0, sub(said, 8, 7 + read('>I2', said, 6)))
  end
  done = job
  if done or not entry then
    call('XACK', stream, ARGV[1], id)
  end
end

-- @section as_job
-- What an entry is made of: its payload, and its headers as a job's record has them, each name and value behind its length
-- in 2 bytes. Entries of others may have more headers than a record takes: those stay behind.
local function parts(fields)
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

-- The record of an entry that leaves the stream for the group's queue after so many deliveries, of which this one is not
-- counted yet: of normal priority, with its id as a header. None where somebody has added an entry that is too large for one.
local function as_job(id, fields, deliveries)
  local payload, headers = parts(fields)
  headers = pack('>I2', 14) .. 'headgate-entry' .. pack('>I2', #id) .. id .. headers
  local body = pack('>I2', #headers) .. headers .. payload
  if #body >= 16777216 then
    return
  end
  seq, jobs = seq + 1, jobs + 1
  local record = pack('>I6I7I2BI3', seq, now, 1, 24, #body) .. body
  return deliveries > 1 and aged(record, now, 0, deliveries - 1, deliveries - 1) or record
end

-- @section drop_empty
-- Batches of which nothing is left: their names go, so that Redis does not keep them.
for i = 1, batches do
  if byte(ARGV[first + i]) == 1 and #in_hand('-', '+', 1, names[i]) == 0 then
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], names[i])
  end
end
