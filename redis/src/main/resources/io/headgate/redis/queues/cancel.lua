-- Cancels or reschedules a waiting job.
--
-- Two scripts: cancel and reschedule. Each section describes its KEYS, ARGV, reply and cost.
--
-- State      common.lua describes ids, runs, records, places and the header, tenants.lua lanes
-- Always     a job that was removed from a list stays there as a record without content, with the flag 64, until a
--            claim or a purge reads it
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, now, job_count, cancelled_count,
-- earliest_due, requeue, release_key; from find.lua: find_in_set, find_in_list.
--   remove_waiting     function: removes a waiting job from its list or sorted set
--   remove_from_set    function: removes a job from a sorted set
--   remove_from_list   function: removes a job from a list

-- @section cancel
-- Removes a waiting job from a queue.
--
-- KEYS     1 to 16 as in claim.lua
-- ARGV     1: the id of the job
-- Reply    '1' when the job was waiting, else '0'
-- Cost     O(log^2 n) in a sorted set, O(n) steps over the nodes of a list
-- @include calls
-- @include read_header
-- @include begin_when_full
-- @include remove_waiting
-- @include requeue
local priority, first_due, number = decode('>BI7I6', ARGV[1], 2)
local record = priority < 3 and remove_waiting(KEYS[8 + 2 * priority], KEYS[9 + 2 * priority], KEYS[14 + priority],
  KEYS[6], number, first_due)
if not record then
  return '0'
end
release_key(record)
job_count = job_count - 1
-- @include forget_lane
-- @include write_header
return '1'

-- @section reschedule
-- Changes the due time of a waiting job.
--
-- KEYS     1 to 16 as in claim.lua
-- ARGV     1: the id of the job; 2: the kind of due time (1 byte: 0 now, 1 after a delay, 2 at a time) and the delay
--          or due time in us (7); last, in tests, the current time
-- Reply    '1' when the job was waiting, else '0'
-- Cost     as cancel
-- @include calls
-- @include clock
-- @include read_header
-- @include remove_waiting
-- @include requeue
local priority, first_due, number = decode('>BI7I6', ARGV[1], 2)
local record = priority < 3 and remove_waiting(KEYS[8 + 2 * priority], KEYS[9 + 2 * priority], KEYS[14 + priority],
  KEYS[6], number, first_due)
if not record then
  return '0'
end
local mode, micros = decode('>BI7', ARGV[2])
-- With no further attempt, delivery or crash.
local earliest_due = requeue(record, mode == 2 and math.max(micros, now) or now + micros, 0, 0, 0)
-- @include wake_consumers
-- @include write_header
return '1'

-- @section remove_waiting
-- Removes a waiting job from its list or sorted set, and returns it as a run of one job; nil when it is not waiting.
-- @include remove_from_set
-- @include remove_from_list
local function remove_waiting(ready, waiting, ready_records, places, number, first_due)
  local number_bytes, due = pack('>I6', number), first_due
  local place = call('HGET', places, number_bytes)
  if place then
    local state, moved_due, own_first_due = decode('>BI7I7', place)
    if state > 0 or own_first_due ~= first_due then
      return
    end
    due = moved_due
  end
  local record = remove_from_set(waiting, number, due)
  if record then
    if place then
      call('HDEL', places, number_bytes)
    end
    return record
  end
  -- A job in a list has its first due time: a job with another due time is in the set.
  return remove_from_list(ready, ready_records, number, first_due)
end

-- @section remove_from_set
-- Removes the job with this number and score from a sorted set, and returns it; nil when it is absent.
-- @include find_in_set
local function remove_from_set(set, number, score)
  local record, rank = find_in_set(set, number, score)
  if record then
    call('ZREMRANGEBYRANK', set, rank, rank)
  end
  return record
end

-- @section remove_from_list
-- Removes a job from its run in a list, and returns it as a run of one job; nil when it is absent.
-- @include find_in_list
local function remove_from_list(ready, ready_records, number, due)
  local records, index, from, next_record = find_in_list(ready, ready_records, number, due)
  if records then
    local tombstone = string.char(byte(records, from) + 64) .. '\0\0\0'
    local new_records = sub(records, 1, from - 1) .. tombstone .. sub(records, next_record)
    local head = sub(call('LINDEX', ready, index), 1, 15)
    call('LSET', ready_records, index, new_records)
    call('LSET', ready, index, head .. pack('>I3', #new_records))
    cancelled_count = cancelled_count + 1
    return pack('>I6I7I2', number, due, 1) .. sub(records, from, next_record - 1)
  end
end
