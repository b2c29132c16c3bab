-- Lists the jobs of a queue: ready, delayed and leased ones.
--
-- Three scripts: jobs_ready, jobs_delayed and jobs_leased. Each section describes its KEYS, ARGV, reply and cost.
--
-- State      common.lua describes runs, records and claims
-- Always     nothing is written; a job that does not move is listed once
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, MAX_BYTES, MAX_RUNS_READ, NEVER, now,
-- max_records, read_leases, read_runs, job_reader.
--   rank_after       function: how many members of a sorted set are not after a position
--   first_run_after  function: the index of the first run that has a number above a given one
--   list_jobs        function: returns an iterator over the jobs of a list
--   read_enough      whether list_jobs has stopped because it has read the most that one call may read
--   passed_number    the last number of the runs that list_jobs has read completely

-- @section jobs_ready
-- Lists jobs that are due, in the order in which they would be claimed.
--
-- KEYS     as in counts.lua
-- ARGV     1: the cursor, empty at the start: the priority (1 byte); the last listed number of its list (6) and the
--          index of that run (4); the last listed due time (7) and number (6) of its sorted set; 2: how many at most;
--          last, in tests, the time
-- Reply    whether there are more (1 byte), the cursor (24); runs of one job
-- Cost     O(log n), O(n) steps over the nodes of the list for every 100 runs; at most 800 runs of one list are read,
--          and fewer than 1100 of all three
-- @include calls
-- @include clock
-- @include read_header
-- @include max_records
-- @include rank_after
-- @include first_run_after
-- @include list_jobs
local max_jobs, bytes, jobs, more = ARGV[2] + 0, 0, {}, false
local priority, list_number, list_index, set_due, set_number = 0, 0, 0, 0, 0
if #ARGV[1] > 0 then
  priority, list_number, list_index, set_due, set_number = decode('>BI6I4I7I6', ARGV[1])
