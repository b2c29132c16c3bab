-- What the checks of an audit share. A finding is 1 byte what is wrong (0: it can't be told, 1 header, 2 key, 3 place, 4 claim,
-- 5 in two places, 6 can't be read, 7 out of order), 2 the length of what it is about, and that. A sighting is a job or jobs
-- with numbers one after the other: 1 byte in which key, 0 for a list or a claim; 1 priority, 7 due first, 7 score, 6 number, 2
-- how many.
local HEADER, KEY, PLACE, CLAIM, TWICE, UNREADABLE, ORDER = 1, 2, 3, 4, 5, 6, 7
local MAX_ONES = 100
local mend, findings, sightings = ARGV[1] == '1', {}, {}

local function found(kind, what)
  what = sub(what, 1, 300)
  findings[#findings + 1] = pack('>BI2', kind, #what) .. what
end

local function sighted(key, level, first_due, score, number, count)
  sightings[#sightings + 1] = pack('>BBI7I7I6I2', key, level, first_due, score, number, count)
end

-- The answer of a step: where to go on, what was found, what was seen.
local function told(cursor)
  local all = table.concat(findings)
  return pack('>I2', #cursor) .. cursor .. pack('>I4', #all) .. all .. table.concat(sightings)
end

-- Whether a record of these flags has the parts that they name.
local function whole(runs, flags, at, next)
  if flags >= 64 then
    return flags < 128
  end
  at = at + (flags % 2 == 1 and 11 or 0)
  for _, part in ipairs({{2, 2}, {4, 1}, {8, 2}}) do
    if math.floor(flags / part[1]) % 2 == 1 then
      if at + part[2] > next then
        return false
      end
      at = at + part[2] + read('>I' .. part[2], runs, at)
    end
  end
  return at <= next and math.floor(flags / 16) % 4 < 3
end

-- How many jobs are in runs, each of which is shown to a function; nothing when they can't be read.
local function readable(runs, visit)
  local at, n = 1, 0
  while at <= #runs do
    local first, due, count = 0, 0, 0
    if #runs >= at + 14 then
      first, due, count = read('>I6I7I2', runs, at)
    end
    if count == 0 then
      return
    end
    at = at + 15
    for k = first, first + count - 1 do
      if #runs < at + 3 then
        return
      end
      local flags, size = read('>BI3', runs, at)
      local next = at + 4 + size
      if next > #runs + 1 or not whole(runs, flags, at + 4, next) then
        return
      end
      n = n + 1
      if visit then
        visit(k, due, flags, at, next)
      end
      at = next
    end
  end
  return n
end

local function level_of(record)
  return math.floor(byte(record, 16) / 16) % 4
end

local function first_due_of(record)
  return (read('>I7', record, byte(record, 16) % 2 == 1 and 20 or 7))
end

local function set_aside(raw)
  call('RPUSH', KEYS[14], raw)
end
