-- Starts and ends an audit of a queue, counts its jobs, and contains the sections that all steps of an audit share.
--
-- Three scripts: audit_header, audit_count and audit_adjust. Each section describes its ARGV, reply and cost.
-- audit_common describes the reply of the steps in audit_jobs.lua, audit_claims.lua and audit_keys.lua.
--
-- KEYS       1 to 16 as in claim.lua, 17 the list of data that was set aside, last the done jobs
-- State      common.lua describes the header, runs, records, claims and places. A repair sets aside data that it can't
--            read, so that an operator can examine it
-- Always     a step does a bounded amount of work. Without repair nothing is written
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, NEVER, now, last_number, job_count,
-- leased_count, next_expiry, longest_record, cancelled_count, claim_fields, read_leases, read_runs.
--   HEADER, KEY, PLACE, CLAIM, DUPLICATE, UNREADABLE, ORDER, RUN, TURN   kinds of findings
--   MAX_PAGE          how many jobs or entries one step reads at most
--   repair            whether to repair what the findings describe
--   findings          the inconsistencies found by this step, packed
--   sightings         the jobs seen by this step, and where, packed
--   longest_seen      bytes of the longest record seen in a sorted set
--   add_finding, add_sighting   functions: add to these
--   step_reply        function: the reply of a step
--   each_record       function: passes records to a function
--   count_jobs        function: how many jobs runs have, nil when they can't be read
--   priority_of, first_due_of   functions: the priority, and the first due time, of a record
--   set_aside         function: sets bytes aside
--   heads_of_step     function: how many heads belong to the runs that one step reads
--   in_sets           how many jobs are in sorted sets
--   enter_lanes       function: puts the keys of a tenant into KEYS
--   tenant_in_key, tenant_in_record, tenant_in_place   functions: the tenant of a job, by its key, record or place
--   packed_place      function: the place of a job, packed as in places
--   MAX_WEIGHT, MAX_HEADS   the most that a step reads of a list: the weight of its runs, and the number of its heads
--   weight            function: the cost of reading a run, as the number of bytes that take as long to read
--   MAX_FIELDS        the most fields that the runs of a claim may have
--   parse_leases      function: the header of packed leases, nil when they can't be read
--   MAX_LEASED_READ   the most leased jobs with which leased_copies may be called
--   copies_by_number  the claims in which each leased job is, by its number; nil until leased_copies is called
--   leased_copies     function: the claims in which the job of a number is leased
--   key_of            function: the key of a record, nil when it has none

-- @section audit_header
-- Checks whether a queue has a readable header; without one, clients can't change the queue. A repair creates a header
-- that describes a paused and full queue, whose last number is above those of all jobs, until the jobs are counted.
--
-- ARGV     1: '1' to repair; last, in tests, the time
-- Reply    1 byte: 0 the queue does not exist, 1 it has a header, 2 it has no readable header, 3 it has a new header
-- Cost     O(1)
-- @include calls
-- @include clock
local header = call('GET', KEYS[1])
if header and #header == 41 and byte(header) == 1 then
  return '\1'
