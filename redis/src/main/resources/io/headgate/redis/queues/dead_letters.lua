-- Lists, redrives and discards dead letters.

-- @section dead_letters
-- Shows dead letters, the oldest first.
--
-- KEYS     1 header, 2 dead
-- ARGV     1: where to go on: 7 bytes since when the last one is dead that was shown, 6 its number; nothing at the beginning;
--          2: how many to show at most
-- returns  1 byte whether there are more, 13 where to go on; records, as many as may be told in one call
-- costs    O(log^2 n), and O(1) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include rank_after
local from = 0
if #ARGV[1] > 0 then
  from = rank_after(KEYS[2], read('>I7I6', ARGV[1]))
end
local want = math.min(ARGV[2] + 0, at_once())
local shown = call('ZRANGE', KEYS[2], from, from + want)
local more = #shown > want and '\1' or '\0'
if #shown > want then
  shown[#shown] = nil
end
local place = NO_PLACE
if #shown > 0 then
  place = sub(shown[#shown], 7, 13) .. sub(shown[#shown], 1, 6)
end
return more .. place .. table.concat(shown)

-- @section redrive
-- Has dead letters wait again, the oldest first or a single one. Their attempts and crashes begin anew; what they failed of
-- stays with them.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most; 2: so many microseconds from one's due time to the next one's; 3: the id of the only one, or
--          nothing; 4: 6 bytes how many jobs the queue may have
-- returns  how many; nothing when there are some, and the queue is full
-- stays    there are no more jobs than there may be
-- costs    O(log n) for each
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include take_from_set
-- @include put_back
-- @include take_dead
-- @include anew
local room = read('>I6', ARGV[4]) - jobs
if room <= 0 then
  return any_dead(ARGV[3]) and '' or '0'
end
local records = take_dead(ARGV[3], math.min(ARGV[1] + 0, at_once(), room))
local soonest = NEVER
for i, record in ipairs(records) do
  local due = now + (i - 1) * ARGV[2]
  soonest = math.min(soonest, due)
  wait_again(anew(record), due, 0, 0, 0)
  jobs = jobs + 1
end
-- @include signal
-- @include header_write
return tostring(#records)

-- @section discard
-- Removes dead letters, the oldest first or a single one.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most; 2: nothing; 3: the id of the only one, or nothing
-- returns  how many
-- costs    O(log n) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include take_from_set
-- @include take_dead
local records = take_dead(ARGV[3], math.min(ARGV[1] + 0, at_once()))
-- @include header_write
return tostring(#records)

-- @section take_dead
-- Since when the job of an id is a dead letter; nothing when it is none.
local function dead_since(id)
  local place = call('HGET', KEYS[6], sub(id, 10, 15))
  if place then
    local state, at, of = read('>BI7I7', place)
    return state == 1 and of == read('>I7', id, 3) and at
  end
end

-- Whether there is the dead letter of an id, or when that is empty, any.
local function any_dead(id)
  if #id > 0 then
    return dead_since(id)
  end
  return call('ZCARD', KEYS[7]) > 0
end

-- Takes dead letters out of where they are: the one of an id, or when that is empty the oldest ones.
local function take_dead(id, most)
  if #id > 0 then
    local name, at = sub(id, 10, 15), dead_since(id)
    local record = at and take_from_set(KEYS[7], read('>I6', name), at)
    if not record then
      return {}
    end
    call('HDEL', KEYS[6], name)
    return {record}
  end
  local records = call('ZRANGE', KEYS[7], 0, most - 1)
  if #records > 0 then
    call('ZREMRANGEBYRANK', KEYS[7], 0, #records - 1)
  end
  for _, record in ipairs(records) do
    call('HDEL', KEYS[6], sub(record, 1, 6))
  end
  return records
end

-- @section anew
-- A dead letter begins anew: no attempt has failed and no lease expired, and its key is its own again unless another job
-- has it that is not done; one that is done has it after that. What it failed of stays with it.
local function anew(record)
  local history, first_due = 20, (read('>I7', record, 20))
  local flags = byte(record, 16)
  if math.floor(flags / 4) % 2 == 1 then
    local at = 31 + (flags % 4 > 1 and 2 + read('>I2', record, 31) or 0)
    local key = sub(record, at + 1, at + byte(record, at))
    local level = math.floor(flags / 16) % 4
    local noted = call('HGET', KEYS[5], key) or ''
    if #noted == 0 or #noted == 21 then
      call('HSET', KEYS[5], key, string.char(level) .. sub(record, 1, 6) .. pack('>I7', first_due) .. noted)
    end
  end
  return sub(record, 1, history + 6) .. '\0' .. sub(record, history + 8, history + 9) .. '\0' .. sub(record, history + 11)
end
