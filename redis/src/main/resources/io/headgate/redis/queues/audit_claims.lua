-- Audits claims. A claim is stored in three keys (leases, packed leases, runs), which must agree.
--
-- KEYS       as in audit.lua
-- ARGV       1: '1' to repair; 2: the index of the key to scan: 2 leases, 3 packed leases, 4 runs; 3: the cursor,
--            empty at the start: the length of the scan cursor (1 byte), the scan cursor, and fields that were not
--            checked yet, each preceded by its length (2); last, in tests, the time
-- Reply      as audit_common in audit.lua describes
-- State      common.lua describes claims
-- Always     jobs of a claim that can't be repaired wait again, unless their leases are known to have ended, or they are
--            waiting, dead or done already
-- Cost       O(jobs) for each claim; when one is dissolved, for each job also a search as in cancel.lua
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, NEVER, next_expiry, claim_fields,
-- read_leases, read_runs, delete_claim, update_claim, requeue; from audit.lua: CLAIM, UNREADABLE, repair, findings,
-- add_finding, add_sighting, step_reply, count_jobs, priority_of, first_due_of, set_aside, MAX_WEIGHT, MAX_FIELDS,
-- parse_leases, enter_lanes, tenant_in_record; from find.lua: find_waiting.
--   scanned_key       the index of the key to scan
--   weight_read       how much this step has read, as weight (audit_weight in audit.lua)
--   check             function: checks a claim
--   first_field       function: the first field with runs of a claim
--   dissolve_claim    function: deletes a claim that can't be repaired, and makes its leased jobs wait again

-- @section audit_claims
-- Scans one of the three keys, and checks the claims that it finds there.
-- @include calls
-- @include clock
-- @include read_header
-- @include requeue
-- @include audit_common
-- @include audit_weight
local scanned_key, weight_read = ARGV[2] + 0, 0
-- @include audit_claim
-- Checks the claim of a field. Each claim is checked once: when the scan reads the packed leases; without these, when
-- it reads the runs, at the first field; without both, when it reads the leases.
local function check_field(field)
  -- In the runs, field i of a claim is its token and, from i = 2 on, the byte i.
  local token, field_index = field, #field == 13 and scanned_key == 4 and byte(field, 13) or 1
  if field_index > 1 and field_index <= MAX_FIELDS then
    token = sub(field, 1, 12)
  end
  local packed_leases = call('HGET', KEYS[3], token)
  local _, _, field_count = parse_leases(packed_leases)
  -- The claim may have been deleted since its field was stored in the cursor.
  local is_first = scanned_key == 3 and packed_leases
    or not packed_leases and scanned_key == 2 and call('ZSCORE', KEYS[2], token) and not first_field(token)
    or not packed_leases and scanned_key == 4 and first_field(token) == field
  if is_first then
    check(token)
  elseif scanned_key == 4 and field_count and field_index > field_count and call('HEXISTS', KEYS[4], field) == 1 then
    -- The claim has packed leases, but fewer fields: this one is left over.
    add_finding(CLAIM, token)
    if repair then
      set_aside(call('HGET', KEYS[4], field))
      call('HDEL', KEYS[4], field)
    end
  end
end
-- A page may contain a whole small hash. Fields that are too much for this step are stored in the cursor.
local fields, cursor, position = {}, '', 1
if #ARGV[3] > 0 then
  cursor = sub(ARGV[3], 2, 1 + byte(ARGV[3]))
  position = 2 + #cursor
