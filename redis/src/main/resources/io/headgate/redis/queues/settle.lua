-- Settles claimed jobs: acknowledges, retries, releases, dead-letters or extends them; and keeps or drops done jobs.

-- @section settle
-- Says what came of jobs that are in hand.
--
-- KEYS     as of claim.lua; last done, where done jobs are kept
-- ARGV     a token and what is to be done with its jobs, and so on: see settle_all; where done jobs are kept, as keeping
-- returns  7 bytes the time; a byte for each: 1 done, 0 the lease was lost and nothing changed
-- costs    O(jobs of the claims); O(log n) more for one that waits again
-- @include calls
-- @include clock
-- @include keeping
-- @include header_read
-- @include may_write
local settled = ''
local first = 1
-- @include put_back
-- @include parts_of
-- @include leases_in
-- @include settle_all
-- @include trim
-- @include header_write
return pack('>I7', now) .. settled

-- @section settle_all
-- Settles jobs, claim by claim: from argument `first` on, a token and what is to be done with its jobs. Either 2 bytes how
-- many jobs the claim has: all of them are done, and have no keys. Or for each 2 bytes which one, 1 byte what, and
--   1 done; 2 done, and it has a key or is kept
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 7 bytes for how many microseconds from now
--   6 done, this one and those that follow it, of which none has a key: 2 bytes how many
-- and answers a byte for each: 1 done, 0 the lease was lost.
local answers, soonest = {}, NEVER
for i = first, last, 2 do
  local token, ops = ARGV[i], ARGV[i + 1]
  local held = call('HGET', KEYS[3], token)
  local count, left, parts, expiry = 0, 0, 0, 0
  if held then
    count, left, parts, expiry = read('>I2I2BI7', held)
  end
  if #ops > 2 then
    -- @include settle_some
  elseif count > 0 and #held == 12 and expiry > now then
    jobs, leased = jobs - count, leased - count
    claim_ended(token, parts)
    answers[#answers + 1] = string.rep('\1', count)
  else
    ops = pack('>I2B', 1, 6) .. ops
    -- @include settle_some
  end
end
settled = table.concat(answers)
-- @include signal

-- @section settle_some
-- Settles some jobs of one claim.
local expiries, job = {}, nil
if held then
  expiries, left = leases_in(held)
end
local at = 1
while at < #ops do
  local index, verb = read('>I2B', ops, at)
  at = at + 3
  if verb == 6 then
    -- @include settle_range
  else
    local holds = (expiries[index] or 0) > now
    if holds and verb > 1 and verb < 5 then
      job = job or jobs_in(records_of(token, parts))
    end
    -- @include settle_one
    answers[#answers + 1] = holds and '\1' or '\0'
  end
end
if held then
  ends = math.min(ends, claim_changed(token, expiries, left, parts))
end

-- @section settle_range
-- Settles jobs of one claim that follow one another and are all done.
local size, lost = read('>I2', ops, at), {}
at = at + 2
for k = index, index + size - 1 do
  if (expiries[k] or 0) > now then
    expiries[k] = 0
  else
    lost[#lost + 1] = k - index
  end
end
local done = size - #lost
jobs, left, leased = jobs - done, left - done, leased - done
if #lost == 0 then
  answers[#answers + 1] = string.rep('\1', size)
else
  local after = 0
  for _, k in ipairs(lost) do
    answers[#answers + 1] = string.rep('\1', k - after) .. '\0'
    after = k + 1
  end
  answers[#answers + 1] = string.rep('\1', size - after)
end

-- @section settle_one
-- Settles one job, if it is held.
local keeps = false
if verb <= 2 then
  if holds then
    if verb == 2 then
      -- @include done
    end
    jobs = jobs - 1
  end
elseif verb == 3 then
  local failed, delay, size = read('>BI7I2', ops, at)
  local cause = size > 0 and sub(ops, at + 10, at + 9 + size) or nil
  at = at + 10 + size
  if holds then
    local old = job(index)
    local due = delay > 0 and now + delay or math.min(now, (read('>I7', old, 7)))
    soonest = math.min(soonest, wait_again(old, due, failed, 1, 0, cause))
  end
elseif verb == 4 then
  local size = read('>I2', ops, at)
  if holds then
    bury(job(index), 1, 0, sub(ops, at + 2, at + 1 + size))
  end
  at = at + 2 + size
else
  keeps = true
  if holds then
    expiries[index] = now + read('>I7', ops, at)
  end
  at = at + 7
end
if holds and not keeps then
  expiries[index] = 0
  left, leased = left - 1, leased - 1
end

-- @section done
-- The job is done and gone, and its key is free.
free_key(job(index))

-- @section done_kept
-- The job is done, and is kept: its record, in the last of the keys; where that is; and with its key, since when. Another job
-- of the key that waits or is in hand has it first.
local record, first_due = aged(job(index), now, 0, 1, 0)
call('ZADD', KEYS[#KEYS], string.format('%.0f', now), record)
longest = math.max(longest, #record)
note_place(record, 2, now, first_due)
local key, active = noted_of_key(record)
if key then
  if sub(active, 2, 7) == sub(record, 1, 6) then
    active = ''
  end
  local level = math.floor(byte(record, 16) / 16) % 4
  call('HSET', KEYS[5], key, active .. string.char(level) .. sub(record, 1, 6) .. pack('>I7I7', first_due, now))
end
kept = kept + 1

-- @section keeping
-- How many done jobs are kept and for how many microseconds, which the last argument says; how many this call adds.
local keep_most, keep_for = read('>I4I7', ARGV[last])
local kept = 0
last = last - 1

-- @section keeping_none
-- Done jobs are not kept; of those that were, when they were, all are counted, and none has its key.
local keep_most, keep_for = NEVER, 0

-- @section trim
-- Removes done jobs that are too many or too old, the oldest first: as many as this call added, and some.
-- @include drop_done
local too_old = call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - keep_for))
drop_done(math.min(math.max(call('ZCARD', KEYS[#KEYS]) - keep_most, too_old), kept + 100))

-- @section drop_done
-- Removes so many done jobs, the oldest first, but no more than a bounded number of bytes; how many.
local function drop_done(most)
  local n, bytes = 0, 0
  while n < most and bytes < 4 * MAX_BYTES do
    local records = call('ZRANGE', KEYS[#KEYS], 0, math.min(most - n, 16) - 1)
    if #records == 0 then
      break
    end
    for _, record in ipairs(records) do
      free_key(record)
      call('HDEL', KEYS[6], sub(record, 1, 6))
      bytes = bytes + #record
    end
    call('ZREMRANGEBYRANK', KEYS[#KEYS], 0, #records - 1)
    n = n + #records
  end
  return n
end