end
while priority < 3 do
  local waiting = KEYS[4 + 2 * priority]
  local rank = set_due > 0 and rank_after(waiting, set_due, set_number) or 0
  local due = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now))
  local last_rank = math.min(due, rank + math.min(max_jobs - #jobs + 1, max_records())) - 1
  local set_jobs = last_rank >= rank and call('ZRANGE', waiting, rank, last_rank) or {}
  local next_in_list, next_in_set = list_jobs(KEYS[3 + 2 * priority], KEYS[9 + priority], list_number, list_index), 1
  local number, list_due, index, record = next_in_list()
  while not more do
    local set_job = set_jobs[next_in_set]
    if read_enough or not set_job and rank + #set_jobs < due or #jobs > 0 and (number or set_job)
      and (#jobs == max_jobs or bytes >= MAX_BYTES) then
      more = true
    elseif not number and not set_job then
      break
    else
      local job_number, job_due = 0, NEVER
      if set_job then
        job_number, job_due = decode('>I6I7', set_job)
      end
      if number and (list_due < job_due or list_due == job_due and number < job_number) then
        jobs[#jobs + 1] = pack('>I6I7I2', number, list_due, 1) .. record
        list_number, list_index = number, index
        number, list_due, index, record = next_in_list()
      else
        jobs[#jobs + 1] = set_job
        set_due, set_number, next_in_set = job_due, job_number, next_in_set + 1
      end
      bytes = bytes + #jobs[#jobs]
    end
  end
  if more then
    if read_enough then
      list_number = math.max(list_number, passed_number)
    end
    break
  end
  priority, list_number, list_index, set_due, set_number, passed_number = priority + 1, 0, 0, 0, 0, 0
end
return (more and '\1' or '\0') .. pack('>BI6I4I7I6', priority, list_number, list_index, set_due, set_number)
  .. table.concat(jobs)

-- @section jobs_delayed
-- Lists jobs that are due later, by due time.
--
-- KEYS     as in counts.lua
-- ARGV     1: the cursor, empty at the start: due time (7 bytes), priority (1) and number (6) of the last listed job;
--          2: how many at most; last, in tests, the time
-- Reply    whether there are more (1 byte), the cursor (14); runs of one job
-- Cost     O(log^2 n), and O(1) for each
-- @include calls
-- @include clock
-- @include read_header
-- @include max_records
-- @include rank_after
local wanted = math.min(ARGV[2] + 0, max_records())
local next_row, rows, rows_left, jobs, cursor = {1, 1, 1}, {}, 0, {}, string.rep('\0', 14)
for i = 1, 3 do
  local set = KEYS[2 + 2 * i]
  local rank = call('ZCOUNT', set, '-inf', string.format('%.0f', now))
  if #ARGV[1] > 0 then
    local due, priority, number = decode('>I7BI6', ARGV[1])
    -- At the due time of the cursor, jobs of a higher priority were listed already, and jobs of a lower one were not.
    rank = math.max(rank, rank_after(set, due, i - 1 < priority and NEVER or i - 1 == priority and number or 0))
  end
  rows[i] = call('ZRANGE', set, rank, rank + wanted)
  rows_left = rows_left + #rows[i]
end
while rows_left > 0 and #jobs < wanted do
  local earliest, row = NEVER, 0
  for i = 1, 3 do
    local record = rows[i][next_row[i]]
    local due = record and decode('>I7', record, 7) or NEVER
    if due < earliest then
      earliest, row = due, i
    end
  end
  local record = rows[row][next_row[row]]
  jobs[#jobs + 1] = record
  next_row[row], rows_left = next_row[row] + 1, rows_left - 1
  cursor = sub(record, 7, 13) .. string.char(row - 1) .. sub(record, 1, 6)
end
return (rows_left > 0 and '\1' or '\0') .. cursor .. table.concat(jobs)

-- @section jobs_leased
-- Lists leased jobs, claim by claim, in the order in which the first lease of each claim expires.
--
-- KEYS     1 to 16 as in claim.lua
-- ARGV     1: the cursor, empty at the start: when the first lease of a claim expires (7 bytes), the index in the claim
--          of the last listed job (2), the token of the claim (12); 2: how many at most
-- Reply    whether there are more (1 byte), the cursor (21); for each job when its lease expires (7), and a run of one
--          job
-- Cost     O(log n), and O(jobs) for each claim, at most 100 claims
-- @include calls
-- @include read_header
-- @include claim_fields
-- @include claims
local MAX_LISTED_CLAIMS = 100
local max_jobs, bytes, jobs, more, cursor = ARGV[2] + 0, 0, {}, false, string.rep('\0', 21)
local rank, skipped = 0, 0
if #ARGV[1] > 0 then
  local expiry, passed = decode('>I7I2', ARGV[1])
  local token = sub(ARGV[1], 10)
  local score = call('ZSCORE', KEYS[2], token)
  if score and score + 0 == expiry then
    rank, skipped = call('ZRANK', KEYS[2], token), passed
  else
    rank = call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', expiry))
  end
end
local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_LISTED_CLAIMS - 1, 'WITHSCORES')
for c = 1, #claims, 2 do
  local token, expiry = claims[c], claims[c + 1] + 0
  local packed_leases = call('HGET', KEYS[3], token)
  local expiries, _, field_count = {}, 0, 0
  if packed_leases then
    expiries, _, field_count = read_leases(packed_leases)
  end
  local read_job = #expiries > 0 and job_reader(read_runs(token, field_count))
  for i = skipped + 1, #expiries do
    if expiries[i] > 0 then
      if #jobs == max_jobs or bytes >= MAX_BYTES then
        more = true
        break
      end
      jobs[#jobs + 1] = pack('>I7', expiries[i]) .. read_job(i)
      bytes = bytes + #jobs[#jobs]
    end
    cursor = pack('>I7I2', expiry, i) .. token
  end
  if more then
    break
  end
  skipped = 0
end
more = more or #claims == 2 * MAX_LISTED_CLAIMS
return (more and '\1' or '\0') .. cursor .. table.concat(jobs)

-- @section first_run_after
-- Returns the index of the first run of a list that has a number above the given one. Reading a run deep in a long list
-- is slow, so the search starts at last_index, where the run was at the last call; runs before it may have been removed
-- since.
local function first_run_after(list, number, last_index)
  local low, high = -1, call('LLEN', list)
  local i, step = math.min(last_index, high - 1), 1
  while high - low > 1 do
    if i <= low or i >= high then
      i = math.floor((low + high) / 2)
    end
    local first, _, count = decode('>I6I7I2', call('LINDEX', list, i))
    if first <= number and number < first + count then
      return number == first + count - 1 and i + 1 or i
    elseif first <= number then
      low, i = i, i + step
    else
      high, i = i, i - step
    end
    step = step * 4
  end
  return high
end

-- @section rank_after
-- Returns how many members of a sorted set have a lower score than the given one, or the same score and a number that is
-- not above the given one. Jobs with the same score are in the order of their numbers.
local function rank_after(set, score, number)
  local score_text = string.format('%.0f', score)
  local low = call('ZCOUNT', set, '-inf', '(' .. score_text)
  local high = low + call('ZCOUNT', set, score_text, score_text) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if decode('>I6', call('ZRANGE', set, middle, middle)[1]) <= number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  return low
end

-- @section list_jobs
-- Returns an iterator over the jobs of a list after a number, which reads the list in few large pieces. Each call of the
-- iterator returns number, due time, index of the run, and record of the next job; nil at the end, and when it has read
-- the most that one call may read.
local MAX_PIECES, MAX_PIECE_BYTES = 8, 131072
local runs_read, read_enough, passed_number = 0, false, 0
local function list_jobs(ready, ready_records, after_number, last_index)
  local index = after_number > 0 and first_run_after(ready, after_number, last_index) or 0
  local heads, runs, i, pieces, run, first, due, count, k, record_at = {}, {}, 0, 0, nil, 0, 0, 0, 0, 0
  -- Reads as many runs as fit into a piece, and at least one.
  local function read_piece()
    heads = call('LRANGE', ready, index, index + 99)
    local run_count, bytes_of_all = 0, 0
    while run_count < #heads and bytes_of_all < MAX_PIECE_BYTES do
      run_count = run_count + 1
      bytes_of_all = bytes_of_all + decode('>I3', heads[run_count], 16)
    end
    runs, i, pieces = run_count > 0 and call('LRANGE', ready_records, index, index + run_count - 1) or {}, 1,
      pieces + 1
  end
  return function()
    while not read_enough do
      if not run then
        i = i + 1
        if i > #runs then
          if runs_read >= MAX_RUNS_READ or pieces >= MAX_PIECES then
            read_enough = true
            return
          end
          index = index + #runs
          read_piece()
        end
        run, k, record_at = runs[i], 0, 1
        if not run then
          return
        end
        runs_read, first, due, count = runs_read + 1, decode('>I6I7I2', heads[i])
      end
      while k < count do
        local flags, size = decode('>BI3', run, record_at)
        local start, number = record_at, first + k
        k, record_at = k + 1, record_at + 4 + size
        if flags < 64 and number > after_number then
          return number, due, index + i - 1, sub(run, start, record_at - 1)
        end
      end
      run, passed_number = nil, first + count - 1
    end
  end
end
