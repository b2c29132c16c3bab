-- Cancels or reschedules a job that waits.

-- @section cancel
-- Takes a job that waits out of a queue.
--
-- KEYS     as of claim.lua
-- ARGV     1: the id: 1 byte shard, 1 priority, 7 when it was due first, 6 its number
-- returns  '1' when it waited, else '0'
-- costs    O(log^2 n) in the sorted set, O(n) steps of the list's chunks in the list
-- @include calls
-- @include header_read
-- @include may_write
-- @include take_out
-- @include put_back
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
local record = level < 3 and take_out(KEYS[8 + 2 * level], KEYS[9 + 2 * level], KEYS[14 + level], KEYS[6], number, first_due)
if not record then
  return '0'
end
free_key(record)
jobs = jobs - 1
-- @include header_write
return '1'

-- @section reschedule
-- Gives a job that waits another due time.
--
-- KEYS     as of claim.lua
-- ARGV     1: the id: 1 byte shard, 1 priority, 7 when it was due first, 6 its number; 2: 1 byte when it is to be due (0 now,
--          1 after, 2 at), 7 so many microseconds
-- returns  '1' when it waited, else '0'
-- costs    as cancel.lua
-- @include calls
-- @include clock
-- @include header_read
-- @include take_out
-- @include put_back
local level, first_due, number = read('>BI7I6', ARGV[1], 2)
local record = level < 3 and take_out(KEYS[8 + 2 * level], KEYS[9 + 2 * level], KEYS[14 + level], KEYS[6], number, first_due)
if not record then
  return '0'
end
local kind, micros = read('>BI7', ARGV[2])
local soonest = wait_again(record, kind == 2 and math.max(micros, now) or now + micros, 0, 0, 0)
-- @include signal
-- @include header_write
return '1'

-- @section take_out
-- Takes a job that waits out of its place, wherever that is, and returns it as a run of one; nothing when it does not wait.
-- @include take_from_set
-- @include take_from_list
local function take_out(ready, waiting, ready_records, places, number, first_due)
  local name, due = pack('>I6', number), first_due
  local moved = call('HGET', places, name)
  if moved then
    local state, at, of = read('>BI7I7', moved)
    if state > 0 or of ~= first_due then
      return
    end
    due = at
  end
  local record = take_from_set(waiting, number, due)
  if record then
    if moved then
      call('HDEL', places, name)
    end
    return record
  end
  return take_from_list(ready, ready_records, number, first_due)
end

-- @section take_from_set
-- Takes the record of a number out of a sorted set in which it has that score; nothing when it is not there.
-- @include find_in_set
local function take_from_set(set, number, at)
  local record, rank = find_in_set(set, number, at)
  if record then
    call('ZREMRANGEBYRANK', set, rank, rank)
  end
  return record
end

-- @section take_from_list
-- Takes a job out of the run in which it lies in a list, and returns it as a run of one; nothing when it is not there. What
-- is left of the job is a record without content, flagged 64, until a claim comes by.
-- @include find_in_list
local function take_from_list(ready, ready_records, number, due)
  local records, index, from, next = find_in_list(ready, ready_records, number, due)
  if records then
    local gone = string.char(byte(records, from) + 64) .. '\0\0\0'
    local rest = sub(records, 1, from - 1) .. gone .. sub(records, next)
    local head = sub(call('LINDEX', ready, index), 1, 15)
    call('LSET', ready_records, index, rest)
    call('LSET', ready, index, head .. pack('>I3', #rest))
    cancelled = cancelled + 1
    return pack('>I6I7I2', number, due, 1) .. sub(records, from, next - 1)
  end
end
