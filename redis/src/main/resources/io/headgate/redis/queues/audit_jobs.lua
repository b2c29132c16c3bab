-- Audits waiting jobs, in lists and sorted sets, dead letters and done jobs.
--
-- Three scripts: audit_heads, audit_list and audit_set. Each section describes its ARGV and cost.
--
-- KEYS       as in audit.lua
-- Reply      as audit_common in audit.lua describes
-- State      common.lua describes runs and records: a list of heads, and a list of the records of these runs
-- Always     a job that is removed from a list waits in the sorted set, if it can be read
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, MAX_BYTES, now, last_number,
-- longest_record, cancelled_count, max_records, requeue, store_place; from audit.lua: PLACE, UNREADABLE, ORDER, RUN,
-- MAX_PAGE, repair, findings, sightings, longest_seen, add_finding, add_sighting, step_reply, each_record, count_jobs,
-- priority_of, first_due_of, set_aside, MAX_WEIGHT, MAX_HEADS, weight, key_of, enter_lanes,
-- tenant_in_place, packed_place; from find.lua: find_in_set.
--   renumber          function: makes jobs wait under new numbers
--   mark_removed      function: marks an element of a list as removed
--   remove_marked     function: removes the marked elements
--   remove_run        function: removes a run from the list
--   Of audit_list, for remove_run:
--   ready, ready_records   the keys of the two lists
--   low               the index in the list before the first of heads
--   from              the index in heads of the first run that this step checks
--   heads, records    heads of runs, and their records
--   bad               by the index in heads: the kind of finding for a run; nil when the run is correct

-- @section audit_heads
-- Checks that the list of heads and the list of records have the same length. If not, a repair compares both lists from
-- their ends, because new runs are added there. Where a head does not match its records, but a neighbour within
-- MAX_AT_ONCE elements does, it removes the surplus elements in between.
--
-- ARGV     1: '1' to repair; 2: the index of the key with the heads; 3: the cursor, empty at the start: the index of
--          the head at which to continue downwards; last, in tests, the time
-- Cost     O(n) steps over the nodes of the list
-- @include calls
-- @include clock
-- @include read_header
-- @include requeue
-- @include audit_common
-- @include audit_renumber
local MAX_AT_ONCE = 16
local ready_key = ARGV[2] + 0
-- The subject of a finding without a head is the priority.
local ready, ready_records, subject = KEYS[ready_key], KEYS[(ready_key + 20) / 2], string.char((ready_key - 8) / 2)
local high = call('LLEN', ready) - 1
-- How many more elements the list of records has; negative when the list of heads has more.
local surplus = call('LLEN', ready_records) - high - 1
if surplus == 0 or not repair then
  if surplus ~= 0 then
    add_finding(RUN, subject)
  end
  return step_reply('')
end
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local function without_head(records, due)
  add_finding(RUN, subject)
  if each_record(records, 1) then
    renumber(records, due)
  else
    set_aside(records)
  end
end
local function without_records(head)
  add_finding(RUN, head)
  set_aside(head)
end
-- No elements are left to compare: removes the surplus at the front.
local function take_front()
  local head, size, removed = call('LINDEX', ready, 0), 0, 0
  local due = head and #head == 18 and decode('>I7', head, 7) or now
  while surplus > 0 and size < MAX_BYTES and removed < MAX_AT_ONCE do
    local records = call('LPOP', ready_records)
    without_head(records, due)
    surplus, size, removed = surplus - 1, size + #records, removed + 1
  end
  while surplus < 0 and removed < 10 * MAX_AT_ONCE do
    without_records(call('LPOP', ready))
    surplus, removed = surplus + 1, removed + 1
  end
  return -1
end
local function slice(list, from, to)
  from = math.max(0, from)
  local elements = to >= 0 and call('LRANGE', list, from, to) or {}
  return function(index)
    return index >= from and elements[index - from + 1] or nil
  end
