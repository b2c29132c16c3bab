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
