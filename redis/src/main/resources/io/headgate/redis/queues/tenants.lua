-- Sections that only the scripts of queues with tenants contain: the lanes of tenants, and the turns of tenants, by which
-- claims are fair. Most sections extend or replace a section of another script, which their comment names.
--
-- KEYS       those of the operation. The keys of lanes and turns are derived from the header key H, which is KEYS[1],
--            and are in the same slot:
--            H:t:TENANT:ready:P, :ready-records:P, :waiting:P   the lane: the waiting jobs of a tenant with priority P,
--                        in the same form as jobs without a tenant
--            H:turns:P   sorted set: the tenants that have waiting jobs of priority P. The score of a tenant is its turn,
--                        a negative number; claims visit the lowest turn first. Until the tenant has a turn, its score
--                        is the due time of its first job, or the time of the call that made this job wait, if later.
--                        The empty name is for jobs without a tenant
--            H:tenants   sorted set, by name: the tenants that have waiting jobs of any priority
-- State      common.lua describes runs, their heads, records, and places (KEYS[6]: where each job is). The tenant of a job
--            is the value of the first header of its record, whose name is empty. The place of a waiting job ends with
--            its tenant. A job key is stored after the tenant and the byte 254; without a tenant, by itself
-- Always     a tenant with a waiting job has a score in the turns of its priority: a turn, a time not after the due time
--            of that job, or a time in the past. H:tenants may also contain tenants that have no waiting job any more
-- Cost       of a claim O(claimed jobs + visited tenants); of another operation O(log tenants) for each tenant and
--            priority
--
-- Variables that cross sections. From common.lua: call, decode, sub, byte, NEVER, now, last_argument, MAX_BYTES,
-- MAX_RUNS_READ, requeue, pack; from claim.lua: claimed_count, claimed_bytes, runs_read, max_jobs, more_at, ready_key,
-- more_in_list, due_count, ready, waiting; from enqueue.lua: record, priority, due, flush, entry; from counts.lua:
-- first_due; from common.lua and audit.lua: header, cancelled_count, TURN, repair, add_finding, step_reply, weight,
-- MAX_WEIGHT, heads_of_step.
--   KEYS              a copy of KEYS, in which the keys of a lane replace those of waiting jobs
--   FIRST_TURN        the score below that of the first turn
--   MAX_VISITS        bounds how many tenants one claim visits for a priority: this number, plus the jobs it may claim;
--                     also bounds how many tenants get a turn because their first job has become due
--   first_pair, first_records   the indexes in KEYS of the first pair of lists and sorted sets of waiting jobs, and of
--                     the first key with records of ready jobs
--   entered           by priority: the tenant whose keys are in KEYS
--   enter_lane        function: puts the keys of a lane into KEYS
--   tenant_of         function: the tenant of a job, empty when it has none
--   add_turn          function: makes claims visit a tenant from a due time on
--   left_out, left_out_count   the tenants that a claim excludes, as a set, and how many
--   Of claim_lanes, for claim_lane:
--   room_for          how many jobs the call claims at most
--   share             how many jobs are claimed at most when a tenant is visited
--   turns             the key of the turns
--   turn              the last turn
--   visits            how many tenants were visited
--   Of enqueue:
--   turn_dues         by priority and tenant: the earliest due time of the jobs that this call enqueues
--   lane_tenant       the tenant of the previous job; nil at first
--   replaced          tenant and priority of each waiting job that this call replaces
--   Of renumber (audit_jobs.lua):
--   lane_before       the tenant whose keys were in KEYS before a job got a new number; nil if no lane was entered

-- @section lanes
-- Follows the section `calls`. Functions for the keys of the current lane, and for the tenant of a record.
local KEYS = {unpack(KEYS)}
-- @include lane_places
local entered = {}

