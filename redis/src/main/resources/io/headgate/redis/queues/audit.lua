-- Begins and ends an audit, and counts jobs; with the parts that all its steps share.

-- @section audit_header
-- Looks whether a queue has a header that can be read. A new one begins paused, full, and with numbers that no job has, until
-- the jobs are counted; while there is none, nobody changes the queue.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend
-- returns  0 there is no queue, 1 it has a header, 2 it has none, 3 it has a new one
-- @include calls
-- @include clock
local head = call('GET', KEYS[1])
if head and #head == 41 and byte(head) == 1 then
  return '\1'
elseif not head and call('EXISTS', unpack(KEYS, 2, 16)) + call('EXISTS', KEYS[#KEYS]) == 0 then
  return '\0'
elseif ARGV[1] ~= '1' then
  return '\2'
end
if head then
  call('RPUSH', KEYS[17], head)
end
call('SET', KEYS[1], pack('>BBI6I6I6I7I7I3I4', 1, 1, math.floor(now / 1000), 2000000000, 1000000000, 0, 0, 1048576, 1000000))
return '\3'

-- @section audit_count
-- Counts what the header counts, of lists their ends: all of one that is not longer than both. What is read of an end are so
-- many runs that what audit_list in audit_jobs.lua has looked at in one step ends there.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- returns  6 bytes each: what the header says of all jobs, of those in hand and of cancelled ones, the number of the last job,
--          the length of the longest record in a sorted set; how many are in hand, how many wait in sorted sets; 1 byte whether
--          the header knows of the first lease; then of each list 1 byte whether this is all of it, and of both ends 2 bytes how
--          many runs, and of each the number of the first job, how many jobs, how many of them cancelled
-- costs    O(claims), O(jobs of the runs)
-- @include calls
-- @include header_read
-- @include audit_held
-- @include audit_weight
local in_hand, waiting = 0, 0
for _, held in ipairs(call('HVALS', KEYS[3])) do
  local _, left = held_of(held)
  in_hand = in_hand + (left or 0)
end
local answer = {}
-- How many of the first of these, or of the last, are as much as a step, and one more: of the first one a part may be gone.
local function fitting(heads, from, by)
  local n, sum = 1, 0
  while n < #heads and sum <= MAX_WEIGHT do
    sum, n = sum + weight(heads[from + n * by]), n + 1
  end
  return math.min(n, #heads)
end
local function runs(list, heads, from, first, n)
  local records = n > 0 and call('LRANGE', list, first, first + n - 1) or {}
  answer[#answer + 1] = pack('>I2', #records)
  for i, run in ipairs(records) do
    local number, _, count = read('>I6I7I2', heads[from + i])
    local at, gone = 1, 0
    for _ = 1, count do
      local flags, size = read('>BI3', run, at)
      gone, at = gone + (flags >= 64 and 1 or 0), at + 4 + size
    end
    answer[#answer + 1] = pack('>I6I6I6', number, count, gone)
  end
end
for key = 8, 12, 2 do
  waiting = waiting + call('ZCARD', KEYS[key + 1])
  local ready, list = KEYS[key], KEYS[(key + 20) / 2]
  local length = call('LLEN', ready)
  local front, rear = call('LRANGE', ready, 0, MAX_HEADS - 1), call('LRANGE', ready, -MAX_HEADS, -1)
  local n, m = fitting(front, 1, 1), fitting(rear, #rear, -1)
  local all = n + m >= length
  m = math.min(m, length - n)
  answer[#answer + 1] = all and '\1' or '\0'
  runs(list, front, 0, 0, n)
  runs(list, rear, #rear - m, length - m, m)
end
local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local knows = not soonest or soonest + 0 >= ends
return pack('>I6I6I6I6I6I6I6B', jobs, leased, cancelled, seq, longest, in_hand, waiting, knows and 1 or 0) .. table.concat(answer)

-- @section audit_adjust
-- Adds to what the header of a queue counts, and subtracts, so much as it is wrong by: that stays the same whatever others do
-- meanwhile.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     what to add to: 1 all jobs, 2 those in hand, 3 cancelled ones; 4 the number of the last job, and 5 the length of the
--          longest record in a sorted set, at least
-- returns  nothing
-- @include calls
-- @include header_read
jobs, leased, cancelled = jobs + ARGV[1], leased + ARGV[2], cancelled + ARGV[3]
jobs, leased, cancelled = math.max(0, jobs), math.max(0, leased), math.max(0, cancelled)
seq, longest = math.max(seq, ARGV[4] + 0), math.max(longest, ARGV[5] + 0)
local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
ends = math.min(ends, soonest and soonest + 0 or NEVER)
-- @include header_write
return ''

-- @section audit_parts
-- What the checks of an audit share. A finding is 1 byte what is wrong (0: it can't be told, 1 header, 2 key, 3 place, 4 claim,
-- 5 in two places, 6 can't be read, 7 out of order, 8 a head and records that don't fit), 2 the length of what it is about, and
-- that. A sighting is a job or jobs with numbers one after the other: 1 byte in which key, 0 for a list or a claim; 1 priority,
-- 7 due first, 7 score, 6 number, 2 how many.
local HEADER, KEY, PLACE, CLAIM, TWICE, UNREADABLE, ORDER, RUN = 1, 2, 3, 4, 5, 6, 7, 8
local MAX_ONES = 100
local mend, findings, sightings, longest_seen = ARGV[1] == '1', {}, {}, 0

local function found(kind, what)
  what = sub(what, 1, 300)
  findings[#findings + 1] = pack('>BI2', kind, #what) .. what
end

local function sighted(key, level, first_due, score, number, count)
  sightings[#sightings + 1] = pack('>BBI7I7I6I2', key, level, first_due, score, number, count)
end

-- The answer of a step: where to go on, what was found, the length of the longest record in a sorted set, what was seen.
local function told(cursor)
  local all = table.concat(findings)
  return pack('>I2', #cursor) .. cursor .. pack('>I4', #all) .. all .. pack('>I3', longest_seen) .. table.concat(sightings)
end

-- Whether a record of these flags has the parts that they name.
local OPTIONAL = {{2, 2}, {4, 1}, {8, 2}}
local function whole(runs, flags, at, next)
  if flags >= 64 then
    return flags < 128
  end
  if flags % 16 > 0 then
    at = at + (flags % 2 == 1 and 11 or 0)
    for _, part in ipairs(OPTIONAL) do
      if math.floor(flags / part[1]) % 2 == 1 then
        if at + part[2] > next then
          return false
        end
        at = at + part[2] + read('>I' .. part[2], runs, at)
      end
    end
  end
  return at <= next and flags < 48
end

-- Shows records to a function, from a place on, so many or all; where they end and how many they are, or nothing when they
-- can't be read.
local function each_record(records, at, most, visit)
  local n, size = 0, #records
  while most and n < most or not most and at <= size do
    if size < at + 3 then
      return
    end
    local flags, length = read('>BI3', records, at)
    local next = at + 4 + length
    if next > size + 1 or not whole(records, flags, at + 4, next) then
      return
    end
    if visit then
      visit(n, flags, at, next)
    end
    n, at = n + 1, next
  end
  return at, n
end

-- How many jobs are in runs, each of which is shown to a function; nothing when they can't be read.
local function readable(runs, visit)
  local at, n = 1, 0
  while at and at <= #runs do
    local first, due, count = 0, 0, 0
    if #runs >= at + 14 then
      first, due, count = read('>I6I7I2', runs, at)
    end
    if count == 0 then
      return
    end
    at = each_record(runs, at + 15, count, visit and function(k, ...)
      visit(first + k, due, ...)
    end)
    n = n + count
  end
  return at and n
end

local function level_of(record)
  return math.floor(byte(record, 16) / 16) % 4
end

local function first_due_of(record)
  return (read('>I7', record, byte(record, 16) % 2 == 1 and 20 or 7))
end

local function set_aside(raw)
  call('RPUSH', KEYS[17], raw)
end

-- @section audit_weight
-- How much of a step's time it takes to look at a run, by its head: about as long as so many bytes do.
local MAX_WEIGHT, MAX_HEADS = 262144, 300
local function weight(head)
  if #head ~= 18 then
    return 1000
  end
  local count, length = read('>I2I3', head, 14)
  return 700 + 300 * count + length
end

-- @section audit_held
-- How many jobs a claim had, how many are still in hand, and in how many parts its records are; nothing when what is held of
-- it can't be read.
local MAX_PARTS = 40
local function held_of(held)
  if held and #held >= 12 then
    local count, left, parts = read('>I2I2B', held)
    if count > 0 and (#held == 12 or #held == 5 + 7 * count) and parts > 0 and parts <= MAX_PARTS then
      return count, left, parts
    end
  end
end

-- @section audit_in_hand
-- Looks jobs up among those that are in hand, as long as they are not more than so many.
-- @include parts_of
-- @include leases_in
-- @include audit_held
local MAX_LOOKED_UP = 20000

-- In which claims a job is in hand: token, index, record.
local by_number
local function in_hand(number)
  if not by_number then
    by_number = {}
    for _, token in ipairs(call('HKEYS', KEYS[3])) do
      local held = call('HGET', KEYS[3], token)
      local _, _, parts = held_of(held)
      local expiries, i = parts and leases_in(held) or {}, 0
      local records = parts and records_of(token, parts) or ''
      readable(records, function(k, due, _, at, next)
        i = i + 1
        if (expiries[i] or 0) > 0 then
          by_number[k] = by_number[k] or {}
          table.insert(by_number[k], {token, i, due, records, at, next})
        end
      end)
    end
  end
  local claims = {}
  for i, c in ipairs(by_number[number] or {}) do
    claims[i] = {c[1], c[2], pack('>I6I7I2', number, c[3], 1) .. sub(c[4], c[5], c[6] - 1)}
  end
  return claims
end

-- @section audit_key_of
-- The key of a job, a run of one; nothing when it has none.
local function key_of(record)
  local flags = byte(record, 16)
  local at = (flags % 2 == 1 and 31 or 20)
  if flags % 4 > 1 then
    at = at + 2 + read('>I2', record, at)
  end
  return math.floor(flags / 4) % 2 == 1 and sub(record, at + 1, at + byte(record, at)) or nil
end
