-- Parts of several operations on queues: calls to Redis, the clock, the header of a queue, leases, putting jobs back.

-- @section calls
-- What the scripts call often, looked up once.
local call, pack, read, sub, byte = redis.call, struct.pack, struct.unpack, string.sub, string.byte
-- How many bytes of records one call hands out, how many of causes are kept with a job; how many claims, and of them how many
-- jobs, one call takes back.
local MAX_BYTES, MAX_CAUSES, MAX_CLAIMS, MAX_TAKEN_BACK = 131072, 4000, 16, 100
-- How many runs of lists one call looks at, those included in which all was cancelled.
local MAX_LOOKED = 1000
-- What a run of one job says of how many it has.
local ONE = '\0\1'

-- @section clock
-- now: microseconds since 1970, by Redis's clock; last: the number of the last argument
local clock = call('TIME')
local now, last = clock[1] * 1000000 + clock[2], #ARGV

-- @section clock_given
-- now: microseconds since 1970, as a test passes it in last; last: the number of the last argument before it
local now, last = ARGV[#ARGV] + 0, #ARGV - 1

-- @section own_keys
-- The number of the last key that is a queue's.
local own_keys = #KEYS

-- @section header_read
-- The header of a queue, KEYS[1]: whether it is paused, the number of the last job, how many jobs wait or are in hand,
-- how many of them are in hand; until when those sleep who wait for a job (0: nobody does); before when no lease ends;
-- the length of the longest run of jobs that there was; how many jobs in lists were cancelled and are still there.
-- @include own_keys
local NEVER, NO_PLACE = 9007199254740991, string.rep('\0', 13)
local head = call('GET', KEYS[1])
local paused, seq, jobs, leased, awaited, ends, longest, cancelled = 0, 0, 0, 0, 0, NEVER, 0, 0
if head then
  if #head ~= 41 or byte(head) ~= 1 then
    return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' holds no queue')
  end
  paused, seq, jobs, leased, awaited, ends, longest, cancelled = read('>BI6I6I6I7I7I3I4', head, 2)
elseif own_keys > 1 and call('EXISTS', unpack(KEYS, 2, own_keys)) > 0 then
  return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' is gone, and what belongs to it is there')
end

-- @section header_write
-- Writes the header of a queue as it is now; header_read says what is in it.
call('SET', KEYS[1], pack('>BBI6I6I6I7I7I3I4', 1, paused, seq, jobs, leased, awaited, ends, longest, cancelled))

-- @section may_write
-- Where memory has run out, Redis refuses to begin what may take some, but lets a script go on that has written before; so
-- what makes room in the end begins with a command that takes none and changes nothing.
call('PERSIST', KEYS[1])

-- @section at_once
-- How many records surely are not too much for one call.
local function at_once()
  return math.max(1, math.floor(MAX_BYTES / math.max(longest, 1)))
end

-- @section put_back
-- What happens to a job that leaves a claim without being done; part of scripts that have all keys of a queue.

-- A job is a run of one here: 6 bytes its number, 7 when it is due, 2 that it is one; 1 flags, 3 how many bytes follow.

-- Notes where a job lies when that is not where its id says: 0 waiting, 1 dead or 2 done, since when or until when, and what
-- its id says, by which a job of another queue is told from it.
local function note_place(record, state, at, first_due)
  call('HSET', KEYS[6], sub(record, 1, 6), pack('>BI7I7', state, at, first_due))
end

