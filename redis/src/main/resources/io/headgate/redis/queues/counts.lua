-- Counts the jobs of a queue by state.
--
-- KEYS       1 header, 2 dead, 3 to 8 ready and waiting jobs of each priority in pairs, 9 to 11 the records of the
--            ready jobs, 12 the done jobs
-- ARGV       if done jobs are kept, the retention as in settle.lua; last, in tests, the time
-- Reply      ready, delayed, leased, dead and done jobs (6 bytes each); whether the queue is paused (1); for how long
--            the oldest ready job has been due, us (7, signed), negative when no job is ready or first_due finds none
-- State      common.lua describes runs and the header
-- Tenants    waiting jobs of tenants count as ready, and the oldest due time ignores them; lane_counts in tenants.lua has
--            the correction
-- Always     nothing is written
-- Cost       O(log n); while there are cancelled jobs in lists, also O(jobs of at most 300 runs)
--
-- Variables that cross sections. From common.lua: call, pack, decode, NEVER, now, paused, job_count, leased_count,
-- cancelled_count; from settle.lua: done_max, done_micros.
--   first_due         function: when the first job of a list was due

-- @section counts
-- Computes the counts from the header, the sorted sets and the first runs of the lists.
-- @include calls
-- @include clock
-- @include read_header
-- @include retention
-- @include first_ready_due
local until_now = string.format('%.0f', now)
local due, in_sets, oldest = 0, 0, NEVER
for ready_key = 3, 7, 2 do
  due = due + call('ZCOUNT', KEYS[ready_key + 1], '-inf', until_now)
  in_sets = in_sets + call('ZCARD', KEYS[ready_key + 1])
  local next_waiting = call('ZRANGE', KEYS[ready_key + 1], 0, 0)[1]
  oldest = math.min(oldest, first_due(KEYS[ready_key], KEYS[(ready_key + 15) / 2]), next_waiting
    and decode('>I7', next_waiting, 7) or NEVER)
end
local in_lists = job_count - leased_count - in_sets
-- If no done jobs are kept, all that were kept earlier are counted.
local done = math.min(done_max,
  call('ZCOUNT', KEYS[#KEYS], '(' .. string.format('%.0f', done_micros > 0 and now - done_micros or -1), '+inf'))
return pack('>I6I6I6I6I6B', in_lists + due, in_sets - due, leased_count, call('ZCARD', KEYS[2]), done, paused)
  .. pack('>i7', now - oldest)

-- @section first_ready_due
-- Returns when the first job of a list was due, ignoring cancelled jobs; NEVER if there is none in the first 100 runs.
local function first_due(ready, ready_records)
  for i = 0, 99 do
    local head = call('LINDEX', ready, i)
    if not head then
      break
    end
    local due, count = decode('>I7I2', head, 7)
    if cancelled_count == 0 then
      return due
    end
    local records, position = call('LINDEX', ready_records, i), 1
    for _ = 1, count do
      local flags, size = decode('>BI3', records, position)
      if flags < 64 then
        return due
      end
      position = position + 4 + size
    end
  end
  return NEVER
end
