-- Finds a job by its id or key.

-- @section find
-- Looks for a job by its id, wherever it is.
--
-- KEYS     as of claim.lua; last done
-- ARGV     1: the id, as of cancel.lua; 2: where to go on among claims: 7 bytes when the first lease of one ends, 12 its
--          token; nothing at the beginning
-- returns  1 byte where it is: 0 nowhere, 1 not found so far and 19 bytes where to go on, 2 ready, 3 delayed, 4 in hand, 5
--          dead, 6 done; then 7 when its lease ends or since when it is dead or done, and a run of one
-- costs    as cancel.lua where it waits; else O(jobs) of each claim, of which at most 100 are looked at
-- @include calls
-- @include clock
-- @include header_read
-- @include parts_of
-- @include leases_in
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include find_in_hand
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
if level > 2 then
  return '\0'
end
return find_waiting(level, first_due, number) or find_in_hand(level, first_due, number)

-- @section find_in_set
-- Finds the record of a number in a sorted set in which it has that score, and at which rank; nothing when it is not there.
-- @include rank_after
local function find_in_set(set, number, at)
  local rank = rank_after(set, at, number - 1)
  local found = call('ZRANGE', set, rank, rank, 'WITHSCORES')
  if #found > 0 and found[2] + 0 == at and read('>I6', found[1]) == number then
    return found[1], rank
  end
end

-- @section find_in_list
-- Finds a job in a list, which is in the order of numbers: the records of its run and at which index that is, and where in
-- them its own begins and the next one does; nothing when it is not there, or was cancelled. To come to a run deep in a long
-- list takes long, so it is first looked for where it would be if the numbers were spread evenly, and then by halves.
local function find_in_list(ready, ready_records, number, due)
  local low, high, tries = 0, call('LLEN', ready) - 1, 0
  local least = high > 2 and read('>I6', call('LINDEX', ready, 0)) or number
  local most = high > 2 and read('>I6', call('LINDEX', ready, -1)) or number
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if tries < 6 and least < number and number < most then
      middle = low + math.floor((high - low) * (number - least) / (most - least))
    end
    local first, at, count = read('>I6I7I2', call('LINDEX', ready, middle))
    tries = tries + 1
    if number < first then
      high, most = middle - 1, first
    elseif number >= first + count then
      low, least = middle + 1, first + count - 1
    elseif at ~= due then
      return
    else
      local records, from = call('LINDEX', ready_records, middle), 1
      for _ = first, number - 1 do
        from = from + 4 + read('>I3', records, from + 1)
      end
      if byte(records, from) < 64 then
        return records, middle, from, from + 4 + read('>I3', records, from + 1)
      end
      return
    end
  end
end

-- @section find_waiting
-- Finds a job that waits, is dead or is done, and answers as find.lua does; nothing when it is none of these.
local function find_waiting(level, first_due, number)
  local moved, at = call('HGET', KEYS[6], pack('>I6', number)), first_due
  if moved then
    local state, since, of = read('>BI7I7', moved)
    local ended = (state == 1 or state == 2) and of == first_due and find_in_set(KEYS[state == 1 and 7 or #KEYS], number, since)
    if ended then
      return pack('>BI7', 4 + state, since) .. ended
    elseif state > 0 or of ~= first_due then
      return
    end
    at = since
  end
  local record = find_in_set(KEYS[9 + 2 * level], number, at)
  if not record then
    local records, _, from, next = find_in_list(KEYS[8 + 2 * level], KEYS[14 + level], number, first_due)
    record, at = records and pack('>I6I7I2', number, first_due, 1) .. sub(records, from, next - 1), first_due
  end
  return record and pack('>BI7', at <= now and 2 or 3, 0) .. record
end

-- @section find_in_hand
-- Finds a job that is in hand, and answers as find.lua does: goes through claims by when the first lease of each ends.
local MAX_FOUND_CLAIMS, MAX_FOUND_BYTES = 100, 4194304
local function job_of(records, number)
  local at, i = 1, 0
  while at <= #records do
    local first, due, count = read('>I6I7I2', records, at)
    at = at + 15
    for k = first, first + count - 1 do
      local size = 4 + read('>I3', records, at + 1)
      i = i + 1
      if k == number then
        return i, pack('>I6I7I2', number, due, 1) .. sub(records, at, at + size - 1)
      end
      at = at + size
    end
  end
end
local function find_in_hand(level, first_due, number)
  local rank, bytes, place = 0, 0, nil
  if #ARGV[2] > 0 then
    local score = call('ZSCORE', KEYS[2], sub(ARGV[2], 8))
    local at = read('>I7', ARGV[2])
    rank = score and score + 0 == at and call('ZRANK', KEYS[2], sub(ARGV[2], 8)) + 1
      or call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', at))
  end
  local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_FOUND_CLAIMS - 1, 'WITHSCORES')
  for c = 1, #claims, 2 do
    if bytes > MAX_FOUND_BYTES then
      return '\1' .. place
    end
    local held = call('HGET', KEYS[3], claims[c])
    local i, record, expiries, _, parts = nil, nil, {}, 0, 0
    if held then
      expiries, _, parts = leases_in(held)
      local records = records_of(claims[c], parts)
      i, record = job_of(records, number)
      bytes = bytes + #records
    end
    if i then
      local expiry = expiries[i]
      local due = byte(record, 16) % 2 == 1 and read('>I7', record, 20) or read('>I7', record, 7)
      if expiry > 0 and due == first_due and math.floor(byte(record, 16) / 16) % 4 == level then
        return pack('>BI7', 4, expiry) .. record
      end
    end
    place = pack('>I7', claims[c + 1]) .. claims[c]
  end
  return #claims == 2 * MAX_FOUND_CLAIMS and '\1' .. place or '\0'
end