-- The record with a new due time and with what happened since: whether the attempt failed, the lease expired, and why.
-- The history is in front of what the client wrote: 7 bytes when it was due first, 1 how many attempts failed, 2 how often
-- it was handed out, 1 how often its lease expired; then causes, each with its length in front of it.
local function aged(record, due, failed, delivered, crashed, cause)
  local was_due, flags = read('>I7', record, 7), byte(record, 16)
  local body, old = 20, {was_due, 0, 0, 0}
  local causes = ''
  if flags % 2 == 1 then
    old = {read('>I7BI2B', record, 20)}
    body = 31
  end
  if flags % 4 > 1 then
    local size = read('>I2', record, body)
    causes = sub(record, body + 2, body + 1 + size)
    body = body + 2 + size
  end
  if cause then
    causes = causes .. pack('>I2', #cause) .. cause
    while #causes > MAX_CAUSES do
      causes = sub(causes, 3 + read('>I2', causes))
    end
  end
  local history = pack('>I7BI2B', old[1], math.min(255, old[2] + failed), math.min(65535, old[3] + delivered),
    math.min(255, old[4] + crashed))
  if #causes > 0 then
    history = history .. pack('>I2', #causes) .. causes
  end
  local kept = flags - flags % 4 + 1 + (#causes > 0 and 2 or 0)
  local before = sub(record, 1, 6) .. pack('>I7I2BI3', due, 1, kept, #history + #record - body + 1) .. history
  return before .. sub(record, body), old[1], math.min(255, old[4] + crashed)
end

-- The job waits again.
local function wait_again(record, due, failed, delivered, crashed, cause)
  local changed, first_due = aged(record, due, failed, delivered, crashed, cause)
  local level = math.floor(byte(record, 16) / 16) % 4
  call('ZADD', KEYS[9 + 2 * level], string.format('%.0f', due), changed)
  if due ~= first_due then
    note_place(record, 0, due, first_due)
  end
  longest = math.max(longest, #changed)
  return due
end

-- The job's key, when it has one, and what is noted of that: 14 bytes of the job that waits or is in hand; 21 of the one that
-- was done last and is kept.
local function noted_of_key(record)
  local flags = byte(record, 16)
  if math.floor(flags / 4) % 2 == 0 then
    return
  end
  local at = flags % 2 == 1 and 31 or 20
  if flags % 4 > 1 then
    at = at + 2 + read('>I2', record, at)
  end
  local key = sub(record, at + 1, at + byte(record, at))
  local noted = call('HGET', KEYS[5], key) or ''
  local active = #noted ~= 21 and sub(noted, 1, 14) or ''
  return key, active, sub(noted, #active + 1)
end

-- The job has its key no longer: it is free for another one, but for what else is noted of it.
local function free_key(record)
  local key, active, done = noted_of_key(record)
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

-- The job is a dead letter.
local function bury(record, failed, crashed, cause)
  local changed, first_due = aged(record, now, failed, 1, crashed, cause)
  call('ZADD', KEYS[7], string.format('%.0f', now), changed)
  longest = math.max(longest, #changed)
  note_place(record, 1, now, first_due)
  free_key(record)
  jobs = jobs - 1
end

-- @section parts_of
-- In which fields the parts of a claim's records are: the first in that of its token.
local function parts_of(token, count)
  local fields = {token}
  for i = 2, count do
    fields[i] = token .. string.char(i)
  end
  return fields
end

-- @section leases_in
-- What is held of a claim: 2 bytes how many jobs it had, 2 how many are still in hand, 1 in how many parts its records are,
-- then when each lease ends, 7 bytes each, 0 when it has; once for all while all are as they were.

-- When each lease of a claim ends, how many are still in hand, and in how many parts the records are.
local function leases_in(held)
  local count, left, parts = read('>I2I2B', held)
  local expiries
  if #held > 12 then
    expiries = {read('>' .. string.rep('I7', count), held, 6)}
    expiries[count + 1] = nil
  else
    local expiry = read('>I7', held, 6)
    expiries = {}
    for i = 1, count do
      expiries[i] = expiry
    end
  end
  return expiries, left, parts
end

-- The runs of a claim, or as much of them as is there.
local function records_of(token, parts)
  if parts == 1 then
    return call('HGET', KEYS[4], token) or ''
  end
  local found = call('HMGET', KEYS[4], unpack(parts_of(token, parts)))
  for i = 1, parts do
    found[i] = found[i] or ''
  end
  return table.concat(found)
end

-- Where each job of a claim is: its number, its due time, and where its record begins and the next one does.
local function jobs_in(records)
  local numbers, dues, starts, at = {}, {}, {}, 1
  while at <= #records do
    local number, due, count = read('>I6I7I2', records, at)
    at = at + 15
    for k = 0, count - 1 do
      local i = #starts + 1
      numbers[i], dues[i], starts[i] = number + k, due, at
      at = at + 4 + read('>I3', records, at + 1)
    end
  end
  return function(i)
    local size = 4 + read('>I3', records, starts[i] + 1)
    return pack('>I6I7I2', numbers[i], dues[i], 1) .. sub(records, starts[i], starts[i] + size - 1)
  end
end

-- Nothing is in hand any more of a claim.
local function claim_ended(token, parts)
  call('HDEL', KEYS[3], token)
  call('HDEL', KEYS[4], unpack(parts_of(token, parts)))
  call('ZREM', KEYS[2], token)
end

-- Notes what is still in hand of a claim; returns when the first of these leases ends.
local function claim_changed(token, expiries, left, parts)
  if left == 0 then
    claim_ended(token, parts)
    return NEVER
  end
  local least = NEVER
  for i = 1, #expiries do
    if expiries[i] > 0 then
      least = math.min(least, expiries[i])
    end
  end
  call('HSET', KEYS[3], token, pack('>I2I2B' .. string.rep('I7', #expiries), #expiries, left, parts, unpack(expiries)))
  call('ZADD', KEYS[2], string.format('%.0f', least), token)
  return least
end

-- @section signal
-- Wakes those who sleep longer than until the soonest job is due, once.
if soonest < awaited then
  awaited = 0
  call('PUBLISH', KEYS[1], '')
end
