-- Sections that the operations on queues and streams share: Redis calls, the clock, the header of a queue, claims, and
-- moving a job to the waiting jobs or to the dead letters.
--
-- KEYS       1 header    string, 41 bytes: 1, the version (1 byte); paused (1); last_number (6); job_count (6);
--                        leased_count (6); awaited_until (7); next_expiry (7); longest_record (3); cancelled_count (4)
--            2 leases    sorted set: the token of each claim (12 bytes), scored by when its first lease expires
--            3 held      hash: token of each claim to its packed leases; the section claims describes them
--            4 records   hash: the runs of each claim, in one or more fields; the section claim_fields names these
--            5 keys      hash: job key to an entry of 14, 21 or 35 bytes, which names the job; see key_entry
--            6 places    hash: number of a job (6 bytes) to an entry of 15 bytes, which states where the job is stored,
--                        if its id does not; see store_place. With tenants, an entry may be longer, see tenants.lua
--            7 dead      sorted set: dead letters, scored by when they became dead letters
--            8 to 13     for each priority, the highest first: a list of the heads of ready runs, whose jobs were due
--                        when they were enqueued; and a sorted set of waiting jobs, scored by due time
--            14 to 16    for each priority: a list of the records of the ready runs, in the same order
--            17, last    if a script needs them: a list of data that was set aside (audit.lua); a sorted set of done
--                        jobs, scored by when they were done
-- State
--   id       of a job, as scripts receive it: shard (1 byte), priority (1), first due time (7), number (6). The first
--            due time is the due time with which the job was enqueued
--   run      jobs with consecutive numbers and the same due time. The head of a run: the number of the first job (6),
--            the due time (7), the number of jobs (2); in lists also the total size of the records in bytes (3). The
--            records of a run follow its head, except in lists, where heads and records are in separate lists. A run in
--            a sorted set has one job; a run in a list has at most 32 jobs and 8 KiB, or one larger job
--   record   flags (1): 1 history, 2 causes, 4 key, 8 headers, 16 * priority (0 is high), 64 cancelled; the number of
--            bytes that follow (3); then, if their flags are set, in this order: History: first due time (7), failed
--            attempts (1), deliveries (2), expired leases (1). Causes: their size (2), then each cause preceded by its
--            length (2). Key: its length (1), the key, as StoredKey.java encodes it. Headers: their size (2), then each
--            name and value preceded by its length (2). The rest is the payload. A cancelled job in a list has only
--            flags and length
-- Always     a job is in one place: a list of ready jobs, a sorted set of waiting jobs, a claim, the dead letters, or
--            the done jobs
-- Times      us since 1970, durations us, unless a name ends with another unit
--
-- Variables that cross sections:
--   call, pack, decode    redis.call, struct.pack and struct.unpack
--   sub, byte             string.sub and string.byte
--   MAX_BYTES             the bytes of records after which a call returns no more records
--   MAX_CAUSE_BYTES       the most bytes of causes that are kept with a job
--   MAX_CLAIMS, MAX_RECLAIMED   the most expired claims, and the most jobs of these, that one call reclaims
--   MAX_RUNS_READ         the runs of lists after which a call reads no more, including those whose jobs are all cancelled
--   ONE_JOB               the number of jobs in a run of one job, packed
--   now                   the time
--   last_argument         the index of the last argument, not counting the time of a test
--   queue_keys            the index of the last key that belongs to the queue
--   NEVER, NO_JOB         a time that is never reached; a number and a due time that are 0, packed
--   The header, changed in these variables and then written:
--   paused                1 when the queue is paused, else 0
--   last_number           the number of the last job that was enqueued
--   job_count             jobs that wait or are leased
--   leased_count          jobs that are leased
--   awaited_until         until when waiting consumers sleep unless they are woken; 0 when none sleeps
--   next_expiry           no lease expires before this time
--   longest_record        bytes of the longest run of one job that was ever in a sorted set
--   cancelled_count       cancelled, replaced and rescheduled jobs whose records are still in lists
--   Functions:
--   max_records           returns how many records one call can return at most
--   store_place           stores where a job is
--   with_history          returns a record with an updated history
--   requeue               makes a job wait; returns when it is due
--   dead_letter           makes a job a dead letter
--   key_entry             returns the key of a job, and the two parts of its entry
--   release_key           releases the key of a job, so that another job can have it
--   claim_fields          returns the fields in which the runs of a claim are stored
--   read_leases           returns when the leases of a claim expire, how many are left, and how many fields its runs have
--   read_runs             returns the runs of a claim
--   job_reader            returns a function from the index of a job in a claim to a run of this job
--   delete_claim, update_claim   deletes a claim; stores its leases, and returns when the first one expires
-- Set by the operation: earliest_due, the earliest due time of the jobs that this call enqueues or makes wait again.

-- @section calls
-- Redis, struct and string functions, and limits of one call.
local call, pack, decode, sub, byte = redis.call, struct.pack, struct.unpack, string.sub, string.byte
-- The limits of one call; the header of this file describes each.
local MAX_BYTES, MAX_CAUSE_BYTES, MAX_CLAIMS, MAX_RECLAIMED = 131072, 4000, 16, 100
local MAX_RUNS_READ = 1000
-- The number of jobs in a run of one job, packed.
local ONE_JOB = '\0\1'

