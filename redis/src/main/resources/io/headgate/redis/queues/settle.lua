-- Settles claimed jobs: acknowledges, retries, hands back or dead-letters them, or extends their leases. Keeps done jobs
-- as long as the retention states.
--
-- KEYS       1 to 13 as in claim.lua; if done jobs are kept, also 14 to 16, and last the done jobs
-- ARGV       tokens and actions, see settle_all; if done jobs are kept, the retention: how many done jobs at most (4
--            bytes) and for how long, in us (7); last, in tests, the time
-- Reply      the time (7 bytes); then for each job a byte: 1 settled, 0 the lease was lost and nothing changed
-- State      common.lua describes the header, records and claims. A done job that is kept has a record in the last key
--            and a place; if it has a key, the second part of the entry of the key names it
-- Always     a job is settled only under a lease that has not expired
-- Cost       O(jobs of the claims); in addition O(log n) for a job that waits again, is dead, or is done and kept
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, MAX_BYTES, NEVER, now, last_argument,
-- job_count, leased_count, next_expiry, longest_record, earliest_due, read_leases, read_runs, job_reader,
-- delete_claim, update_claim, requeue, dead_letter, with_history, store_place, key_entry, release_key.
--   first_settlement  the index of the first argument of settle_all, set by the operation
--   settled           the reply of settle_all
--   replies           the parts of this reply
--   token, actions    the token of a claim, and the packed actions on its jobs
--   packed_leases     the stored leases of the claim; false when there are none
--   leased_left       how many jobs of the claim are leased
--   field_count       how many fields the runs of the claim have
--   expiries          when each lease of the claim expires; 0 when it has ended
--   position          the position in actions of the next action
--   index, action     the index of a job in the claim, and what to do with it
--   is_leased         whether the job is still leased
--   read_job          function: returns a run of one job for its index in the claim
--   done_max          how many done jobs are kept at most
--   done_micros       for how long done jobs are kept, us
--   added_done        how many done jobs this call has added
--   remove_done       function: removes the oldest done jobs

-- @section settle
-- Settles, trims done jobs, and replies.
-- @include calls
-- @include clock
-- @include retention
-- @include read_header
-- @include begin_when_full
local settled = ''
local first_settlement = 1
-- @include requeue
-- @include claim_fields
-- @include claims
-- @include settle_all
-- @include trim_done
-- @include write_header
return pack('>I7', now) .. settled

