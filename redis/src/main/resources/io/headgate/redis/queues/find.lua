-- Finds a job by its id, in any state.
--
-- KEYS       1 to 16 as in claim.lua; last the done jobs
-- ARGV       1: the id of the job; 2: the cursor among claims, empty at the start: when the first lease of a claim
--            expires (7 bytes), its token (12); last, in tests, the time
-- Reply      the state (1 byte): 0 absent; 1 not found yet, followed by the cursor (19); 2 ready, 3 delayed, 4 leased, 5
--            dead, 6 done, followed by the time when its lease expires or when it became dead or done, else 0 (7), and
--            by a run of one job
-- State      common.lua describes ids, runs, records, claims and places
-- Always     nothing is written
-- Cost       as cancel.lua for a waiting, dead or done job; for any other id also O(jobs) for each claim, at most 100
--            claims
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, now, read_leases, read_runs; from
-- jobs.lua: rank_after.
--   find_in_set, find_in_list   functions: find a job in a sorted set, or in a list
--   find_waiting                function: finds a job that is waiting, dead or done
--   find_leased                 function: finds a leased job

-- @section find
-- Searches the fastest places first.
-- @include calls
-- @include clock
-- @include read_header
-- @include claim_fields
-- @include claims
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include find_leased
local priority, first_due, number = decode('>BI7I6', ARGV[1], 2)
if priority > 2 then
  return '\0'
end
return find_waiting(priority, first_due, number) or find_leased(priority, first_due, number)

-- @section find_in_set
-- Finds the job with this number and score in a sorted set. Returns its record and its rank; nil when it is absent.
-- @include rank_after
local function find_in_set(set, number, score)
  local rank = rank_after(set, score, number - 1)
  local found = call('ZRANGE', set, rank, rank, 'WITHSCORES')
  if #found > 0 and found[2] + 0 == score and decode('>I6', found[1]) == number then
    return found[1], rank
  end
end

-- @section find_in_list
-- Finds a job in a list, which is in the order of numbers. Returns the records of its run, the index of the run, and the
-- positions of the job's record and of the next one; nil when the job is absent or cancelled. Reading an element deep in
-- a long list is slow, so the search minimizes reads: first it interpolates, as if the numbers were spread evenly; then
-- it bisects.
local function find_in_list(ready, ready_records, number, due)
  local low, high, tries = 0, call('LLEN', ready) - 1, 0
  local least = high > 2 and decode('>I6', call('LINDEX', ready, 0)) or number
  local most = high > 2 and decode('>I6', call('LINDEX', ready, -1)) or number
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if tries < 6 and least < number and number < most then
      middle = low + math.floor((high - low) * (number - least) / (most - least))
    end
    local first, run_due, count = decode('>I6I7I2', call('LINDEX', ready, middle))
    tries = tries + 1
    if number < first then
      high, most = middle - 1, first
    elseif number >= first + count then
      low, least = middle + 1, first + count - 1
    elseif run_due ~= due then
      return
    else
      local records, from = call('LINDEX', ready_records, middle), 1
      for _ = first, number - 1 do
        from = from + 4 + decode('>I3', records, from + 1)
      end
      if byte(records, from) < 64 then
        return records, middle, from, from + 4 + decode('>I3', records, from + 1)
      end
      return
    end
  end
end

-- @section find_waiting
-- Finds a job that is waiting, dead or done, and returns the reply of find; nil when the job is in none of these states.
local function find_waiting(priority, first_due, number)
  local place, due = call('HGET', KEYS[6], pack('>I6', number)), first_due
  if place then
    local state, score, own_first_due = decode('>BI7I7', place)
    local record = (state == 1 or state == 2) and own_first_due == first_due
      and find_in_set(KEYS[state == 1 and 7 or #KEYS], number, score)
    if record then
      return pack('>BI7', 4 + state, score) .. record
    elseif state > 0 or own_first_due ~= first_due then
      return
    end
    due = score
  end
  local record = find_in_set(KEYS[9 + 2 * priority], number, due)
  if not record then
    local records, _, from, next_record = find_in_list(KEYS[8 + 2 * priority], KEYS[14 + priority], number, first_due)
    record, due = records and pack('>I6I7I2', number, first_due, 1) .. sub(records, from, next_record - 1), first_due
  end
  return record and pack('>BI7', due <= now and 2 or 3, 0) .. record
end

-- @section find_leased
-- Finds a leased job, and returns the reply of find. Searches the claims in the order in which their first lease
-- expires. After MAX_FOUND_CLAIMS claims or MAX_FOUND_BYTES bytes, it returns the cursor.
local MAX_FOUND_CLAIMS, MAX_FOUND_BYTES = 100, 4194304
local function find_in_runs(records, number)
  local position, i = 1, 0
  while position <= #records do
    local first, due, count = decode('>I6I7I2', records, position)
    position = position + 15
    for k = first, first + count - 1 do
      local size = 4 + decode('>I3', records, position + 1)
      i = i + 1
      if k == number then
        return i, pack('>I6I7I2', number, due, 1) .. sub(records, position, position + size - 1)
      end
      position = position + size
    end
  end
end
local function find_leased(priority, first_due, number)
  local rank, bytes, cursor = 0, 0, nil
  if #ARGV[2] > 0 then
    local score = call('ZSCORE', KEYS[2], sub(ARGV[2], 8))
    local expiry = decode('>I7', ARGV[2])
    rank = score and score + 0 == expiry and call('ZRANK', KEYS[2], sub(ARGV[2], 8)) + 1
      or call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', expiry))
  end
  local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_FOUND_CLAIMS - 1, 'WITHSCORES')
  for c = 1, #claims, 2 do
    if bytes > MAX_FOUND_BYTES then
      return '\1' .. cursor
    end
    local packed_leases = call('HGET', KEYS[3], claims[c])
    local i, record, expiries, _, field_count = nil, nil, {}, 0, 0
    if packed_leases then
      expiries, _, field_count = read_leases(packed_leases)
      local records = read_runs(claims[c], field_count)
      i, record = find_in_runs(records, number)
      bytes = bytes + #records
    end
    if i then
      local expiry = expiries[i]
      local due = byte(record, 16) % 2 == 1 and decode('>I7', record, 20) or decode('>I7', record, 7)
      if expiry > 0 and due == first_due and math.floor(byte(record, 16) / 16) % 4 == priority then
        return pack('>BI7', 4, expiry) .. record
      end
    end
    cursor = pack('>I7', claims[c + 1]) .. claims[c]
  end
  return #claims == 2 * MAX_FOUND_CLAIMS and '\1' .. cursor or '\0'
end