elseif not header and call('EXISTS', unpack(KEYS, 2, 16)) + call('EXISTS', KEYS[#KEYS], KEYS[1] .. ':tenants') == 0 then
  return '\0'
elseif ARGV[1] ~= '1' then
  return '\2'
end
if header then
  call('RPUSH', KEYS[17], header)
end
-- In the order of common.lua. The time in ms is above the numbers of all jobs; the counts and the longest record are
-- upper bounds, and a lease may expire at any time.
call('SET', KEYS[1], pack('>BBI6I6I6I7I7I3I4', 1, 1, math.floor(now / 1000), 2000000000, 1000000000, 0, 0, 1048576,
  1000000))
return '\3'

-- @section audit_count
-- Counts the jobs of a queue, to be compared with its header. Of each list, it reads only both ends; a list that is not
-- longer than its two ends is counted completely. An end has as many runs as audit_list (audit_jobs.lua) reads in one
-- step, so that a step of audit_list ends within it.
--
-- Reply    6 bytes each: from the header: job_count, leased_count, cancelled_count, last_number and longest_record;
--          counted: leased jobs, and jobs in sorted sets. Then whether no lease expires before next_expiry (1 byte).
--          For each list whether the two ends are the whole list (1); for both ends how many runs (2), and for each run
--          the number of its first job, how many jobs, and how many of these are cancelled (6 each)
-- Cost     O(claims), O(jobs of the runs)
-- @include calls
-- @include read_header
-- @include audit_parse_leases
-- @include audit_weight
local leased, in_sets = 0, 0
for _, packed_leases in ipairs(call('HVALS', KEYS[3])) do
  local _, leased_left = parse_leases(packed_leases)
  leased = leased + (leased_left or 0)
end
local reply = {}
-- How many heads, from an index on, belong to the runs that one step reads; and one more, because the first run may
-- have lost jobs since.
local function heads_of_step(heads, from, step)
  local count, total_weight = 1, 0
  while count < #heads and total_weight <= MAX_WEIGHT do
    total_weight, count = total_weight + weight(heads[from + count * step]), count + 1
  end
  return math.min(count, #heads)
end
local function runs(list, heads, from, first, count)
  local records = count > 0 and call('LRANGE', list, first, first + count - 1) or {}
  reply[#reply + 1] = pack('>I2', #records)
  for i, run in ipairs(records) do
    local number, _, count = decode('>I6I7I2', heads[from + i])
    local position, cancelled = 1, 0
    for _ = 1, count do
      local flags, size = decode('>BI3', run, position)
      cancelled, position = cancelled + (flags >= 64 and 1 or 0), position + 4 + size
    end
    reply[#reply + 1] = pack('>I6I6I6', number, count, cancelled)
  end
end
-- @include audit_count_lanes
local first_expiry = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local knows_first = not first_expiry or first_expiry + 0 >= next_expiry
return pack('>I6I6I6I6I6I6I6B', job_count, leased_count, cancelled_count, last_number, longest_record, leased,
  in_sets, knows_first and 1 or 0) .. table.concat(reply)

-- @section audit_count_lanes
-- Counts the jobs of all lists and sorted sets, lane by lane. A lane has the waiting jobs of one tenant; a queue without
-- tenants has one lane.
-- @include audit_no_tenants
-- @include audit_count_waiting

-- @section audit_no_tenants
-- Ends the script with an empty reply if the queue has tenants, which the scripts for queues without tenants ignore.
if call('EXISTS', KEYS[1] .. ':tenants') == 1 then
  return ''
end

-- @section audit_count_waiting
-- Counts the jobs in the lists and sorted sets of one lane.
for ready_key = 8, 12, 2 do
  in_sets = in_sets + call('ZCARD', KEYS[ready_key + 1])
  local ready, list = KEYS[ready_key], KEYS[(ready_key + 20) / 2]
  local length = call('LLEN', ready)
  local front_heads, rear_heads = call('LRANGE', ready, 0, MAX_HEADS - 1), call('LRANGE', ready, -MAX_HEADS, -1)
  local count, rear_count = heads_of_step(front_heads, 1, 1), heads_of_step(rear_heads, #rear_heads, -1)
  local all = count + rear_count >= length
  rear_count = math.min(rear_count, length - count)
  reply[#reply + 1] = all and '\1' or '\0'
  runs(list, front_heads, 0, 0, count)
  runs(list, rear_heads, #rear_heads - rear_count, length - rear_count, rear_count)
end

-- @section audit_adjust
-- Adds differences to the counters of the header. A difference stays correct while other clients change the counters.
--
-- ARGV     1 to 3: what to add to job_count, leased_count and cancelled_count; 4: the minimum of last_number; 5: the
--          minimum of longest_record
-- Reply    empty
-- Cost     O(1)
-- @include calls
-- @include audit_no_tenants
-- @include read_header
job_count, leased_count, cancelled_count = job_count + ARGV[1], leased_count + ARGV[2], cancelled_count + ARGV[3]
job_count, leased_count, cancelled_count = math.max(0, job_count), math.max(0, leased_count),
  math.max(0, cancelled_count)
last_number, longest_record = math.max(last_number, ARGV[4] + 0), math.max(longest_record, ARGV[5] + 0)
local first_expiry = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
next_expiry = math.min(next_expiry, first_expiry and first_expiry + 0 or NEVER)
-- @include write_header
return ''

-- @section audit_lanes
-- Functions that differ for queues with tenants; a queue without tenants has one lane. If the queue has tenants after
-- all, the step does nothing, and replies with a finding of kind 10 and one sighting of no job.
if call('EXISTS', KEYS[1] .. ':tenants') == 1 then
  return '\0\0' .. pack('>I4BI2I3', 3, 10, 0, 0) .. string.rep('\0', 24)
end
local function enter_lanes() end
local function tenant_in_key() end
local function packed_place(state, score, first_due)
  return pack('>BI7I7', state, score, first_due)
end
local function tenant_in_record() end
local function tenant_in_place()
  return ''
end

-- @section audit_common
-- Variables and functions that the steps of an audit share. ARGV 1 of a step is '1' to repair.
--
-- Reply of a step: the length of the cursor (2 bytes); the cursor, empty at the end; the length of all findings (4);
--   the findings; the length of the longest record seen in a sorted set (3); sightings
-- Finding: its kind (1): 0 the check was not possible, 1 header, 2 key, 3 place, 4 claim, 5 job in two places,
--   6 unreadable, 7 out of order, 8 head and records of a run differ, 9 a tenant has no turn, 10 tenants exist; the
--   length of its subject (2); its subject, such as a record
-- Sighting, of jobs with consecutive numbers: the index in KEYS of their key, 0 for a list or claim (1); priority (1),
--   first due time (7), score (7), first number (6), how many (2)
local HEADER, KEY, PLACE, CLAIM, DUPLICATE, UNREADABLE, ORDER, RUN, TURN = 1, 2, 3, 4, 5, 6, 7, 8, 9
local MAX_PAGE = 100
local repair, findings, sightings, longest_seen = ARGV[1] == '1', {}, {}, 0
-- @include audit_lanes

local function add_finding(kind, subject)
  subject = sub(subject, 1, 300)
  findings[#findings + 1] = pack('>BI2', kind, #subject) .. subject
end

local function add_sighting(key, priority, first_due, score, number, count)
  sightings[#sightings + 1] = pack('>BBI7I7I6I2', key, priority, first_due, score, number, count)
end

-- The reply of a step.
local function step_reply(cursor)
  local all = table.concat(findings)
  return pack('>I2', #cursor) .. cursor .. pack('>I4', #all) .. all .. pack('>I3', longest_seen)
    .. table.concat(sightings)
end

-- Whether a record has the parts that its flags name.
local OPTIONAL = {{2, 2}, {4, 1}, {8, 2}}
local function is_complete(runs, flags, position, record_end)
  if flags >= 64 then
    return flags < 128
  end
  if flags % 16 > 0 then
    position = position + (flags % 2 == 1 and 11 or 0)
    for _, part in ipairs(OPTIONAL) do
      if math.floor(flags / part[1]) % 2 == 1 then
        if position + part[2] > record_end then
          return false
        end
        position = position + part[2] + decode('>I' .. part[2], runs, position)
      end
    end
  end
  return position <= record_end and flags < 48
end

-- Passes records to a function, from a position on: max_count of them, or all. Returns the position after them and
-- their number; nil when they can't be read. The function receives the index of a record from 0, its flags, its
-- position and that of the next one.
local function each_record(records, position, max_count, visit)
  local count, size = 0, #records
  while max_count and count < max_count or not max_count and position <= size do
    if size < position + 3 then
      return
    end
    local flags, length = decode('>BI3', records, position)
    local next_record = position + 4 + length
    if next_record > size + 1 or not is_complete(records, flags, position + 4, next_record) then
      return
    end
    if visit then
      visit(count, flags, position, next_record)
    end
    count, position = count + 1, next_record
  end
  return position, count
end

-- How many jobs runs have, nil when they can't be read. A function, if given, receives for each job its number, its due
-- time, its flags, and the positions of its record and of the next one.
local function count_jobs(runs, visit)
  local position, total = 1, 0
  while position and position <= #runs do
    local first, due, count = 0, 0, 0
    if #runs >= position + 14 then
      first, due, count = decode('>I6I7I2', runs, position)
    end
    if count == 0 then
      return
    end
    position = each_record(runs, position + 15, count, visit and function(k, ...)
      visit(first + k, due, ...)
    end)
    total = total + count
  end
  return position and total
end

local function priority_of(record)
  return math.floor(byte(record, 16) / 16) % 4
end

local function first_due_of(record)
  return (decode('>I7', record, byte(record, 16) % 2 == 1 and 20 or 7))
end

local function set_aside(raw)
  call('RPUSH', KEYS[17], raw)
end

-- @section audit_weight
-- The cost of reading a run, by its head, as the number of bytes that take as long to read.
local MAX_WEIGHT, MAX_HEADS = 262144, 300
local function weight(head)
  if #head ~= 18 then
    return 1000
  end
  local count, length = decode('>I2I3', head, 14)
  return 700 + 300 * count + length
end

-- @section audit_parse_leases
-- How many jobs a claim had, how many of them are still leased, and how many fields its runs have; nil when
-- packed_leases can't be read.
local MAX_FIELDS = 40
local function parse_leases(packed_leases)
  if packed_leases and #packed_leases >= 12 then
    local count, leased_left, field_count = decode('>I2I2B', packed_leases)
    if count > 0 and (#packed_leases == 12 or #packed_leases == 5 + 7 * count) and field_count > 0 and field_count <=
      MAX_FIELDS then
      return count, leased_left, field_count
    end
  end
end

-- @section audit_leased
-- Finds leased jobs by number, as long as at most MAX_LEASED_READ jobs are leased.
-- @include claim_fields
-- @include claims
-- @include audit_parse_leases
local MAX_LEASED_READ = 20000

-- The claims in which the job of a number is leased: for each {token, index in the claim, record}.
local copies_by_number
local function leased_copies(number)
  if not copies_by_number then
    copies_by_number = {}
    for _, token in ipairs(call('HKEYS', KEYS[3])) do
      local packed_leases = call('HGET', KEYS[3], token)
      local _, _, field_count = parse_leases(packed_leases)
      local expiries, i = field_count and read_leases(packed_leases) or {}, 0
      local records = field_count and read_runs(token, field_count) or ''
      count_jobs(records, function(job_number, due, _, position, record_end)
        i = i + 1
        if (expiries[i] or 0) > 0 then
          copies_by_number[job_number] = copies_by_number[job_number] or {}
          table.insert(copies_by_number[job_number], {token, i, due, records, position, record_end})
        end
      end)
    end
  end
  local copies = {}
  for i, copy in ipairs(copies_by_number[number] or {}) do
    copies[i] = {copy[1], copy[2], pack('>I6I7I2', number, copy[3], 1) .. sub(copy[4], copy[5], copy[6] - 1)}
  end
  return copies
end

-- @section audit_key_of
-- The key of a record, nil when it has none.
local function key_of(record)
  local flags = byte(record, 16)
  local position = (flags % 2 == 1 and 31 or 20)
  if flags % 4 > 1 then
    position = position + 2 + decode('>I2', record, position)
  end
  return math.floor(flags / 4) % 2 == 1 and sub(record, position + 1, position + byte(record, position)) or nil
end