-- Puts the keys of a lane into KEYS: those of the waiting jobs of one tenant and priority.
local function enter_lane(tenant, priority)
  if entered[priority] ~= tenant then
    local lane = tenant == '' and KEYS[1] or KEYS[1] .. ':t:' .. tenant
    KEYS[first_pair + 2 * priority] = lane .. ':ready:' .. priority
    KEYS[first_pair + 1 + 2 * priority] = lane .. ':waiting:' .. priority
    KEYS[first_records + priority] = lane .. ':ready-records:' .. priority
    entered[priority] = tenant
  end
end

-- Returns the tenant of a job, empty when it has none. flags_at is the position of the flags in the record.
local function tenant_of(record, flags_at)
  local flags, position = byte(record, flags_at), flags_at + 4
  if math.floor(flags / 8) % 2 == 0 then
    return ''
  end
  if flags % 2 == 1 then
    position = position + 11
  end
  if flags % 4 > 1 then
    position = position + 2 + decode('>I2', record, position)
  end
  if math.floor(flags / 4) % 2 == 1 then
    position = position + 1 + byte(record, position)
  end
  local name_length, length = decode('>I2I2', record, position + 2)
  return name_length == 0 and sub(record, position + 6, position + 5 + length) or ''
end

-- @section lane_places
-- The indexes of the keys of waiting jobs in most scripts.
local first_pair, first_records = 8, 14

-- @section lane_places_of_enqueue
-- The indexes of the keys of waiting jobs in enqueue, and variables of enqueue.
local first_pair, first_records = 2, 10
local lane_tenant, turn_dues, replaced = nil, {}, {}

-- @section add_turn
-- Makes claims visit a tenant from a due time on, or earlier. A tenant that has a turn keeps its turn.
-- For jobs without a tenant, which have the empty name, each claim does this itself.
local function add_turn(tenant, priority, due)
  if tenant ~= '' then
    call('ZADD', KEYS[1] .. ':turns:' .. priority, 'LT', string.format('%.0f', math.max(due, now)), tenant)
    call('ZADD', KEYS[1] .. ':tenants', 0, tenant)
  end
end

-- @section requeue_in_lane
-- Follows the section requeue: makes a job wait in its lane.
-- @include add_turn
local requeue_here = requeue
local function requeue(record, due, ...)
  local tenant, priority = tenant_of(record, 16), math.floor(byte(record, 16) / 16) % 4
  enter_lane(tenant, priority)
  add_turn(tenant, priority, due)
  return requeue_here(record, due, ...)
end

-- @section store_place_in_lane
-- Replaces store_place of common.lua: also stores the tenant of a waiting job.
local function store_place(record, state, score, first_due)
  call('HSET', KEYS[6], sub(record, 1, 6), pack('>BI7I7', state, score, first_due)
    .. (state == 0 and tenant_of(record, 16) or ''))
end

