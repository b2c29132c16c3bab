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
