-- Audits the stored job keys and places, and jobs that were seen in two places.
--
-- Three scripts: audit_keys, audit_places and audit_duplicates. Each section describes its ARGV and cost.
--
-- KEYS       as in audit.lua
-- Reply      as audit_common in audit.lua describes
-- State      common.lua describes the entry of a job key (key_entry) and of a place (store_place)
-- Always     if a job is in two places, a repair keeps the leased one, otherwise the waiting one
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, now, last_argument, leased_count,
-- read_leases, update_claim, store_place; from audit.lua: KEY, PLACE, DUPLICATE, MAX_PAGE, MAX_LEASED_READ, repair,
-- findings, add_finding, step_reply, priority_of, first_due_of, leased_copies, copies_by_number, key_of, enter_lanes,
-- tenant_in_key, tenant_in_place, tenant_in_record; from find.lua: find_in_set, find_in_list, find_waiting; from
-- cancel.lua: remove_from_set, remove_from_list; from audit_jobs.lua: renumber.

-- @section audit_keys
-- Checks the entries of job keys: whether the job that each entry names exists and has that key.
--
-- ARGV     1: '1' to repair; 2: the cursor, 0 at the start; last, in tests, the time
-- Cost     as cancel.lua for each entry, and O(leased jobs) once
-- @include calls
-- @include clock
-- @include read_header
-- @include audit_common
-- @include audit_leased
-- @include audit_key_of
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
local function is_done(key, done)
  local record = byte(done) <= 2 and find_in_set(KEYS[#KEYS], decode('>I6', done, 2), (decode('>I7', done, 15)))
  return record and key_of(record) == key
end
local function is_active(key, active)
  local priority, number, first_due = decode('>BI6I7', active)
  if priority > 2 then
    return false
  end
  enter_lanes(tenant_in_key(key))
  local found = find_waiting(priority, first_due, number)
  if found then
    -- This is a reply of find.lua: state 2 or 3 for a waiting job, 7 bytes, and the record.
    return byte(found) < 4 and key_of(sub(found, 9)) == key
  end
  if leased_count > MAX_LEASED_READ then
    add_finding(0, key)
    return true
  end
  local copy = leased_copies(number)[1]
  return copy and key_of(copy[3]) == key
end
-- The parts of an entry that are right: of the active job, and of the done job.
local function right_entry(key, entry)
  local active = (#entry == 14 or #entry == 35) and sub(entry, 1, 14) or ''
  local done = (#entry == 21 or #entry == 35) and sub(entry, #active + 1) or ''
  return (#active > 0 and is_active(key, active) and active or '') .. (#done > 0 and is_done(key, done) and done
    or '')
end
local page = call('HSCAN', KEYS[5], ARGV[2], 'COUNT', MAX_PAGE)
for i = 1, #page[2], 2 do
  local right = right_entry(page[2][i], page[2][i + 1])
  if right ~= page[2][i + 1] then
    add_finding(KEY, page[2][i])
    if repair and #right > 0 then
      call('HSET', KEYS[5], page[2][i], right)
    elseif repair then
      call('HDEL', KEYS[5], page[2][i])
    end
  end
end
return step_reply(page[1] == '0' and '' or page[1])

-- @section audit_places
-- Checks the entries of places: whether the job is in the sorted set that the entry names.
--
-- ARGV     1: '1' to repair; 2: the cursor, 0 at the start
-- Cost     O(log^2 n) for each entry
-- @include calls
-- @include read_header
-- @include audit_common
-- @include find_in_set
local function is_right(number_bytes, place)
  if #number_bytes ~= 6 or #place < 15 or #place ~= 15 + #tenant_in_place(place) then
    return false
  end
  enter_lanes(tenant_in_place(place))
  local state, score, first_due = decode('>BI7I7', place)
  for _, key in ipairs(state == 1 and {7} or state == 2 and {#KEYS} or {9, 11, 13}) do
    local record = state < 3 and find_in_set(KEYS[key], (decode('>I6', number_bytes)), score)
    if state > 2 or record and first_due_of(record) == first_due then
      return true
    end
  end
end
local page = call('HSCAN', KEYS[6], ARGV[2], 'COUNT', MAX_PAGE)
for i = 1, #page[2], 2 do
  if not is_right(page[2][i], page[2][i + 1]) then
    add_finding(PLACE, page[2][i])
    if repair then
      call('HDEL', KEYS[6], page[2][i])
    end
  end
end
return step_reply(page[1] == '0' and '' or page[1])

-- @section audit_duplicates
-- Checks whether jobs are in two places: where each was seen, and where its id points to. A repair keeps the leased job,
-- otherwise the waiting one. If the other one is a different job with the same number, it waits under a new number.
--
-- ARGV     1: '1' to repair; then sightings of one job each, followed by the tenant in whose lane it was seen; last, in
--          tests, the time
-- Cost     as cancel.lua for each job, and O(leased jobs) once
-- @include calls
-- @include clock
-- @include read_header
-- @include requeue
-- @include audit_common
-- @include audit_leased
-- @include audit_renumber
-- @include find_in_list
-- @include remove_from_set
-- @include remove_from_list
local function find_places(sighting)
  local key, priority, first_due, score, number = decode('>BBI7I7I6', sighting)
  local places, checked = {}, {}
  local function in_set(set, score)
    local where = set .. ' ' .. string.format('%.0f', score)
    local record = not checked[where] and find_in_set(KEYS[set], number, score)
    if record and priority_of(record) == priority then
      checked[where] = true
      places[#places + 1] = {key = set, at = score, record = record}
    end
  end
  local copies = leased_copies(number)
  local seen = key > 0 and find_in_set(KEYS[key], number, score)
  enter_lanes(#sighting > 24 and sub(sighting, 25) or tenant_in_record(copies[1] and copies[1][3] or seen))
  for _, claim in ipairs(copies) do
    places[#places + 1] = {token = claim[1], index = claim[2], record = claim[3]}
  end
  local records, _, from, next_record = find_in_list(KEYS[8 + 2 * priority], KEYS[14 + priority], number, first_due)
  if records then
    places[#places + 1] = {list = true, record = pack('>I6I7I2', number, first_due, 1)
      .. sub(records, from, next_record - 1)}
  end
  local place = call('HGET', KEYS[6], pack('>I6', number))
  local state, since = 3, 0
  if place and #place >= 15 then
    state, since = decode('>BI7', place)
  end
  if state == 0 then
    in_set(9 + 2 * priority, since)
  end
  in_set(9 + 2 * priority, first_due)
  if key > 0 then
    in_set(key, score)
  end
  if state == 1 or state == 2 then
    in_set(state == 1 and 7 or #KEYS, since)
  end
  return places, number, priority, first_due
end
-- The part of a record that the enqueueing client has written; it identifies the job.
local function content(record)
  local flags, position = byte(record, 16), 20
  position = position + (flags % 2 == 1 and 11 or 0)
  position = position + (flags % 4 > 1 and 2 + decode('>I2', record, position) or 0)
  return string.char(flags - flags % 4) .. sub(record, position)
end
local function remove(place, number, priority, first_due)
  if place.token then
    local expiries, leased_left, field_count = read_leases(call('HGET', KEYS[3], place.token))
    expiries[place.index] = 0
    update_claim(place.token, expiries, leased_left - 1, field_count)
  elseif place.list then
    remove_from_list(KEYS[8 + 2 * priority], KEYS[14 + priority], number, first_due)
  else
    remove_from_set(KEYS[place.key], number, place.at)
  end
end
for i = 2, last_argument do
  if leased_count > MAX_LEASED_READ then
    add_finding(0, ARGV[i])
  else
    local places, number, priority, first_due = find_places(ARGV[i])
    if #places > 1 then
      add_finding(DUPLICATE, sub(ARGV[i], 17, 22))
      for k = 2, repair and #places or 1 do
        remove(places[k], number, priority, first_due)
        if content(places[k].record) ~= content(places[1].record) then
          renumber(sub(places[k].record, 16), (decode('>I7', places[k].record, 7)))
        end
      end
      if repair then
        local kept_place, number_bytes = places[1], pack('>I6', number)
        call('HDEL', KEYS[6], number_bytes)
        local state = kept_place.key == 7 and 1 or kept_place.key == #KEYS and 2 or 0
        if kept_place.key and (state > 0 or kept_place.at ~= first_due) then
          store_place(kept_place.record, state, kept_place.at, first_due)
        end
        -- Claims may have changed, so leased_copies reads them again.
        copies_by_number = nil
      end
    end
  end
end
if #findings > 0 and repair then
  -- @include write_header
end
return step_reply('')
