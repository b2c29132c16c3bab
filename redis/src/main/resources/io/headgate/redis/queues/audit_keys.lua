-- Audits the index of keys and of places, and jobs that are in two places.

-- @section audit_keys
-- Looks at the entries that say which job has a key.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: where to go on, 0 at the beginning
-- returns  as audit_parts in audit.lua says
-- costs    as cancel.lua for each, O(jobs in hand) once
-- @include calls
-- @include clock
-- @include header_read
-- @include audit_parts
-- @include audit_in_hand
-- @include audit_key_of
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
local function is_done(key, done)
  local record = byte(done) <= 2 and find_in_set(KEYS[#KEYS], read('>I6', done, 2), (read('>I7', done, 15)))
  return record and key_of(record) == key
end
local function is_active(key, active)
  local level, number, first_due = read('>BI6I7', active)
  if level > 2 then
    return false
  end
  local waits = find_waiting(level, first_due, number)
  if waits then
    return byte(waits) < 4 and key_of(sub(waits, 9)) == key
  end
  if leased > MAX_LOOKED_UP then
    found(0, key)
    return true
  end
  local claim = in_hand(number)[1]
  return claim and key_of(claim[3]) == key
end
-- What is right of what is noted.
local function right(key, noted)
  local active = (#noted == 14 or #noted == 35) and sub(noted, 1, 14) or ''
  local done = (#noted == 21 or #noted == 35) and sub(noted, #active + 1) or ''
  return (#active > 0 and is_active(key, active) and active or '') .. (#done > 0 and is_done(key, done) and done or '')
end
local page = call('HSCAN', KEYS[5], ARGV[2], 'COUNT', MAX_ONES)
for i = 1, #page[2], 2 do
  local is_right = right(page[2][i], page[2][i + 1])
  if is_right ~= page[2][i + 1] then
    found(KEY, page[2][i])
    if mend and #is_right > 0 then
      call('HSET', KEYS[5], page[2][i], is_right)
    elseif mend then
      call('HDEL', KEYS[5], page[2][i])
    end
  end
end
return told(page[1] == '0' and '' or page[1])

-- @section audit_places
-- Looks at the entries that say where jobs are.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: where to go on, 0 at the beginning
-- returns  as audit_parts in audit.lua says
-- costs    O(log^2 n) for each
-- @include calls
-- @include header_read
-- @include audit_parts
-- @include find_in_set
local function is_right(name, place)
  if #name ~= 6 or #place ~= 15 then
    return false
  end
  local state, at, first_due = read('>BI7I7', place)
  for _, key in ipairs(state == 1 and {7} or state == 2 and {#KEYS} or {9, 11, 13}) do
    local record = state < 3 and find_in_set(KEYS[key], (read('>I6', name)), at)
    if state > 2 or record and first_due_of(record) == first_due then
      return true
    end
  end
end
local page = call('HSCAN', KEYS[6], ARGV[2], 'COUNT', MAX_ONES)
for i = 1, #page[2], 2 do
  if not is_right(page[2][i], page[2][i + 1]) then
    found(PLACE, page[2][i])
    if mend then
      call('HDEL', KEYS[6], page[2][i])
    end
  end
end
return told(page[1] == '0' and '' or page[1])

-- @section audit_twice
-- Looks whether jobs are in two places, where each of them was seen and where its id says. One is kept: what is in hand, else
-- what waits. Where it is another job that has come to the same number, that one waits under a new number.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; then sightings, of one job each
-- returns  as audit_parts in audit.lua says
-- costs    as cancel.lua for each, O(jobs in hand) once
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include audit_parts
-- @include audit_in_hand
-- @include audit_anew
-- @include find_in_list
-- @include take_from_set
-- @include take_from_list
local function look(sighting)
  local key, level, first_due, score, number = read('>BBI7I7I6', sighting)
  local places, known = {}, {}
  local function in_set(set, at)
    local where = set .. ' ' .. string.format('%.0f', at)
    local record = not known[where] and find_in_set(KEYS[set], number, at)
    if record and level_of(record) == level then
      known[where] = true
      places[#places + 1] = {key = set, at = at, record = record}
    end
  end
  for _, claim in ipairs(in_hand(number)) do
    places[#places + 1] = {token = claim[1], index = claim[2], record = claim[3]}
  end
  local run, _, from, next = find_in_list(KEYS[8 + 2 * level], KEYS[14 + level], number, first_due)
  if run then
    places[#places + 1] = {list = true, record = pack('>I6I7I2', number, first_due, 1) .. sub(run, from, next - 1)}
  end
  local place = call('HGET', KEYS[6], pack('>I6', number))
  local state, since = 3, 0
  if place and #place == 15 then
    state, since = read('>BI7', place)
  end
  if state == 0 then
    in_set(9 + 2 * level, since)
  end
  in_set(9 + 2 * level, first_due)
  if key > 0 then
    in_set(key, score)
  end
  if state == 1 or state == 2 then
    in_set(state == 1 and 7 or #KEYS, since)
  end
  return places, number, level, first_due
end
-- What whoever enqueued a job has written.
local function content(record)
  local flags, at = byte(record, 16), 20
  at = at + (flags % 2 == 1 and 11 or 0)
  at = at + (flags % 4 > 1 and 2 + read('>I2', record, at) or 0)
  return string.char(flags - flags % 4) .. sub(record, at)
end
local function remove(place, number, level, first_due)
  if place.token then
    local expiries, left, parts = leases_in(call('HGET', KEYS[3], place.token))
    expiries[place.index] = 0
    claim_changed(place.token, expiries, left - 1, parts)
  elseif place.list then
    take_from_list(KEYS[8 + 2 * level], KEYS[14 + level], number, first_due)
  else
    take_from_set(KEYS[place.key], number, place.at)
  end
end
for i = 2, last do
  if leased > MAX_LOOKED_UP then
    found(0, ARGV[i])
  else
    local places, number, level, first_due = look(ARGV[i])
    if #places > 1 then
      found(TWICE, sub(ARGV[i], 17, 22))
      for k = 2, mend and #places or 1 do
        remove(places[k], number, level, first_due)
        if content(places[k].record) ~= content(places[1].record) then
          number_anew(sub(places[k].record, 16), (read('>I7', places[k].record, 7)))
        end
      end
      if mend then
        local kept, name = places[1], pack('>I6', number)
        call('HDEL', KEYS[6], name)
        local state = kept.key == 7 and 1 or kept.key == #KEYS and 2 or 0
        if kept.key and (state > 0 or kept.at ~= first_due) then
          note_place(kept.record, state, kept.at, first_due)
        end
        by_number = nil
      end
    end
  end
end
if #findings > 0 and mend then
  -- @include header_write
end
return told('')
