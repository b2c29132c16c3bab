-- Claims due jobs. Before, it settles jobs of earlier claims, and reclaims jobs whose leases have expired.
--
-- KEYS       1 header, 2 leases, 3 held, 4 records, 5 keys, 6 places, 7 dead, 8 to 13 ready and waiting jobs of each
--            priority in pairs, 14 to 16 the records of the ready jobs of each priority; last, if done jobs are kept,
--            the done jobs
-- ARGV       1: how many jobs at most (2 bytes), the lease in us (7), after how many expired leases a job becomes a
--            dead letter (1); in a queue with tenants, the excluded tenants, see claim_run_in_lanes (tenants.lua). 2: the
--            token of the claim (12 bytes); then jobs to settle, as in settle_all of settle.lua; if done jobs are kept,
--            the retention as in settle.lua; last, in tests, the time
-- Reply      a list of strings. The first: the time (7 bytes), when more jobs may be due (7), whether the queue is
--            paused (1), how many jobs were claimed (2), how many became dead letters because their leases expired (1).
--            Then the runs of the claimed jobs; last the reply of settle_all
-- State      common.lua describes the header, runs and claims
-- Always     a job is in one place; jobs of a priority are claimed by due time, then by number; in a queue with tenants,
--            the jobs of a priority and a tenant
-- Cost       O(1) for a run of a list, O(log n) for a job of a sorted set, O(jobs) for a claim that has expired
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, MAX_BYTES, MAX_CLAIMS, MAX_RECLAIMED,
-- MAX_RUNS_READ, NEVER, now, last_argument, paused, leased_count, awaited_until, next_expiry, cancelled_count,
-- max_records, claim_fields, read_leases, read_runs, job_reader, update_claim, requeue, dead_letter; from settle.lua:
-- settled, done_max, done_micros. For settle.lua: first_settlement, the index of the first argument of settle_all.
--   max_jobs          how many jobs to claim at most
--   max_crashes       after how many expired leases a job is a dead letter
--   must_settle       whether there is anything to settle, reclaim or trim
--   dead_count        jobs that became dead letters
--   expire            function: handles a job whose lease has expired
--   ready_key         the index of the key with the ready jobs of the priority
--   claimed           the claimed runs, in parts: heads, records, or both
--   claimed_count, claimed_bytes   how many jobs the claimed runs have, and how many bytes
--   jobs_per_run      how many jobs the run that was read last had; max_jobs at first
--   runs_read         how many runs of lists this call has read
--   more_at           when more jobs may be due
--   expiry            when the lease of the claim expires
--   Of claim_level, for claim_runs and claim_merged:
--   ready, waiting, ready_records   the keys of the priority
--   heads             heads of runs at the front of the list
--   used_heads        how many of these runs are claimed, at least in part
--   more_in_list      whether the list may have more runs than these
--   due_count         due jobs in the sorted set
--   rest_head, rest   head and records of the unclaimed part of the last run; nil when there is none
--   claim_run         function: claims a run of a list, or a part of it

-- @section claim
-- Settles, reclaims, claims, and replies.
-- @include calls
-- @include clock
-- @include retention
-- @include read_header
-- @include begin_when_full
-- @include max_records
local max_jobs, lease_micros, max_crashes = decode('>I2I7B', ARGV[1])
local settled, dead_count = '', 0
-- @include claim_fields
local must_settle = last_argument > 2 or next_expiry <= now
-- @include trim_needed
if must_settle then
  local first_settlement = 3
  -- @include requeue
  -- @include claims
  -- @include settle_all
  -- @include expire
  -- @include reclaim_expired
  -- @include trim_done
end
-- @include claim_run
if paused == 0 then
  for ready_key = 8, 12, 2 do
    -- @include claim_priority
  end
end
more_at = math.min(more_at, next_expiry)
if claimed_count > 0 then
  local expiry = now + lease_micros
  -- @include store_claim
  call('ZADD', KEYS[2], string.format('%.0f', expiry), ARGV[2])
  leased_count, next_expiry = leased_count + claimed_count, math.min(next_expiry, expiry)
end
if more_at > now then
  -- A worker that received all due jobs polls again at more_at, unless it is woken earlier.
  awaited_until = more_at