-- @section add_turn_now
-- In enqueue_now: makes claims visit the tenant from now on. The keys are those of one lane; KEYS[2] is H:t:TENANT:ready:P.
-- @include add_turn
local tenant = sub(KEYS[2], #KEYS[1] + 4, -9)
add_turn(tenant, sub(KEYS[2], -1), now)

-- @section enter_lane_of_job
-- In enqueue: enters the lane of the job. Before another lane is entered, the jobs collected for the last one are
-- written.
local tenant = tenant_of(record, 1)
if lane_tenant ~= tenant then
  flush()
  lane_tenant = tenant
end
for level = 0, 2 do
  enter_lane(tenant, level)
end

-- @section collect_turn
-- In enqueue: collects the earliest due time of each tenant.
if tenant ~= '' then
  local level = math.floor(byte(record) / 16) % 4
  turn_dues[level] = turn_dues[level] or {}
  turn_dues[level][tenant] = math.min(turn_dues[level][tenant] or due, due)
end

-- @section collect_replaced
-- In enqueue: collects the lane in which a job was replaced: its tenant, which is that of the new job, as a job key belongs
-- to a tenant, and its priority, with which the entry of the job key begins.
replaced[#replaced + 1] = {tenant, byte(entry)}

-- @section add_turns
-- In enqueue: makes claims visit the tenants, and removes a tenant from the turns of a priority if its only waiting job
-- there was replaced.
-- @include add_turn
for level, dues in pairs(turn_dues) do
  for tenant, due in pairs(dues) do
    add_turn(tenant, level, due)
  end
end
for _, lane in ipairs(replaced) do
  local tenant, level = lane[1], lane[2]
  enter_lane(tenant, level)
  if call('EXISTS', KEYS[first_pair + 2 * level], KEYS[first_pair + 1 + 2 * level]) == 0 then
    call('ZREM', KEYS[1] .. ':turns:' .. level, tenant)
    -- @include forget_tenant
  end
end

-- @section claim_run_in_lanes
-- Follows the section claim_run: reads the excluded tenants from the first argument of claim. They start at byte 11;
-- each name is preceded by its length (1 byte).
local MAX_VISITS, FIRST_TURN = 500, -4503599627370496
local left_out, left_out_count, name_at = {}, 0, 11
while name_at <= #ARGV[1] do
  local length = byte(ARGV[1], name_at)
  left_out[sub(ARGV[1], name_at + 1, name_at + length)] = true
  left_out_count, name_at = left_out_count + 1, name_at + 1 + length
end

-- @section claim_lanes
-- Replaces claim_priority: claims jobs of one priority from the tenants in the order of their turns, a share from each,
-- and repeats that while the claim has room.
local priority, room_for, visits = (ready_key - 8) / 2, max_jobs, 0
local turns, now_text = KEYS[1] .. ':turns:' .. priority, string.format('%.0f', now)
enter_lane('', priority)
local first_waiting = call('ZRANGE', KEYS[ready_key + 1], 0, 0)[1]
local first_due = first_waiting and decode('>I7', first_waiting, 7) or NEVER
if first_due <= now or call('LLEN', KEYS[ready_key]) > 0 then
  call('ZADD', turns, 'LT', now_text, '')
else
  more_at = math.min(more_at, first_due)
end
local last_turn = call('ZRANGE', turns, '(0', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')[2]
local turn = last_turn and last_turn + 0 or FIRST_TURN
-- A tenant whose first job has become due gets a turn after all others.
local became_due = call('ZRANGEBYSCORE', turns, 0, now_text, 'LIMIT', 0, MAX_VISITS)
for _, tenant in ipairs(became_due) do
  turn = turn + 1
  call('ZADD', turns, string.format('%.0f', turn), tenant)
end
-- Checked before the first visit too: jobs of higher priorities may have filled the claim, and a tenant that is visited
-- without room would lose its turn.
local has_room = claimed_count < room_for and claimed_bytes < MAX_BYTES and runs_read < MAX_RUNS_READ
local lanes = {}
repeat
  lanes = {}
  local room = room_for - claimed_count
  local in_turn = has_room and call('ZRANGEBYSCORE', turns, '-inf', '(0', 'LIMIT', 0, room + left_out_count) or {}
  for _, tenant in ipairs(in_turn) do
    if not left_out[tenant] then
      lanes[#lanes + 1] = tenant
    end
  end
  local share = math.max(1, math.floor(room / math.max(1, #lanes)))
  for _, tenant in ipairs(lanes) do
    if has_room then
      -- @include claim_lane
      has_room = claimed_count < room_for and claimed_bytes < MAX_BYTES and runs_read < MAX_RUNS_READ
        and visits < MAX_VISITS + room_for
    end
  end
until #lanes == 0 or not has_room
max_jobs = room_for
if not has_room or #became_due == MAX_VISITS then
  more_at = now
else
  local next_tenant = call('ZRANGEBYSCORE', turns, '(' .. now_text, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  more_at = math.min(more_at, next_tenant[2] and next_tenant[2] + 0 or NEVER)
end

-- @section claim_lane
-- Claims the share of one tenant. Then the tenant gets a turn after all others if it has more due jobs; otherwise its
-- score becomes the due time of its next job, or it is removed.
local more_before = more_at
visits, max_jobs = visits + 1, math.min(room_for, claimed_count + share)
enter_lane(tenant, priority)
-- @include claim_level
-- claim_level has set more_at to now if it claimed the whole share, even if no more jobs are due.
more_at = more_before
if due_count > 0 or more_in_list and call('EXISTS', ready) == 1 then
  turn = turn + 1
  call('ZADD', turns, string.format('%.0f', turn), tenant)
else
  local next_waiting = call('ZRANGE', waiting, 0, 0)[1]
  if next_waiting then
    more_at = math.min(more_at, (decode('>I7', next_waiting, 7)))
  end
  if next_waiting and tenant ~= '' then
    call('ZADD', turns, string.format('%.0f', decode('>I7', next_waiting, 7)), tenant)
  else
    call('ZREM', turns, tenant)
    -- @include forget_tenant
  end
end

-- @section forget_tenant
-- Removes a tenant without waiting jobs from H:tenants.
if not call('ZSCORE', KEYS[1] .. ':turns:0', tenant) and not call('ZSCORE', KEYS[1] .. ':turns:1', tenant)
  and not call('ZSCORE', KEYS[1] .. ':turns:2', tenant) then
  call('ZREM', KEYS[1] .. ':tenants', tenant)
end

-- @section forget_lane
-- In purge and cancel: removes a tenant from the turns of the priorities in which it has no waiting jobs left. The keys are
-- those of one lane.
local tenant = sub(KEYS[8], #KEYS[1] + 4, -9)
for priority = 0, 2 do
  if call('EXISTS', KEYS[8 + 2 * priority], KEYS[9 + 2 * priority]) == 0 then
    call('ZREM', KEYS[1] .. ':turns:' .. priority, tenant)
  end
end
-- @include forget_tenant

-- @section check_lanes
-- Follows the section read_header: fails if the header is gone, but tenants exist.
if not header and call('EXISTS', KEYS[1] .. ':tenants') == 1 then
  return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' is gone, and what belongs to it is there')
end

-- @section audit_lanes_of_tenants
-- Replaces audit_lanes: functions for an audit that enter the lane of a job, and find its tenant.
local function enter_lanes(tenant)
  for priority = 0, 2 do
    enter_lane(tenant, priority)
  end
end
local function tenant_in_key(key)
  return string.match(key, '^([^\254]*)\254') or ''
end
local function tenant_in_record(record)
  return record and tenant_of(record, 16) or ''
end
local function tenant_in_place(place)
  return sub(place, 16)
end
local function packed_place(state, score, first_due, record)
  return pack('>BI7I7', state, score, first_due) .. (state == 0 and tenant_in_record(record) or '')
end

-- @section enter_lane_of_renumbered
-- In renumber: enters the lane of the job's tenant, which may not be the lane where the job was found.
local lane_before, tenant = entered[priority], tenant_of(record, 16)
enter_lane(tenant, priority)
add_turn(tenant, priority, due)

-- @section leave_lane_of_renumbered
-- In renumber: enters the previous lane again, if there was one.
if lane_before then
  enter_lane(lane_before, priority)
end

-- @section audit_count_in_lanes
-- Replaces audit_count_lanes: counts the jobs in all lanes. It reads at most about three times as much as for a queue
-- without tenants.
--
-- ARGV     1: how many names of tenants follow; these names, the first of which is empty; last, in tests, the time
-- Reply    as of audit_count; empty when a tenant is not named; one byte when counting would take too long
local weight_left, heads_of_lane = 12 * MAX_WEIGHT, heads_of_step
local function heads_of_step(heads, from, step)
  local count = heads_of_lane(heads, from, step)
  for i = 0, count - 1 do
    weight_left = weight_left - weight(heads[from + i * step])
  end
  return count
end
local names = {}
for i = 2, ARGV[1] + 1 do
  names[ARGV[i]] = true
end
for _, tenant in ipairs(call('ZRANGE', KEYS[1] .. ':tenants', 0, ARGV[1])) do
  if not names[tenant] then
    return ''
  end
end
for i = 2, ARGV[1] + 1 do
  for priority = 0, 2 do
    enter_lane(ARGV[i], priority)
  end
  if weight_left < 0 then
    return '\0'
  end
  -- @include audit_count_waiting
end

-- @section audit_turns
-- Checks whether claims will visit a tenant: for each priority in which it has waiting jobs, it must have a turn, or a
-- score that is not after the due time of the first job.
--
-- KEYS     as in audit.lua, with the keys of the lane of the tenant
-- ARGV     1: '1' to repair; 2: the tenant; last, in tests, the time
-- Reply    as audit_common in audit.lua describes
-- Cost     O(log n)
-- @include calls
-- @include clock
-- @include read_header
-- @include audit_common
-- @include add_turn
for priority = 0, 2 do
  local next_waiting = call('ZRANGE', KEYS[9 + 2 * priority], 0, 0)[1]
  local due = call('EXISTS', KEYS[8 + 2 * priority]) == 1 and now or next_waiting and math.max(now,
    (decode('>I7', next_waiting, 7)))
  local score = call('ZSCORE', KEYS[1] .. ':turns:' .. priority, ARGV[2])
  if due and (not score or score + 0 > due) then
    add_finding(TURN, ARGV[2])
    if repair then
      add_turn(ARGV[2], priority, due)
    end
  end
end
return step_reply('')

-- @section list_tenants
-- Lists the tenants that have waiting jobs, by name; some may have no waiting job any more.
--
-- KEYS     1 header
-- ARGV     1: the tenant to continue after, empty at the start; 2: how many at most
-- Reply    names, each preceded by its length (1 byte)
-- Cost     O(log tenants), and O(1) for each tenant
-- @include calls
local names = call('ZRANGE', KEYS[1] .. ':tenants', #ARGV[1] > 0 and '(' .. ARGV[1] or '-', '+', 'BYLEX', 'LIMIT', 0,
  ARGV[2])
for i, name in ipairs(names) do
  names[i] = string.char(#name) .. name
end
return table.concat(names)

-- @section lane_counts
-- Counts the delayed jobs of some tenants, and returns for how long their oldest ready job has been due. While there are
-- cancelled jobs in lists, it reads the first runs of the lists to find the oldest job that is not cancelled. After 200
-- reads, a cancelled job may count as the oldest.
--
-- KEYS     1 header
-- ARGV     tenants; last, in tests, the time
-- Reply    delayed jobs (6 bytes); for how long the oldest ready job has been due, us (7, signed), negative when no job
--          is ready
-- Cost     O(log n) for each tenant; while there are cancelled jobs in lists, also O(jobs of a few hundred runs)
-- @include calls
-- @include clock
-- @include read_header
local MAX_READ, read_count, call_now = 200, 0, call
local function call(command, ...)
  read_count = read_count + (command == 'LINDEX' and 1 or 0)
  return call_now(command, ...)
end
-- @include first_ready_due
local delayed, oldest = 0, NEVER
for i = 1, last_argument do
  if read_count > MAX_READ then
    cancelled_count = 0
  end
  for priority = 0, 2 do
    local lane = KEYS[1] .. ':t:' .. ARGV[i]
    local waiting = lane .. ':waiting:' .. priority
    delayed = delayed + call('ZCOUNT', waiting, '(' .. string.format('%.0f', now), '+inf')
    local next_waiting = call('ZRANGE', waiting, 0, 0)[1]
    oldest = math.min(oldest, first_due(lane .. ':ready:' .. priority, lane .. ':ready-records:' .. priority),
      next_waiting and decode('>I7', next_waiting, 7) or NEVER)
  end
end
return pack('>I6i7', delayed, now - oldest)
