-- Puts jobs of one priority that are due at once at the end of a list, as runs: jobs with numbers one after the other and one
-- due time, of which nothing is looked at here.
--
-- KEYS     1 header, 2 ready, 3 waiting, 4 the records of what is ready
-- ARGV     1: 6 bytes how many jobs the queue may have, 2 how many these are; 2: 2 bytes for each group of jobs that are
--          enqueued together or not at all, how many it has; 3: 2 bytes for each of the rest, how many jobs; these: records
--          of jobs in that order, some at a time
-- returns  6 bytes the number of the first job, 7 its due time; where not all were enqueued, a byte for each group, 1 when it
--          was. Those that were have numbers one after the other
-- stays    a list is in the order of numbers
-- costs    O(1) a run, or where the queue gets full, a job
-- @include calls
-- @include clock
-- @include header_read
local most, these = read('>I6I2', ARGV[1])
local first, heads, records, admitted, soonest = seq + 1, {}, {}, '', now
local function add(count, of_them)
  heads[#heads + 1] = pack('>I6I7I2I3', seq + 1, now, count, #of_them)
  records[#records + 1] = of_them
  seq, jobs = seq + count, jobs + count
end
if jobs + these <= most then
  for i = 4, last do
    add(read('>I2', ARGV[3], 2 * i - 7), ARGV[i])
  end
else
  -- @include enqueue_some
end
if #heads > 0 then
  -- Where this is no list, nothing is written yet.
  call('LLEN', KEYS[4])
  call('RPUSH', KEYS[2], unpack(heads))
  call('RPUSH', KEYS[4], unpack(records))
  -- @include signal
end
-- @include header_write
return pack('>I6I7', first, now) .. admitted
