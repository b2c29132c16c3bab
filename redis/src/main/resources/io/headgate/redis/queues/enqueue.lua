-- Enqueues jobs: enqueue_now is for jobs without keys that are due now, enqueue for any jobs.
--
-- Each of the two sections describes its KEYS, ARGV, reply and cost. For jobs of one priority without keys, enqueue is
-- assembled without deduplicate and store_key. For jobs with tenants, sections of tenants.lua are added.
--
-- State      common.lua describes runs, records and the header
-- Always     the jobs of a list are in the order of their numbers; a job is in a list only if it was due when it was
--            enqueued
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, now, last_argument, NEVER, NO_JOB,
-- ONE_JOB, last_number, job_count, longest_record, earliest_due; from settle.lua: done_micros; from cancel.lua:
-- remove_waiting. Of enqueue:
--   record            the record of the job
--   mode              the byte that states when the job is due and how it is enqueued, see ARGV
--   priority          the priority of the job, or of the job that has its key
--   admitted          whether the queue has room for the group of the job; in enqueue_now a string: for each group a
--                     byte, 1 if the queue has room for it
--   outcome           the outcome for the job, see the reply
--   number_and_due    number and due time of the job, or of the job that has its key, packed
--   last_number_before   the number of the last job before this call
--   flush             function: writes the jobs that this call has collected
--   key               the key of the job, or nil
--   done_part         the part of the entry of the key that names a done job
-- Of enqueue_now:
--   max_jobs          how many jobs the queue may have
--   add_run           function: adds a run of jobs to those that this call writes

