-- Puts jobs of one priority that are due at once at the end of a list, as runs: jobs with numbers one after the other and one
-- due time, of which nothing is looked at here.
--
-- KEYS     1 header, 2 ready, 3 waiting
-- ARGV     1: 6 bytes how many jobs the queue may have, 2 how many these are; 2: 2 bytes for each group of jobs that are
--          enqueued together or not at all, how many it has; then the jobs in that order, some at a time: 2 bytes how many,
--          and their records
-- returns  6 bytes the number of the first job, 7 its due time; where not all were enqueued, a byte for each group, 1 when it
--          was. Those that were have numbers one after the other
-- stays    a list is in the order of numbers
-- costs    O(1) a run, or where the queue gets full, a job
-- @include calls
-- @include clock
-- @include header_read
local most, these = read('>I6I2', ARGV[1])
local first, runs, admitted, soonest = seq + 1, {}, '', now
if jobs + these <= most then
  for i = 3, last do
    runs[i - 2] = pack('>I6I7', seq + 1, now) .. ARGV[i]
    seq = seq + read('>I2', ARGV[i])
    longest = math.max(longest, #runs[i - 2])
  end
  jobs = jobs + these
else
  -- @include enqueue_some
end
if #runs > 0 then
  call('RPUSH', KEYS[2], unpack(runs))
  -- @include signal
end
-- @include header_write
return pack('>I6I7', first, now) .. admitted