-- @section clock
-- Sets now by Redis's clock, and last_argument.
local redis_time = call('TIME')
local now, last_argument = redis_time[1] * 1000000 + redis_time[2], #ARGV

-- @section clock_from_argument
-- Sets now from the last argument, which a test passes, and last_argument.
local now, last_argument = ARGV[#ARGV] + 0, #ARGV - 1

-- @section queue_keys
-- All keys are those of a queue.
local queue_keys = #KEYS

-- @section read_header
-- Reads the header of the queue, KEYS[1].
-- @include queue_keys
local NEVER, NO_JOB = 9007199254740991, string.rep('\0', 13)
local header = call('GET', KEYS[1])
local paused, last_number, job_count, leased_count, awaited_until, next_expiry, longest_record, cancelled_count = 0,
  0, 0, 0, 0, NEVER, 0, 0
if header then
  if #header ~= 41 or byte(header) ~= 1 then
    return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' holds no queue')
  end
  paused, last_number, job_count, leased_count, awaited_until, next_expiry, longest_record,
    cancelled_count = decode('>BI6I6I6I7I7I3I4', header, 2)
elseif queue_keys > 1 and call('EXISTS', unpack(KEYS, 2, queue_keys)) > 0 then
  return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' is gone, and what belongs to it is there')
end

-- @section write_header
-- Writes the header of the queue.
call('SET', KEYS[1], pack('>BBI6I6I6I7I7I3I4', 1, paused, last_number, job_count, leased_count, awaited_until,
  next_expiry, longest_record, cancelled_count))

-- @section begin_when_full
-- When Redis has no memory left, it fails a script whose first write may need memory, but it does not stop a script
-- that has written before. So an operation that frees memory starts with a write that changes nothing.
call('PERSIST', KEYS[1])

-- @section max_records
-- How many records one call can return at most, if each is as long as the longest one; at least one.
local function max_records()
  return math.max(1, math.floor(MAX_BYTES / math.max(longest_record, 1)))
end

-- @section requeue
-- Functions that make a job wait or make it a dead letter, after it was removed from its claim or from another place.
-- They need KEYS 1 to 13 of a queue.

-- In these functions, a record is a run of one job: number (6 bytes), due time (7), the count 1 (2), then the record:
-- flags (1), length (3), and so on.

-- @include store_place