end
while position < #ARGV[3] do
  local size = decode('>I2', ARGV[3], position)
  fields[#fields + 1] = sub(ARGV[3], position + 2, position + 1 + size)
  position = position + 2 + size
end
if #fields == 0 then
  local page = call(scanned_key == 2 and 'ZSCAN' or 'HSCAN', KEYS[scanned_key], #cursor > 0 and cursor or '0',
    'COUNT', scanned_key == 4 and 3 or 10)
  cursor = page[1]
  for i = 1, #page[2], 2 do
    fields[#fields + 1] = page[2][i]
  end
end
local checked, unchecked = 0, {}
while checked < #fields and weight_read < MAX_WEIGHT do
  checked = checked + 1
  check_field(fields[checked])
end
for i = checked + 1, #fields do
  unchecked[#unchecked + 1] = pack('>I2', #fields[i]) .. fields[i]
end
if #findings > 0 and repair then
  -- @include write_header
end
return step_reply((#unchecked > 0 or cursor ~= '0') and string.char(#cursor) .. cursor .. table.concat(unchecked)
  or '')

-- @section audit_claim
-- Checks a claim that has a value in at least one of the three keys.
-- @include claim_fields
-- @include claims
-- @include audit_parse_leases
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include audit_dissolve_claim
local function check(token)
  local packed_leases = call('HGET', KEYS[3], token)
  local count, _, field_count = parse_leases(packed_leases)
  local records, missing = '', false
  if count then
    for _, part in ipairs(call('HMGET', KEYS[4], unpack(claim_fields(token, field_count)))) do
      missing = missing or not part
    end
    records = read_runs(token, field_count)
  end
  local job_total = count_jobs(records)
  weight_read = weight_read + #records + 300 * (job_total or 0) + 700
  if not count or missing or count ~= job_total then
    -- It is not certain which jobs are leased: all wait again, except those that dissolve_claim excludes.
    add_finding(count and not missing and not job_total and UNREADABLE or CLAIM, token)
    if repair then
      dissolve_claim(token)
    end
    return
  end
  local expiries, leased_left = read_leases(packed_leases)
  local score = call('ZSCORE', KEYS[2], token)
  local still_leased, first_expiry, i = 0, NEVER, 0
  for k = 1, count do
    if expiries[k] > 0 then
      still_leased, first_expiry = still_leased + 1, math.min(first_expiry, expiries[k])
    end
  end
  if leased_left ~= still_leased or not score or score + 0 ~= first_expiry then
    add_finding(CLAIM, token)
    if repair then
      next_expiry = math.min(next_expiry, update_claim(token, expiries, still_leased, field_count))
    end
  end
  -- i becomes the index of each job in the claim.
  count_jobs(scanned_key == 3 and records or '', function(number, due, flags, position)
    i = i + 1
    if expiries[i] > 0 then
      local first_due = flags % 2 == 1 and decode('>I7', records, position + 4) or due
      add_sighting(0, math.floor(flags / 16) % 4, first_due, 0, number, 1)
    end
  end)
end

-- @section audit_dissolve_claim
-- Deletes a claim whose keys do not agree: its jobs wait again, and data that can't be read is set aside.

-- The first field with runs of a claim; nil when there is none.
local function first_field(token)
  local fields = claim_fields(token, MAX_FIELDS)
  for i, found in ipairs(call('HMGET', KEYS[4], unpack(fields))) do
    if found then
      return fields[i]
    end
  end
end

-- Deletes the claim. A job whose lease has ended, or that is waiting, dead or done already, does not wait again. If the
-- packed leases can be read, it is known which leases have ended for the jobs before the first missing or unreadable
-- field, and for those after the last one. If no field is missing, but the number of jobs differs, nothing is known.
local function dissolve_claim(token)
  local packed_leases, found_fields = call('HGET', KEYS[3], token),
    call('HMGET', KEYS[4], unpack(claim_fields(token, MAX_FIELDS)))
  local count, _, field_count = parse_leases(packed_leases)
  -- found_jobs: for each job its run and the number of lost fields before it.
  local lost_fields, found_jobs, i = 0, {}, 1
  while i <= MAX_FIELDS do
    local runs = found_fields[i]
    if runs and not count_jobs(runs) and found_fields[i + 1] and count_jobs(runs .. found_fields[i + 1]) then
      -- This field is the header of a run, and the next field has its records.
      i, runs = i + 1, runs .. found_fields[i + 1]
    end
    if runs and count_jobs(runs) then
      count_jobs(runs, function(number, due, _, position, next)
        found_jobs[#found_jobs + 1] = {pack('>I6I7I2', number, due, 1) .. sub(runs, position, next - 1), lost_fields}
      end)
    elseif runs or i <= (field_count or 0) then
      lost_fields = lost_fields + 1
      if runs then
        set_aside(runs)
      end
    end
    i = i + 1
  end
  local expiries = count and (lost_fields > 0 or count == #found_jobs) and read_leases(packed_leases) or {}
  for k, found_job in ipairs(found_jobs) do
    local record, lost_before = found_job[1], found_job[2]
    local ended = lost_before == 0 and expiries[k] == 0 or lost_before > 0 and lost_before == lost_fields
      and expiries[(count or 0) - #found_jobs + k] == 0
    enter_lanes(tenant_in_record(record))
    -- The flag 64 is that of a cancelled job, which a claim should not have.
    if not ended and byte(record, 16) < 64 and not find_waiting(priority_of(record), first_due_of(record),
      (decode('>I6', record))) then
      -- With no further attempt, delivery or crash.
      requeue(record, (decode('>I7', record, 7)), 0, 0, 0)
    end
  end
  delete_claim(token, MAX_FIELDS)
end
