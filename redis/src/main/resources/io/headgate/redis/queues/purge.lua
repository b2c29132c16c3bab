-- Removes the jobs of a queue: ready, delayed or done ones.
--
-- Three scripts: purge_ready, purge_delayed and purge_done. Each section describes its KEYS, ARGV, reply and cost.
--
-- State      common.lua describes runs, records and the header, tenants.lua lanes
-- Always     the job keys of removed jobs are released
--
-- Variables that cross sections. From common.lua: call, pack, decode, sub, byte, now, job_count, max_records,
-- release_key, which is part of the section requeue; from claim.lua: claimed, claimed_count, more_at, ready_key,
-- max_jobs; from settle.lua: remove_done.

-- @section purge_ready
-- Removes jobs that are due, in the order in which they would be claimed.
--
-- KEYS     1 to 16 as in claim.lua
-- ARGV     1: how many at most; last, in tests, the time
-- Reply    whether there may be more (1 byte), how many were removed (6)
-- Cost     O(1) for a run of a list, O(log n) for a job of a sorted set, O(1) for a job that has a key
-- @include calls
-- @include clock
-- @include read_header
-- @include begin_when_full
-- @include max_records
-- @include requeue
local max_jobs = ARGV[1] + 0
-- @include claim_run
for ready_key = 8, 12, 2 do
  -- @include claim_level
end
local runs, position = table.concat(claimed), 1
while position <= #runs do
  local first, due, count = decode('>I6I7I2', runs, position)
  position = position + 15
  for number = first, first + count - 1 do
    local flags, size = decode('>BI3', runs, position)
    if math.floor(flags / 4) % 2 == 1 then
      release_key(pack('>I6I7I2', number, due, 1) .. sub(runs, position, position + 3 + size))
    end
    position = position + 4 + size
  end
end
job_count = job_count - claimed_count
-- @include forget_lane
-- @include write_header
return pack('>BI6', more_at <= now and 1 or 0, claimed_count)

-- @section purge_delayed
-- Removes jobs that are due later, by priority and due time.
--
-- KEYS     1 to 16 as in claim.lua
-- ARGV     1: how many at most; last, in tests, the time
-- Reply    whether there may be more (1 byte), how many were removed (6)
-- Cost     O(log n) for each
-- @include calls
-- @include clock
-- @include read_header
-- @include begin_when_full
-- @include max_records
-- @include requeue
local room, removed = math.min(ARGV[1] + 0, max_records()), 0
for ready_key = 8, 12, 2 do
  local waiting = KEYS[ready_key + 1]
  local rank = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now))
  local records = room > 0 and call('ZRANGE', waiting, rank, rank + room - 1) or {}
  if #records > 0 then
    call('ZREMRANGEBYRANK', waiting, rank, rank + #records - 1)
  end
  for _, record in ipairs(records) do
    -- Only a job with a history may have an entry in places.
    if byte(record, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(record, 1, 6))
    end
    release_key(record)
  end
  room, removed = room - #records, removed + #records
end
job_count = job_count - removed
-- @include forget_lane
-- @include write_header
return pack('>BI6', removed > 0 and 1 or 0, removed)

-- @section purge_done
-- Removes done jobs, the oldest first.
--
-- KEYS     1 to 16 as in claim.lua; last the done jobs
-- ARGV     1: how many at most
-- Reply    whether there may be more (1 byte), how many were removed (6)
-- Cost     O(log n) for each
-- @include calls
-- @include read_header
-- @include begin_when_full
-- @include requeue
-- @include remove_done
local removed = remove_done(ARGV[1] + 0)
return pack('>BI6', removed > 0 and 1 or 0, removed)
