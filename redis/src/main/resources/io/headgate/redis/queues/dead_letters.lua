-- Lists, redrives and discards dead letters.
--
-- Four scripts: dead_letters, dead_letter_ids, redrive and discard. Each section describes its KEYS, ARGV, reply and cost.
--
-- State      common.lua describes ids, runs, records, keys, places and the header
-- Always     redrive never makes the queue larger than its bound
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, NEVER, NO_JOB, now, job_count,
-- earliest_due, max_records, requeue; from cancel.lua: remove_from_set; from jobs.lua: rank_after.
--   more, cursor, records   the end of the reply's page: whether there are more, and its cursor; the records of the page
--   dead_letter_exists   function: whether the selected dead letter exists; for an empty selection, whether any exists
--   remove_dead          function: removes dead letters and returns their records
--   reset_attempts       function: returns a record without failed attempts and expired leases

-- @section dead_letters
-- Lists dead letters, or done jobs, the oldest first.
--
-- KEYS     1 header, 2 the dead letters, or the done jobs
-- ARGV     1: the cursor, empty at the start: the score of the last listed job (7 bytes), its number (6); 2: how many at
--          most
-- Reply    whether there are more (1 byte), the cursor (13); runs of one job, at most max_records() of them
-- Cost     O(log^2 n), and O(1) for each job
-- @include calls
-- @include read_header
-- @include max_records
-- @include rank_after
-- @include page_of_records
return more .. cursor .. table.concat(records)