-- @section enqueue_now
-- Enqueues jobs of one priority that are due now, as runs. It reads their records only if the queue has no room for all
-- jobs.
--
-- KEYS     1 header, 2 ready jobs, 3 waiting jobs, 4 the records of the ready jobs
-- ARGV     1: how many jobs the queue may have (6 bytes), how many jobs this call has (2); 2: for each group, which is
--          enqueued atomically, how many jobs it has (2 bytes each); 3: for each further argument, how many jobs it has
--          (2 bytes each); further arguments: records, in the order of the jobs; last, in tests, the time
-- Reply    the number of the first job (6 bytes), its due time (7); if the queue had no room for all jobs, a byte for
--          each group: 1 if it was enqueued. The enqueued jobs have consecutive numbers
-- Cost     O(1) for a run; if the queue has no room for all jobs, O(1) for a job
-- @include calls
-- @include clock
-- @include read_header
local max_jobs, new_jobs = decode('>I6I2', ARGV[1])
local first_number, heads, records, admitted, earliest_due = last_number + 1, {}, {}, '', now
local function add_run(count, run_records)
  heads[#heads + 1] = pack('>I6I7I2I3', last_number + 1, now, count, #run_records)
  records[#records + 1] = run_records
  last_number, job_count = last_number + count, job_count + count
end
if job_count + new_jobs <= max_jobs then
  for i = 4, last_argument do
    add_run(decode('>I2', ARGV[3], 2 * i - 7), ARGV[i])
  end
else
  -- @include enqueue_until_full
end
if #heads > 0 then
  -- Fails if this key holds another type than a list, before anything is written.
  call('LLEN', KEYS[4])
  call('RPUSH', KEYS[2], unpack(heads))
  call('RPUSH', KEYS[4], unpack(records))
  -- @include add_turn_now
  -- @include wake_consumers
end
-- @include write_header
return pack('>I6I7', first_number, now) .. admitted

-- @section enqueue_until_full
-- Enqueues the groups for which the queue has room, each job as a run of one job.
local group_replies, argument, position = {}, 4, 1
for group = 1, #ARGV[2] / 2 do
  local group_size = decode('>I2', ARGV[2], 2 * group - 1)
  local fits = job_count + group_size <= max_jobs
  for _ = 1, group_size do
    if position > #ARGV[argument] then
      argument, position = argument + 1, 1
    end
    local record_end = position + 3 + decode('>I3', ARGV[argument], position + 1)
    if fits then
      add_run(1, sub(ARGV[argument], position, record_end))
    end
    position = record_end + 1
  end
  group_replies[group] = fits and '\1' or '\0'
end
admitted = table.concat(group_replies)

-- @section enqueue
-- Enqueues any jobs: a job that is due now in a list, another in a sorted set.
--
-- KEYS     1 header; then, in pairs, the ready jobs and the waiting jobs of one priority, 2 and 3, or of all priorities,
--          2 to 7. With all priorities, also 8 keys and 9 places. Last, for each pair, the records of the ready jobs
-- ARGV     1: how many jobs the queue may have (6 bytes). Then two arguments for each job. The first: if the job starts
--          a group, which is enqueued atomically, the size of the group, else 0 (2 bytes); the mode (1): 0 due now, 1
--          due after a delay, 2 due at a time, plus 4 times the index of its pair of keys, from 1, plus 64 if it
--          replaces a waiting job with its key; unless it is due now, the delay or time in us (7). The second: the
--          record. With the keys of all priorities, and if done jobs are kept, the retention as in settle.lua; last, in
--          tests, the time
-- Reply    for each job 15 bytes: the outcome (1): 0 added, 1 replaced another job, 2 a job with this key exists, 3 the
--          queue is full; then priority (1), number (6) and first due time (7): of the job, with outcome 2 of the job
--          that exists; with outcome 3 number and time are 0
-- Cost     O(1) for a job that is due now, O(log n) for another; for a job that replaces a waiting one, the cost of
--          cancel.lua, too
-- @include calls
-- @include clock
-- @include read_header
-- @include retention
local max_jobs = decode('>I6', ARGV[1])
local replies, lists, records, sets, earliest_due, admitted = {}, {}, {}, {}, NEVER, false
-- The keys of the records follow this index.
local records_before = #KEYS > 4 and 9 or 3
local last_number_before = last_number
-- Writes the jobs that this call has collected so far.
local function flush()
  for key_pair, list in pairs(lists) do
    call('RPUSH', KEYS[2 * key_pair], unpack(list))
    call('RPUSH', KEYS[records_before + key_pair], unpack(records[key_pair]))
  end
  for key_pair, set in pairs(sets) do
    call('ZADD', KEYS[2 * key_pair + 1], unpack(set))
  end
  lists, records, sets = {}, {}, {}
end
-- @include remove_waiting
for i = 2, last_argument, 2 do
  local record = ARGV[i + 1]
  local group_size, mode = decode('>I2B', ARGV[i])
  local key_pair, due = math.floor(mode / 4) % 16, now
  if mode % 4 > 0 then
    due = decode('>I7', ARGV[i], 4)
    due = math.max(mode % 4 == 1 and now + due or due, now)
  end
  if group_size > 0 then
    admitted = job_count + group_size <= max_jobs
  end
  local priority = math.floor(byte(record) / 16) % 4
  local outcome, number_and_due = admitted and 0 or 3, NO_JOB
  -- @include enter_lane_of_job
  -- @include deduplicate
  if outcome < 2 then
    last_number, job_count = last_number + 1, job_count + 1
    number_and_due = pack('>I6I7', last_number, due)
    if due == now then
      local list, list_records = lists[key_pair] or {}, records[key_pair] or {}
      list[#list + 1] = number_and_due .. ONE_JOB .. pack('>I3', #record)
      list_records[#list_records + 1] = record
      lists[key_pair], records[key_pair] = list, list_records
    else
      local set = sets[key_pair] or {}
      set[#set + 1] = string.format('%.0f', due)
      set[#set + 1] = number_and_due .. ONE_JOB .. record
      sets[key_pair] = set
      longest_record = math.max(longest_record, 15 + #record)
    end
    earliest_due = math.min(earliest_due, due)
    -- @include store_key
    -- @include collect_turn
  end
  replies[#replies + 1] = string.char(outcome, priority) .. number_and_due
end
flush()
-- @include add_turns
-- @include wake_consumers
-- @include write_header
return table.concat(replies)

-- @section deduplicate
-- If another job has the key of the job and is waiting, leased or done and kept, the job is not enqueued. With the flag
-- 64, the job is enqueued, and replaces the other job if the other one is waiting.
local key, done_part
if admitted and math.floor(byte(record) / 4) % 2 == 1 then
  key = sub(record, 6, 5 + byte(record, 5))
  local entry = call('HGET', KEYS[8], key)
  done_part = entry and (#entry == 21 and entry or sub(entry, 15)) or ''
  if entry and #entry == 21 and (mode >= 64 or decode('>I7', entry, 15) <= now - done_micros) then
    -- The job with this key is done: it can't be replaced, and after done_micros another job can have the key.
    entry = nil
  end
  if entry and mode < 64 then
    outcome, priority, number_and_due = 2, byte(entry), sub(entry, 2, 14)
  elseif entry then
    local number, first_due = decode('>I6I7', entry, 2)
    if number > last_number_before then
      -- The job was enqueued by this call, and is not written yet.
      flush()
    end
    if remove_waiting(KEYS[2 * byte(entry) + 2], KEYS[2 * byte(entry) + 3], KEYS[10 + byte(entry)], KEYS[9], number,
      first_due) then
      outcome, job_count = 1, job_count - 1
      -- @include collect_replaced
    end
  end
end

-- @section store_key
-- Stores that the job has the key; keeps the part of the entry that names a done job.
if key then
  call('HSET', KEYS[8], key, string.char(priority) .. number_and_due .. done_part)
end