end
-- @include write_header
table.insert(claimed, 1, pack('>I7I7BI2B', now, more_at, paused, claimed_count, dead_count))
claimed[#claimed + 1] = settled
return claimed

-- @section trim_needed
-- Whether there are done jobs beyond the retention.
must_settle = must_settle or call('ZCARD', KEYS[#KEYS]) > done_max
  or call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - done_micros)) > 0

-- @section expire
-- Handles a job whose lease has expired: it waits again; after max_crashes expired leases, it becomes a dead letter.
local function expire(record)
  local expired_leases = math.min(255, (byte(record, 16) % 2 == 1 and byte(record, 30) or 0) + 1)
  if expired_leases >= max_crashes then
    -- No failed attempt, one more expired lease.
    dead_letter(record, 0, 1, 'its lease expired ' .. expired_leases .. ' times')
    dead_count = dead_count + 1
  else
    -- No failed attempt, one more delivery and expired lease.
    requeue(record, (decode('>I7', record, 7)), 0, 1, 1)
  end
end

-- @section reclaim_expired
-- Reclaims a bounded number of jobs whose leases have expired; jobs of the same claims with extended leases stay leased.
-- The reclaimed jobs keep their due time, and so are claimed before jobs that became due later.
if next_expiry <= now then
  local reclaimed = 0
  local tokens = call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_CLAIMS)
  for _, token in ipairs(tokens) do
    if reclaimed >= MAX_RECLAIMED then
      break
    end
    local expiries, leased_left, field_count = read_leases(call('HGET', KEYS[3], token))
    local read_job = job_reader(read_runs(token, field_count))
    for i = 1, #expiries do
      if expiries[i] > 0 and expiries[i] <= now and reclaimed < MAX_RECLAIMED then
        expire(read_job(i))
        expiries[i] = 0
        leased_left, leased_count, reclaimed = leased_left - 1, leased_count - 1, reclaimed + 1
      end
    end
    update_claim(token, expiries, leased_left, field_count)
  end
  local first_expiry = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  next_expiry = first_expiry and tonumber(first_expiry) or NEVER
end

-- @section claim_run
-- Collects the claimed runs.
local claimed, claimed_count, claimed_bytes, jobs_per_run, runs_read, more_at = {}, 0, 0, max_jobs, 0, NEVER

