-- Counts what the header counts, of lists their ends: all of one that is not longer than both. What is read of an end are so
-- many runs that what audit_list.lua has looked at in one step ends there.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- returns  6 bytes each: what the header says of all jobs, of those in hand and of cancelled ones, the number of the last job,
--          the length of the longest record in a sorted set; how many are in hand, how many wait in sorted sets; 1 byte whether
--          the header knows of the first lease; then of each list 1 byte whether this is all of it, and of both ends 2 bytes how
--          many runs, and of each the number of the first job, how many jobs, how many of them cancelled
-- costs    O(claims), O(jobs of the runs)
-- @include calls
-- @include header_read
-- @include audit_held
-- @include audit_weight
local in_hand, waiting = 0, 0
for _, held in ipairs(call('HVALS', KEYS[3])) do
  local _, left = held_of(held)
  in_hand = in_hand + (left or 0)
end
local answer = {}
-- How many of the first of these, or of the last, are as much as a step, and one more: of the first one a part may be gone.
local function fitting(heads, from, by)
  local n, sum = 1, 0
  while n < #heads and sum <= MAX_WEIGHT do
    sum, n = sum + weight(heads[from + n * by]), n + 1
  end
  return math.min(n, #heads)
end
local function runs(list, heads, from, first, n)
  local records = n > 0 and call('LRANGE', list, first, first + n - 1) or {}
  answer[#answer + 1] = pack('>I2', #records)
  for i, run in ipairs(records) do
    local number, _, count = read('>I6I7I2', heads[from + i])
    local at, gone = 1, 0
    for _ = 1, count do
      local flags, size = read('>BI3', run, at)
      gone, at = gone + (flags >= 64 and 1 or 0), at + 4 + size
    end
    answer[#answer + 1] = pack('>I6I6I6', number, count, gone)
  end
end
for key = 8, 12, 2 do
  waiting = waiting + call('ZCARD', KEYS[key + 1])
  local ready, list = KEYS[key], KEYS[(key + 20) / 2]
  local length = call('LLEN', ready)
  local front, rear = call('LRANGE', ready, 0, MAX_HEADS - 1), call('LRANGE', ready, -MAX_HEADS, -1)
  local n, m = fitting(front, 1, 1), fitting(rear, #rear, -1)
  local all = n + m >= length
  m = math.min(m, length - n)
  answer[#answer + 1] = all and '\1' or '\0'
  runs(list, front, 0, 0, n)
  runs(list, rear, #rear - m, length - m, m)
end
local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local knows = not soonest or soonest + 0 >= ends
return pack('>I6I6I6I6I6I6I6B', jobs, leased, cancelled, seq, longest, in_hand, waiting, knows and 1 or 0) .. table.concat(answer)