-- @section settle_all
-- Settles jobs of claims. The arguments from first_settlement on are pairs: the token of a claim, and actions on its
-- jobs. If all jobs of the claim are done, have no keys and are not kept, the second argument is only the number of jobs (2
-- bytes).
-- Otherwise, they are for each settlement the index of the job in the claim (2 bytes), an action (1), and its data:
--   1 done, without a key and not kept: no data
--   2 done, and the job has a key or is kept: no data
--   3 wait again: whether the attempt failed (1 byte), the delay in us (7; 0 keeps the due time), the length of the
--     cause (2), the cause
--   4 dead letter: the length of the cause (2), the cause
--   5 extend the lease: for how long from now, us (7)
--   6 consecutive jobs, from this one on, are done as with action 1: how many (2)
-- Sets settled: for each job a byte, 1 settled, 0 the lease was lost.
local replies, earliest_due = {}, NEVER
for i = first_settlement, last_argument, 2 do
  local token, actions = ARGV[i], ARGV[i + 1]
  local packed_leases = call('HGET', KEYS[3], token)
  local count, leased_left, field_count, expiry = 0, 0, 0, 0
  if packed_leases then
    count, leased_left, field_count, expiry = decode('>I2I2BI7', packed_leases)
  end
  if #actions > 2 then
    -- @include settle_some
  elseif count > 0 and #packed_leases == 12 and expiry > now then
    job_count, leased_count = job_count - count, leased_count - count
    delete_claim(token, field_count)
    replies[#replies + 1] = string.rep('\1', count)
  else
    -- The number of jobs becomes action 6 from the first job on, because the leases must be checked one by one.
    actions = pack('>I2B', 1, 6) .. actions
    -- @include settle_some
  end
end
settled = table.concat(replies)
-- @include wake_consumers

-- @section settle_some
-- Settles some jobs of one claim.
local expiries, read_job = {}, nil
if packed_leases then
  expiries, leased_left = read_leases(packed_leases)
end
local position = 1
while position < #actions do
  local index, action = decode('>I2B', actions, position)
  position = position + 3
  if action == 6 then
    -- @include settle_range
  else
    local is_leased = (expiries[index] or 0) > now
    if is_leased and action > 1 and action < 5 then
      read_job = read_job or job_reader(read_runs(token, field_count))
    end
    -- @include settle_one
    replies[#replies + 1] = is_leased and '\1' or '\0'
  end
end
if packed_leases then
  next_expiry = math.min(next_expiry, update_claim(token, expiries, leased_left, field_count))
end

-- @section settle_range
-- Settles consecutive jobs of one claim that are all done.
local size, lost = decode('>I2', actions, position), {}
position = position + 2
for k = index, index + size - 1 do
  if (expiries[k] or 0) > now then
    expiries[k] = 0
  else
    lost[#lost + 1] = k - index
  end
end
local done_count = size - #lost
job_count, leased_left, leased_count = job_count - done_count, leased_left - done_count, leased_count - done_count
if #lost == 0 then
  replies[#replies + 1] = string.rep('\1', size)
else
  local reply_from = 0
  for _, k in ipairs(lost) do
    replies[#replies + 1] = string.rep('\1', k - reply_from) .. '\0'
    reply_from = k + 1
  end
  replies[#replies + 1] = string.rep('\1', size - reply_from)
end

-- @section settle_one
-- Settles one job if it is leased; otherwise only skips the data of the action.
local keeps_lease = false
if action <= 2 then
  if is_leased then
    if action == 2 then
      -- @include finish
    end
    job_count = job_count - 1
  end
elseif action == 3 then
  local failed, delay_micros, size = decode('>BI7I2', actions, position)
  local cause = size > 0 and sub(actions, position + 10, position + 9 + size) or nil
  position = position + 10 + size
  if is_leased then
    local record = read_job(index)
    local due = delay_micros > 0 and now + delay_micros or math.min(now, (decode('>I7', record, 7)))
    -- One more delivery, no expired lease.
    earliest_due = math.min(earliest_due, requeue(record, due, failed, 1, 0, cause))
  end
elseif action == 4 then
  local size = decode('>I2', actions, position)
  if is_leased then
    -- One failed attempt, no expired lease.
    dead_letter(read_job(index), 1, 0, sub(actions, position + 2, position + 1 + size))
  end
  position = position + 2 + size
else
  keeps_lease = true
  if is_leased then
    expiries[index] = now + decode('>I7', actions, position)
  end
  position = position + 7
end
if is_leased and not keeps_lease then
  expiries[index] = 0
  leased_left, leased_count = leased_left - 1, leased_count - 1
end

-- @section finish
-- Releases the key of a done job that is not kept.
release_key(read_job(index))

-- @section finish_and_keep
-- Keeps a done job: stores its record in the last key, its place, and the second part of the entry of its key. The first
-- part stays if it names another job with the same key, which waits or is leased.
-- Adds to the counters of the job: no failed attempt, one delivery, no expired lease.
local record, first_due = with_history(read_job(index), now, 0, 1, 0)
call('ZADD', KEYS[#KEYS], string.format('%.0f', now), record)
longest_record = math.max(longest_record, #record)
-- 2: among the done jobs.
store_place(record, 2, now, first_due)
local key, active = key_entry(record)
if key then
  if sub(active, 2, 7) == sub(record, 1, 6) then
    active = ''
  end
  local priority = math.floor(byte(record, 16) / 16) % 4
  call('HSET', KEYS[5], key, active .. string.char(priority) .. sub(record, 1, 6) .. pack('>I7I7', first_due, now))
end
added_done = added_done + 1

-- @section retention
-- Reads the retention of done jobs from the last argument.
local done_max, done_micros = decode('>I4I7', ARGV[last_argument])
local added_done = 0
last_argument = last_argument - 1

-- @section no_retention
-- Done jobs are not kept. Done jobs from a time when they were kept are still counted, but their keys are free.
local done_max, done_micros = NEVER, 0

-- @section trim_done
-- Removes done jobs beyond the retention, the oldest first: at most as many as this call added, and 100 more.
-- @include remove_done
local expired_done = call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - done_micros))
remove_done(math.min(math.max(call('ZCARD', KEYS[#KEYS]) - done_max, expired_done), added_done + 100))

-- @section remove_done
-- Removes up to max_count done jobs with their keys and places, the oldest first, within a bounded number of bytes;
-- returns how many.
local function remove_done(max_count)
  local removed, bytes = 0, 0
  while removed < max_count and bytes < 4 * MAX_BYTES do
    local records = call('ZRANGE', KEYS[#KEYS], 0, math.min(max_count - removed, 16) - 1)
    if #records == 0 then
      break
    end
    for _, record in ipairs(records) do
      release_key(record)
      call('HDEL', KEYS[6], sub(record, 1, 6))
      bytes = bytes + #record
    end
    call('ZREMRANGEBYRANK', KEYS[#KEYS], 0, #records - 1)
    removed = removed + #records
  end
  return removed
end