end
local function find_mismatch()
  local low, index = math.max(0, high - MAX_AT_ONCE + 1), high
  local heads = slice(ready, low - MAX_AT_ONCE, high)
  local records = slice(ready_records, low + surplus - MAX_AT_ONCE, high + surplus)
  local function fits(head_index, records_index)
    local head, run = heads(head_index), records(records_index)
    if head and run and #head == 18 then
      local count, length = decode('>I2I3', head, 14)
      return length == #run and select(2, each_record(run, 1)) == count
    end
  end
  while index >= low and index + surplus >= 0 and surplus ~= 0 do
    local extra = 0
    if not fits(index, index + surplus) then
      for distance = 1, math.min(MAX_AT_ONCE, math.abs(surplus)) do
        if extra == 0 and (surplus > 0 and fits(index, index + surplus - distance) or surplus < 0
          and fits(index - distance, index + surplus)) then
          extra = distance
        end
      end
    end
    for distance = 0, extra - 1 do
      if surplus > 0 then
        without_head(records(index + surplus - distance), (decode('>I7', heads(index), 7)))
        mark_removed(ready_records, index + surplus - distance)
      else
        without_records(heads(index - distance))
        mark_removed(ready, index - distance)
      end
    end
    index = surplus < 0 and index - extra or index
    surplus = surplus > 0 and surplus - extra or surplus + extra
    index = index - 1
  end
  remove_marked()
  return index + surplus < 0 and -1 or index
end
local next = high >= 0 and high + surplus >= 0 and find_mismatch() or take_front()
-- @include write_header
return step_reply(surplus == 0 and '' or tostring(next))

-- @section audit_list
-- Checks runs of a list, from the end: whether each run can be read, has as many jobs and bytes as its head states, and
-- has numbers in order.
--
-- ARGV     1: '1' to repair; 2: the index of the key with the heads; 3: the cursor, empty at the start: the index of
--          the run at which to continue downwards; 4: sightings and numbers only of runs whose first number is below
--          this, unless it is 0; 5: stop at runs whose first number is not above this; last, in tests, the time
-- Reply    the sightings are preceded by four numbers (6 bytes each): the lowest and the highest number seen, how many
--          jobs, and how many of these are cancelled
-- Cost     O(n) steps over the nodes of the list
-- @include calls
-- @include clock
-- @include read_header
-- @include requeue
-- @include audit_common
-- @include audit_weight
local ready_key, below, before = ARGV[2] + 0, ARGV[4] + 0, ARGV[5] + 0
local ready, ready_records, priority = KEYS[ready_key], KEYS[(ready_key + 20) / 2], (ready_key - 8) / 2
local high = call('LLEN', ready) - 1
if call('LLEN', ready_records) ~= high + 1 then
  -- It is unknown which head belongs to which records; audit_heads reports that.
  high = -1
elseif #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - MAX_HEADS + 1)
-- With one more head, to which the order of the last run is compared.
local heads = high >= 0 and call('LRANGE', ready, low, high + 1) or {}
local function first_number(i)
  return heads[i] and #heads[i] == 18 and decode('>I6', heads[i]) or nil
end
-- Checks as many runs as fit into a step, at least one, but no run that an earlier scan has checked.
local to = high - low + 1
local from, total_weight = math.max(1, to), 0
while from > 1 and total_weight + weight(heads[from]) + weight(heads[from - 1]) <= MAX_WEIGHT do
  total_weight, from = total_weight + weight(heads[from]), from - 1
end
local reached_end = low + from <= 1
while from <= to and (first_number(from) or before + 1) <= before do
  from, reached_end = from + 1, true