-- Returns the record with a new due time and an updated history: failed, delivered and crashed are added to its
-- counters, and cause, if given, to its causes; the oldest causes are dropped if there are too many. Also returns the
-- first due time and the number of expired leases.
local function with_history(record, due, failed, delivered, crashed, cause)
  local old_due, flags = decode('>I7', record, 7), byte(record, 16)
  local body_at, history_was = 20, {old_due, 0, 0, 0}
  local causes = ''
  if flags % 2 == 1 then
    history_was = {decode('>I7BI2B', record, 20)}
    body_at = 31
  end
  if flags % 4 > 1 then
    local size = decode('>I2', record, body_at)
    causes = sub(record, body_at + 2, body_at + 1 + size)
    body_at = body_at + 2 + size
  end
  if cause then
    causes = causes .. pack('>I2', #cause) .. cause
    while #causes > MAX_CAUSE_BYTES do
      causes = sub(causes, 3 + decode('>I2', causes))
    end
  end
  local history = pack('>I7BI2B', history_was[1], math.min(255, history_was[2] + failed),
    math.min(65535, history_was[3] + delivered),
    math.min(255, history_was[4] + crashed))
  if #causes > 0 then
    history = history .. pack('>I2', #causes) .. causes
  end
  local kept_flags = flags - flags % 4 + 1 + (#causes > 0 and 2 or 0)
  local head = sub(record, 1, 6) .. pack('>I7I2BI3', due, 1, kept_flags, #history + #record - body_at + 1) .. history
  return head .. sub(record, body_at), history_was[1], math.min(255, history_was[4] + crashed)
end

-- Makes a job wait again in the sorted set of its priority, and returns its due time.
local function requeue(record, due, failed, delivered, crashed, cause)
  local changed, first_due = with_history(record, due, failed, delivered, crashed, cause)
  local priority = math.floor(byte(record, 16) / 16) % 4
  call('ZADD', KEYS[9 + 2 * priority], string.format('%.0f', due), changed)
  if due ~= first_due then
    store_place(record, 0, due, first_due)
  end
  longest_record = math.max(longest_record, #changed)
  return due
end

-- Returns the key of a job and the two parts of its entry; nil when the job has no key. A part may be empty. The first
-- names the job that waits or is leased (14 bytes): priority (1), number (6), first due time (7). The second names the
-- last done job that is kept (21 bytes): the same, and when it was done (7).
local function key_entry(record)
  local flags = byte(record, 16)
  if math.floor(flags / 4) % 2 == 0 then
    return
  end
  local position = flags % 2 == 1 and 31 or 20
  if flags % 4 > 1 then
    position = position + 2 + decode('>I2', record, position)
  end
  local key = sub(record, position + 1, position + byte(record, position))
  local entry = call('HGET', KEYS[5], key) or ''
  local active = #entry ~= 21 and sub(entry, 1, 14) or ''
  return key, active, sub(entry, #active + 1)
end

-- Releases the key of a job: removes the part of the entry that names this job.
local function release_key(record)
  local key, active, done = key_entry(record)
  local number = sub(record, 1, 6)
  if not key then
    return
  elseif sub(active, 2, 7) == number then
    active = ''
  elseif sub(done, 2, 7) == number then
    done = ''
  else
    return
  end
  if #active + #done > 0 then
    call('HSET', KEYS[5], key, active .. done)
  else
    call('HDEL', KEYS[5], key)
  end
end

-- Makes a job a dead letter, and releases its key.
local function dead_letter(record, failed, crashed, cause)
  local changed, first_due = with_history(record, now, failed, 1, crashed, cause)
  call('ZADD', KEYS[7], string.format('%.0f', now), changed)
  longest_record = math.max(longest_record, #changed)
  store_place(record, 1, now, first_due)
  release_key(record)
  job_count = job_count - 1
end

-- @section store_place
-- Stores where a job is, if its id does not state that: its state (1 byte), 0 waiting, 1 dead, 2 done; its score in that
-- sorted set (7); and its first due time (7), which distinguishes it from a job of another queue with the same number.
local function store_place(record, state, score, first_due)
  call('HSET', KEYS[6], sub(record, 1, 6), pack('>BI7I7', state, score, first_due))
end

-- @section claim_fields
-- Returns the fields in which the runs of a claim are stored: the first is named by the token, field i by the token and
-- a byte i.
local function claim_fields(token, count)
  local fields = {token}
  for i = 2, count do
    fields[i] = token .. string.char(i)
  end
  return fields
end

-- @section claims
-- Functions for claims. The packed leases of a claim: how many jobs it had (2 bytes), how many of them are still leased
-- (2), how many fields its runs have (1); then when each lease expires (7 each), 0 for a lease that has ended; or only
-- one time while all leases expire at that time.

-- Returns when each lease of a claim expires, how many jobs are still leased, and how many fields the runs have.
local function read_leases(packed_leases)
  local count, leased_left, field_count = decode('>I2I2B', packed_leases)
  local expiries
  if #packed_leases > 12 then
    expiries = {decode('>' .. string.rep('I7', count), packed_leases, 6)}
    -- The last value of decode is the position after the others.
    expiries[count + 1] = nil
  else
    local expiry = decode('>I7', packed_leases, 6)
    expiries = {}
    for i = 1, count do
      expiries[i] = expiry
    end
  end
  return expiries, leased_left, field_count
end

-- Returns the runs of a claim; fields that do not exist count as empty.
local function read_runs(token, field_count)
  if field_count == 1 then
    return call('HGET', KEYS[4], token) or ''
  end
  local fields = call('HMGET', KEYS[4], unpack(claim_fields(token, field_count)))
  for i = 1, field_count do
    fields[i] = fields[i] or ''
  end
  return table.concat(fields)
end

-- Returns a function that returns a run of one job, given the index of a job in the runs of a claim.
local function job_reader(records)
  local numbers, dues, starts, position = {}, {}, {}, 1
  while position <= #records do
    local number, due, count = decode('>I6I7I2', records, position)
    position = position + 15
    for k = 0, count - 1 do
      local i = #starts + 1
      numbers[i], dues[i], starts[i] = number + k, due, position
      position = position + 4 + decode('>I3', records, position + 1)
    end
  end
  return function(i)
    local size = 4 + decode('>I3', records, starts[i] + 1)
    return pack('>I6I7I2', numbers[i], dues[i], 1) .. sub(records, starts[i], starts[i] + size - 1)
  end
end

-- Deletes a claim; none of its jobs is leased any more.
local function delete_claim(token, field_count)
  call('HDEL', KEYS[3], token)
  call('HDEL', KEYS[4], unpack(claim_fields(token, field_count)))
  call('ZREM', KEYS[2], token)
end

-- Stores the remaining leases of a claim, and returns when the first one expires; deletes a claim without leases.
local function update_claim(token, expiries, leased_left, field_count)
  if leased_left == 0 then
    delete_claim(token, field_count)
    return NEVER
  end
  local least = NEVER
  for i = 1, #expiries do
    if expiries[i] > 0 then
      least = math.min(least, expiries[i])
    end
  end
  call('HSET', KEYS[3], token, pack('>I2I2B' .. string.rep('I7', #expiries), #expiries, leased_left, field_count,
    unpack(expiries)))
  call('ZADD', KEYS[2], string.format('%.0f', least), token)
  return least
end

-- @section wake_consumers
-- Wakes the consumers if they sleep until after the earliest due time; they are not woken again until one sleeps again.
if earliest_due < awaited_until then
  awaited_until = 0
  call('PUBLISH', KEYS[1], '')
end
