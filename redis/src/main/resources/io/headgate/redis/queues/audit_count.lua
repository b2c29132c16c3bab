-- Counts what the header counts, of lists their ends: all of one that is not longer than both.
--
-- KEYS     as of claim.lua, then 14 what was set aside
-- ARGV     1: how many runs of each end
-- returns  6 bytes each: what the header says of all jobs, of those in hand and of cancelled ones, the number of the last job,
--          the length of the longest run; how many are in hand, how many wait in sorted sets; 1 byte whether the header
--          knows of the first lease; then of each list 1 byte whether this is all of it, and of both ends 2 bytes how many runs, and of
--          each the number of the first job, how many jobs, how many of them cancelled
-- costs    O(claims), O(jobs) of the runs
-- @include calls
-- @include header_read
local many, in_hand, waiting = ARGV[1] + 0, 0, 0
for _, held in ipairs(call('HVALS', KEYS[3])) do
  in_hand = in_hand + (#held >= 4 and read('>I2', held, 3) or 0)
end
local answer = {}
local function runs(list, from, to)
  local found = call('LRANGE', list, from, to)
  answer[#answer + 1] = pack('>I2', #found)
  for _, run in ipairs(found) do
    local first, _, count = read('>I6I7I2', run)
    local at, gone = 16, 0
    for _ = 1, count do
      local flags, size = read('>BI3', run, at)
      gone, at = gone + (flags >= 64 and 1 or 0), at + 4 + size
    end
    answer[#answer + 1] = pack('>I6I6I6', first, count, gone)
  end
end
for key = 8, 12, 2 do
  waiting = waiting + call('ZCARD', KEYS[key + 1])
  local all = call('LLEN', KEYS[key]) <= 2 * many
  answer[#answer + 1] = all and '\1' or '\0'
  runs(KEYS[key], 0, all and -1 or many - 1)
  if not all then
    runs(KEYS[key], -many, -1)
  end
end
local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local knows = not soonest or soonest + 0 >= ends
return pack('>I6I6I6I6I6I6I6B', jobs, leased, cancelled, seq, longest, in_hand, waiting, knows and 1 or 0) .. table.concat(answer)