end
local records = from <= to and to > 0 and call('LRANGE', ready_records, low + from - 1, low + to - 1) or {}
local bad, last_numbers = {}, {}
local lowest, highest, jobs_seen, cancelled_seen = 0, 0, 0, 0
local cancelled_jobs = {}
for i = from, to do
  local run, is_strange = records[i - from + 1], false
  cancelled_jobs[i] = {}
  local _, job_total = each_record(run, 1, nil, function(job_index, flags)
    is_strange = is_strange or flags < 64 and math.floor(flags / 16) ~= priority
    if flags >= 64 then
      table.insert(cancelled_jobs[i], job_index)
    end
  end)
  local count, length = 0, 0
  if #heads[i] == 18 then
    count, length = decode('>I2I3', heads[i], 14)
  end
  if not job_total or job_total == 0 or is_strange then
    bad[i] = UNREADABLE
  elseif job_total ~= count then
    bad[i] = RUN
  elseif length ~= #run then
    add_finding(RUN, heads[i])
    if repair then
      call('LSET', ready, low + i - 1, sub(heads[i], 1, 15) .. pack('>I3', #run))
    end
  end
  last_numbers[i] = (first_number(i) or 0) + count - 1
end
local highest_passed = 0
for i = from, to do
  local first, next = first_number(i), not bad[i + 1] and first_number(i + 1)
  if not bad[i] then
    if first <= highest_passed or next and first > next and next > highest_passed then
      bad[i] = ORDER
    else
      highest_passed = last_numbers[i]
    end
  end
end
-- @include audit_remove_run
for i = to, from, -1 do
  local first = first_number(i)
  if bad[i] then
    add_finding(bad[i], heads[i])
    if repair then
      remove_run(i)
    end
  elseif below == 0 or first < below then
    local due, start = decode('>I7', heads[i], 7), first
    for _, job_index in ipairs(cancelled_jobs[i]) do
      if first + job_index > start then
        add_sighting(0, priority, due, 0, start, first + job_index - start)
      end
      start = first + job_index + 1
    end
    if last_numbers[i] >= start then
      add_sighting(0, priority, due, 0, start, last_numbers[i] - start + 1)
    end
    lowest, highest = first, math.max(highest, last_numbers[i])
    jobs_seen, cancelled_seen = jobs_seen + last_numbers[i] - first + 1, cancelled_seen + #cancelled_jobs[i]
  end
end
if #findings > 0 and repair then
  remove_marked()
  -- @include write_header
end
table.insert(sightings, 1, pack('>I6I6I6I6', lowest, highest, jobs_seen, cancelled_seen))
return step_reply(reached_end and '' or tostring(low + from - 2))

-- @section audit_renumber
-- Makes jobs wait under new numbers, because their numbers are unknown or those of other jobs. So their old ids no longer
-- find them. Their due time is the given one, but not later than now, because jobs in a list were due when they were
-- enqueued. So a delayed job that audit_duplicates renumbers is due now, too.
-- @include audit_key_of
local function renumber(records, due)
  due = math.min(due, now)
  each_record(records, 1, nil, function(_, flags, record_at, next_record)
    if flags >= 64 then
      cancelled_count = math.max(0, cancelled_count - 1)
      return
    end
    last_number = last_number + 1
    local record, priority = pack('>I6I7I2', last_number, due, 1) .. sub(records, record_at, next_record - 1),
      math.floor(flags / 16)
    -- @include enter_lane_of_renumbered
    call('ZADD', KEYS[9 + 2 * priority], string.format('%.0f', due), record)
    -- @include leave_lane_of_renumbered
    longest_record = math.max(longest_record, #record)
    if due ~= first_due_of(record) then
      store_place(record, 0, due, first_due_of(record))
    end
    local key = key_of(record)
    if key then
      local entry = call('HGET', KEYS[5], key) or ''
      local done = #entry == 21 and entry or sub(entry, 15)
      call('HSET', KEYS[5], key, string.char(priority) .. pack('>I6I7', last_number, first_due_of(record)) .. done)
    end
  end)
end

-- Elements of a list are first marked, so that indexes stay valid, and removed at the end of the step.
local REMOVED, removed_counts = 'hg: gone', {}
local function mark_removed(list, index)
  call('LSET', list, index, REMOVED)
  removed_counts[list] = (removed_counts[list] or 0) + 1
end
local function remove_marked()
  for list, count in pairs(removed_counts) do
    call('LREM', list, count, REMOVED)
  end
end

-- @section audit_remove_run
-- Removes a run from a list.
-- @include audit_renumber
-- Makes the jobs of the run wait in the sorted set, which is always in order; sets aside a run that can't be read.
local function remove_run(i)
  local run = records[i - from + 1]
  local first, due = 0, now
  if #heads[i] == 18 then
    first, due = decode('>I6I7', heads[i])
  end
  if bad[i] == UNREADABLE then
    set_aside(first > 0 and sub(heads[i], 1, 15) .. run or heads[i])
    if first == 0 then
      set_aside(run)
    end
  elseif bad[i] == RUN or due > now then
    renumber(run, due)
  else
    each_record(run, 1, nil, function(job_index, flags, record_at, next_record)
      if flags < 64 then
        -- With no further attempt, delivery or crash.
        requeue(pack('>I6I7I2', first + job_index, due, 1) .. sub(run, record_at, next_record - 1), due, 0, 0, 0)
      else
        cancelled_count = math.max(0, cancelled_count - 1)
      end
    end)
  end
  mark_removed(ready, low + i - 1)
  mark_removed(ready_records, low + i - 1)
end

-- @section audit_set
-- Checks jobs in a sorted set, from the end: whether each job can be read, has the right score and priority, and is
-- found by its id.
--
-- ARGV     1: '1' to repair; 2: the index of the key; 3: the cursor, empty at the start: the rank at which to continue
--          downwards
-- Cost     O(log n), and O(1) for each job
-- @include calls
-- @include read_header
-- @include max_records
-- @include audit_common
-- @include find_in_set
-- The key is read before place_exists replaces it in KEYS by that of another lane.
local key, set = ARGV[2] + 0, KEYS[ARGV[2] + 0]
-- The index in KEYS of the sorted set of a place, by its state.
local SETS = {7, #KEYS}
local own_state = key == 7 and 1 or key == #KEYS and 2 or 0
-- Whether the job also exists where its stored place points to; then audit_duplicates (audit_keys.lua) reports it.
local function place_exists(record, place)
  if place and #place >= 15 then
    local state, score = decode('>BI7', place)
    enter_lanes(tenant_in_place(place))
    return state < 3 and find_in_set(KEYS[SETS[state] or 9 + 2 * priority_of(record)], (decode('>I6', record)), score)
  end
end
local high = call('ZCARD', set) - 1
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - math.min(MAX_PAGE, max_records()) + 1)
local members = high >= 0 and call('ZRANGE', set, low, high, 'WITHSCORES') or {}
for i = 1, #members, 2 do
  local record, score = members[i], members[i + 1] + 0
  local priority
  local job_total = count_jobs(record, function(_, _, flags)
    priority = flags < 64 and math.floor(flags / 16) % 4
  end)
  if job_total ~= 1 or not priority or own_state == 0 and priority ~= (key - 9) / 2 then
    add_finding(UNREADABLE, record)
    if repair then
      call('ZREM', set, record)
      set_aside(record)
    end
  else
    longest_seen = math.max(longest_seen, #record)
    local number, due = decode('>I6I7', record)
    local first_due = first_due_of(record)
    local place, right_place = call('HGET', KEYS[6], sub(record, 1, 6)), nil
    if own_state > 0 or due ~= first_due then
      right_place = packed_place(own_state, due, first_due, record)
    end
    if score ~= due then
      add_finding(ORDER, record)
      if repair then
        call('ZADD', set, string.format('%.0f', due), record)
      end
    end
    if right_place and place ~= right_place and not place_exists(record, place) then
      add_finding(PLACE, sub(record, 1, 6))
      if repair then
        call('HSET', KEYS[6], sub(record, 1, 6), right_place)
      end
    end
    add_sighting(key, priority, first_due, repair and due or score, number, 1)
  end
end
return step_reply(low > 0 and tostring(low - 1) or '')