local function add_run(head, records, count)
  claimed[#claimed + 1] = head
  claimed[#claimed + 1] = records
  claimed_count, claimed_bytes = claimed_count + count, claimed_bytes + #head + #records
end

-- Adds the jobs of a run that are not cancelled, as runs between the cancelled ones.
local function add_live_jobs(records, first, due, count)
  local from, live_start, live_from = 1, 1, first
  for k = first, first + count do
    local flags, size = 64, 0
    if k < first + count then
      flags, size = decode('>BI3', records, from)
    end
    if flags >= 64 then
      if k > live_from then
        add_run(pack('>I6I7I2', live_from, due, k - live_from), sub(records, live_start, from - 1), k - live_from)
      end
      if k < first + count then
        cancelled_count = cancelled_count - 1
      end
      live_start, live_from = from + 4 + size, k + 1
    end
    from = from + 4 + size
  end
end

-- Claims a run of a list, up to max_jobs in total and run_limit jobs of the run; returns head and records of the rest.
local function claim_run(head, records, run_limit)
  local first, due, count = decode('>I6I7I2', head)
  local room, rest_head, rest = math.min(max_jobs - claimed_count, run_limit), nil, nil
  jobs_per_run = count
  if count > room then
    local from = 1
    for _ = 1, room do
      from = from + 4 + decode('>I3', records, from + 1)
    end
    rest = sub(records, from)
    rest_head = pack('>I6I7I2I3', first + room, due, count - room, #rest)
    records, count = sub(records, 1, from - 1), room
  end
  if cancelled_count > 0 then
    add_live_jobs(records, first, due, count)
  else
    add_run(pack('>I6I7I2', first, due, count), records, count)
  end
  return rest_head, rest
end

-- @section claim_priority
-- Claims jobs of one priority. For a queue with tenants, claim_lanes (tenants.lua) replaces this.
-- @include claim_level

-- @section claim_level
-- Claims jobs of one priority, run by run, in steps of bounded size.
local ready, waiting, ready_records = KEYS[ready_key], KEYS[ready_key + 1], KEYS[(ready_key + 20) / 2]
local due_count, more_in_list = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now)), true
while claimed_count < max_jobs and claimed_bytes < MAX_BYTES and runs_read < MAX_RUNS_READ
  and (more_in_list or due_count > 0) do
  -- Reads as many runs as are needed if each has as many jobs as the last one.
  local wanted_runs = math.min(max_jobs - claimed_count,
    math.max(4, math.ceil((max_jobs - claimed_count) / jobs_per_run)))
  local heads = more_in_list and call('LRANGE', ready, 0, wanted_runs - 1) or {}
  more_in_list = #heads == wanted_runs
  local used_heads, rest_head, rest = 0, nil, nil
  if due_count == 0 then
    -- @include claim_runs
  else
    -- @include claim_merged
  end
  if used_heads > 0 then
    call('LTRIM', ready, used_heads, -1)
    runs_read = runs_read + used_heads
  end
  if rest then
    call('LPUSH', ready, rest_head)
    call('LPUSH', ready_records, rest)
  end
  -- If jobs of a run were cancelled, there may be room for more.
  more_in_list = more_in_list or used_heads < #heads or rest ~= nil
end
if claimed_count == max_jobs or claimed_bytes >= MAX_BYTES or runs_read >= MAX_RUNS_READ then
  more_at = now
else
  local next_waiting = call('ZRANGE', waiting, 0, 0)[1]
  if next_waiting then
    more_at = math.min(more_at, (decode('>I7', next_waiting, 7)))
  end
end

-- @section claim_runs
-- Claims runs of the list until there are enough jobs. Of the last run, only a part may be claimed.
local room, bytes_after = max_jobs - claimed_count, claimed_bytes
while used_heads < #heads and room > 0 and bytes_after < MAX_BYTES do
  used_heads = used_heads + 1
  local count, length = decode('>I2I3', heads[used_heads], 14)
  room, bytes_after = room - count, bytes_after + length
end
local records = used_heads > 0 and call('LPOP', ready_records, used_heads) or {}
for i = 1, used_heads do
  rest_head, rest = claim_run(heads[i], records[i], max_jobs)
end

-- @section claim_merged
-- Claims jobs that it has read from the list and from the sorted set, by due time, then by number. Jobs of the sorted
-- set (old_jobs) are runs of one job.
local old_jobs = call('ZRANGE', waiting, 0, math.min(max_jobs - claimed_count, max_records(), due_count) - 1)
local next_old = 1
while claimed_count < max_jobs and claimed_bytes < MAX_BYTES and not rest do
  local head, old_job = heads[used_heads + 1], old_jobs[next_old]
  if not head and more_in_list or not old_job and due_count > #old_jobs or not head and not old_job then
    break
  end
  local from_list, jobs_before = not old_job, max_jobs
  if head and old_job then
    local number, due_time = decode('>I6I7', head)
    local old_number, old_due = decode('>I6I7', old_job)
    from_list = due_time < old_due or due_time == old_due and number < old_number
    if due_time == old_due then
      -- The old job may once have been removed from the middle of this run; then the jobs before it come first.
      jobs_before = old_number - number
    end
  end
  if from_list then
    used_heads = used_heads + 1
    rest_head, rest = claim_run(head, call('LPOP', ready_records), jobs_before)
  else
    -- Only a job with a history may have an entry in places.
    if byte(old_job, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(old_job, 1, 6))
    end
    claimed[#claimed + 1] = old_job
    claimed_count, claimed_bytes = claimed_count + 1, claimed_bytes + #old_job
    next_old = next_old + 1
  end
end
if next_old > 1 then
  call('ZREMRANGEBYRANK', waiting, 0, next_old - 2)
  due_count = due_count - (next_old - 1)
end

-- @section store_claim
-- Stores the claim. A few large parts are stored without joining them, because Redis reads every byte of a string that
-- Lua creates.
if #claimed > 40 or claimed_bytes < 2000 then
  claimed = {table.concat(claimed)}
end
call('HSET', KEYS[3], ARGV[2], pack('>I2I2BI7', claimed_count, claimed_count, #claimed, expiry))
if #claimed == 1 then
  call('HSET', KEYS[4], ARGV[2], claimed[1])
else
  local fields, fields_and_values = claim_fields(ARGV[2], #claimed), {}
  for i, field in ipairs(fields) do
    fields_and_values[2 * i - 1], fields_and_values[2 * i] = field, claimed[i]
  end
  call('HSET', KEYS[4], unpack(fields_and_values))
end