-- @section dead_letter_ids
-- Lists dead letters as dead_letters does, but returns only what their ids and times need: records without causes, keys,
-- payloads, and headers other than the tenant.
--
-- KEYS     1 header, 2 the dead letters
-- ARGV     as of dead_letters
-- Reply    as of dead_letters
-- Cost     O(log^2 n), and O(1) for each job
-- @include calls
-- @include read_header
-- @include max_records
-- @include rank_after
-- @include page_of_records
for i, record in ipairs(records) do
  local flags, tenant = byte(record, 16), ''
  if math.floor(flags / 8) % 2 == 1 then
    local position = 31 + (flags % 4 > 1 and 2 + decode('>I2', record, 31) or 0)
    if math.floor(flags / 4) % 2 == 1 then
      position = position + 1 + byte(record, position)
    end
    -- The tenant is the first header, and has an empty name.
    if decode('>I2', record, position + 2) == 0 then
      local length = 4 + decode('>I2', record, position + 4)
      tenant = pack('>I2', length) .. sub(record, position + 2, position + 1 + length)
    end
  end
  local own_flags = flags - flags % 16 + (#tenant > 0 and 8 or 0) + 1
  records[i] = sub(record, 1, 15) .. string.char(own_flags) .. pack('>I3', 11 + #tenant) .. sub(record, 20, 30) .. tenant
end
return more .. cursor .. table.concat(records)

-- @section page_of_records
-- Reads a page of KEYS[2] from the cursor in ARGV[1].
local from = 0
if #ARGV[1] > 0 then
  from = rank_after(KEYS[2], decode('>I7I6', ARGV[1]))
end
local wanted = math.min(ARGV[2] + 0, max_records())
local records = call('ZRANGE', KEYS[2], from, from + wanted)
local more = #records > wanted and '\1' or '\0'
if #records > wanted then
  records[#records] = nil
end
local cursor = NO_JOB
if #records > 0 then
  cursor = sub(records[#records], 7, 13) .. sub(records[#records], 1, 6)
end

-- @section redrive
-- Makes dead letters wait again: the oldest ones, or a single one. Their failed attempts and expired leases restart from
-- zero; the causes of their failures are kept.
--
-- KEYS     1 to 13 as in claim.lua
-- ARGV     1: how many at most; 2: the time between the due times of consecutive jobs, in us; 3: the selection:
--          the id of a single dead letter (15 bytes), followed by when it died, in us (7), to redrive it only if it has
--          not died again since; or empty for the oldest ones; 4: how many jobs the queue may have (6 bytes); last, in tests,
--          the time
-- Reply    how many were redriven, in digits; empty when there are dead letters but the queue is full
-- Cost     O(log n) for each
-- @include calls
-- @include clock
-- @include read_header
-- @include max_records
-- @include remove_from_set
-- @include requeue
-- @include remove_dead
-- @include reset_attempts
local room = decode('>I6', ARGV[4]) - job_count
if room <= 0 then
  return dead_letter_exists(ARGV[3]) and '' or '0'
end
local records = remove_dead(ARGV[3], math.min(ARGV[1] + 0, max_records(), room))
local earliest_due = NEVER
for i, record in ipairs(records) do
  local due = now + (i - 1) * ARGV[2]
  earliest_due = math.min(earliest_due, due)
  -- With no further attempt, delivery or crash.
  requeue(reset_attempts(record), due, 0, 0, 0)
  job_count = job_count + 1
end
-- @include wake_consumers
-- @include write_header
return tostring(#records)

-- @section discard
-- Removes dead letters: the oldest ones, or a single one.
--
-- KEYS     1 to 13 as in claim.lua
-- ARGV     1: how many at most; 2: unused, so that 3 is as for redrive; 3: the selection, as for redrive
-- Reply    how many were removed, in digits
-- Cost     O(log n) for each
-- @include calls
-- @include read_header
-- @include max_records
-- @include remove_from_set
-- @include remove_dead
local records = remove_dead(ARGV[3], math.min(ARGV[1] + 0, max_records()))
return tostring(#records)

-- @section remove_dead
-- Returns when the selected job became a dead letter; nil or false when it is not a dead letter, or died at another time.
local function dead_since(id)
  local place = call('HGET', KEYS[6], sub(id, 10, 15))
  if place then
    local state, since, own_first_due = decode('>BI7I7', place)
    return state == 1 and own_first_due == decode('>I7', id, 3) and (#id == 15 or since == decode('>I7', id, 16))
      and since
  end
end

-- Returns whether the selected dead letter exists; for an empty selection, whether any dead letter exists.
local function dead_letter_exists(id)
  if #id > 0 then
    return dead_since(id)
  end
  return call('ZCARD', KEYS[7]) > 0
end

-- Removes the selected dead letter, or the oldest ones if the selection is empty; returns the removed records.
local function remove_dead(id, max_count)
  if #id > 0 then
    local number_bytes, since = sub(id, 10, 15), dead_since(id)
    local record = since and remove_from_set(KEYS[7], decode('>I6', number_bytes), since)
    if not record then
      return {}
    end
    call('HDEL', KEYS[6], number_bytes)
    return {record}
  end
  local records = call('ZRANGE', KEYS[7], 0, max_count - 1)
  if #records > 0 then
    call('ZREMRANGEBYRANK', KEYS[7], 0, #records - 1)
  end
  for _, record in ipairs(records) do
    call('HDEL', KEYS[6], sub(record, 1, 6))
  end
  return records
end

-- @section reset_attempts
-- Returns the record with no failed attempt and no expired lease; its causes are kept. The job gets its key back,
-- unless another job that is not done has the key. A part of the entry that names a done job is kept.
local function reset_attempts(record)
  local history_at, first_due = 20, (decode('>I7', record, 20))
  local flags = byte(record, 16)
  if math.floor(flags / 4) % 2 == 1 then
    local position = 31 + (flags % 4 > 1 and 2 + decode('>I2', record, 31) or 0)
    local key = sub(record, position + 1, position + byte(record, position))
    local priority = math.floor(flags / 16) % 4
    local entry = call('HGET', KEYS[5], key) or ''
    if #entry == 0 or #entry == 21 then
      call('HSET', KEYS[5], key, string.char(priority) .. sub(record, 1, 6) .. pack('>I7', first_due) .. entry)
    end
  end
  return sub(record, 1, history_at + 6) .. '\0' .. sub(record, history_at + 8, history_at + 9) .. '\0'
    .. sub(record, history_at + 11)
end
