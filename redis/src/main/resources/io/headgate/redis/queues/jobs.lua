-- Lists the jobs of a queue: ready, delayed and leased ones.

-- @section jobs_ready
-- Shows jobs that are due, in the order in which they would be handed out.
--
-- KEYS     as of counts.lua
-- ARGV     1: where to go on, nothing at the beginning: 1 byte the priority; of its list 6 after which number, 4 in which
--          run that was; of its sorted set 7 after which due time, 6 and number; 2: how many to show at most
-- returns  1 byte whether there are more, 24 where to go on; runs of one job
-- costs    O(log n), O(n) steps of the list's chunks for every 100 runs; at most 800 runs of lists are looked at
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include rank_after
-- @include run_after
-- @include list_jobs
local most, bytes, shown, more = ARGV[2] + 0, 0, {}, false
local level, after, near, at, number = 0, 0, 0, 0, 0
if #ARGV[1] > 0 then
  level, after, near, at, number = read('>BI6I4I7I6', ARGV[1])
end
while level < 3 do
  local waiting = KEYS[4 + 2 * level]
  local rank = at > 0 and rank_after(waiting, at, number) or 0
  local due = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now))
  local last = math.min(due, rank + math.min(most - #shown + 1, at_once())) - 1
  local old = last >= rank and call('ZRANGE', waiting, rank, last) or {}
  local next_in_list, j = list_jobs(KEYS[3 + 2 * level], KEYS[9 + level], after, near), 1
  local in_list, list_due, index, record = next_in_list()
  while not more do
    local one = old[j]
    if looked_enough or not one and rank + #old < due or #shown > 0 and (in_list or one) and (#shown == most or bytes >= MAX_BYTES) then
      more = true
    elseif not in_list and not one then
      break
    else
      local set_number, set_due = 0, NEVER
      if one then
        set_number, set_due = read('>I6I7', one)
      end
      if in_list and (list_due < set_due or list_due == set_due and in_list < set_number) then
        shown[#shown + 1] = pack('>I6I7I2', in_list, list_due, 1) .. record
        after, near = in_list, index
        in_list, list_due, index, record = next_in_list()
      else
        shown[#shown + 1] = one
        at, number, j = set_due, set_number, j + 1
      end
      bytes = bytes + #shown[#shown]
    end
  end
  if more then
    if looked_enough then
      after = math.max(after, passed)
    end
    break
  end
  level, after, near, at, number, passed = level + 1, 0, 0, 0, 0, 0
end
return (more and '\1' or '\0') .. pack('>BI6I4I7I6', level, after, near, at, number) .. table.concat(shown)

-- @section jobs_delayed
-- Shows jobs that are due later, by their due time.
--
-- KEYS     as of counts.lua
-- ARGV     1: where to go on, nothing at the beginning: 7 bytes after which due time, 1 and priority, 6 and number; 2: how many
--          to show at most
-- returns  1 byte whether there are more, 14 where to go on; runs of one job
-- costs    O(log^2 n), and O(1) for each
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include rank_after
local want = math.min(ARGV[2] + 0, at_once())
local heads, rows, left, shown, place = {1, 1, 1}, {}, 0, {}, string.rep('\0', 14)
for i = 1, 3 do
  local set = KEYS[2 + 2 * i]
  local rank = call('ZCOUNT', set, '-inf', string.format('%.0f', now))
  if #ARGV[1] > 0 then
    local at, level, number = read('>I7BI6', ARGV[1])
    -- Those of a higher priority have passed that time, of a lower one they have not come to it.
    rank = math.max(rank, rank_after(set, at, i - 1 < level and NEVER or i - 1 == level and number or 0))
  end
  rows[i] = call('ZRANGE', set, rank, rank + want)
  left = left + #rows[i]
end
while left > 0 and #shown < want do
  local soonest, of = NEVER, 0
  for i = 1, 3 do
    local record = rows[i][heads[i]]
    local due = record and read('>I7', record, 7) or NEVER
    if due < soonest then
      soonest, of = due, i
    end
  end
  local record = rows[of][heads[of]]
  shown[#shown + 1] = record
  heads[of], left = heads[of] + 1, left - 1
  place = sub(record, 7, 13) .. string.char(of - 1) .. sub(record, 1, 6)
end
return (left > 0 and '\1' or '\0') .. place .. table.concat(shown)

-- @section jobs_leased
-- Shows jobs that are in hand, claim by claim, by when the first lease of each ends.
--
-- KEYS     as of claim.lua
-- ARGV     1: where to go on, nothing at the beginning: 7 bytes when the first lease of a claim ends, 2 after which of its
--          jobs, 12 its token; 2: how many to show at most
-- returns  1 byte whether there are more, 21 where to go on; of each job 7 when its lease ends, and a run of one
-- costs    O(log n), O(jobs) of each claim, of which at most 100 are looked at
-- @include calls
-- @include header_read
-- @include parts_of
-- @include leases_in
local MAX_SHOWN_CLAIMS = 100
local most, bytes, shown, more, place = ARGV[2] + 0, 0, {}, false, string.rep('\0', 21)
local rank, skipped = 0, 0
if #ARGV[1] > 0 then
  local at, passed = read('>I7I2', ARGV[1])
  local token = sub(ARGV[1], 10)
  local score = call('ZSCORE', KEYS[2], token)
  if score and score + 0 == at then
    rank, skipped = call('ZRANK', KEYS[2], token), passed
  else
    rank = call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', at))
  end
end
local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_SHOWN_CLAIMS - 1, 'WITHSCORES')
for c = 1, #claims, 2 do
  local token, at = claims[c], claims[c + 1] + 0
  local held = call('HGET', KEYS[3], token)
  local expiries, _, parts = {}, 0, 0
  if held then
    expiries, _, parts = leases_in(held)
  end
  local job = #expiries > 0 and jobs_in(records_of(token, parts))
  for i = skipped + 1, #expiries do
    if expiries[i] > 0 then
      if #shown == most or bytes >= MAX_BYTES then
        more = true
        break
      end
      shown[#shown + 1] = pack('>I7', expiries[i]) .. job(i)
      bytes = bytes + #shown[#shown]
    end
    place = pack('>I7I2', at, i) .. token
  end
  if more then
    break
  end
  skipped = 0
end
more = more or #claims == 2 * MAX_SHOWN_CLAIMS
return (more and '\1' or '\0') .. place .. table.concat(shown)

-- @section run_after
-- The index of the first run of a list that has a number above another, from where that was when it was looked for last:
-- runs before it may have gone since. To look at one deep in a long list takes long, so few are.
local function run_after(list, number, near)
  local low, high = -1, call('LLEN', list)
  local i, step = math.min(near, high - 1), 1
  while high - low > 1 do
    if i <= low or i >= high then
      i = math.floor((low + high) / 2)
    end
    local first, _, count = read('>I6I7I2', call('LINDEX', list, i))
    if first <= number and number < first + count then
      return number == first + count - 1 and i + 1 or i
    elseif first <= number then
      low, i = i, i + step
    else
      high, i = i, i - step
    end
    step = step * 4
  end
  return high
end

-- @section rank_after
-- How many of a sorted set come before what is after a place: a score, and a number among those of that score, which are in
-- the order of their numbers.
local function rank_after(set, at, number)
  local score = string.format('%.0f', at)
  local low = call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', set, score, score) - 1
  while low <= high do
    local middle = math.floor((low + high) / 2)
    if read('>I6', call('ZRANGE', set, middle, middle)[1]) <= number then
      low = middle + 1
    else
      high = middle - 1
    end
  end
  return low
end

-- @section list_jobs
-- Goes through the jobs of a list after a number, in pieces of which it reads few; `looked` counts runs. Each call answers
-- the next job: its number, its due time, where it lies, its record; or nothing at the end, and where it has looked enough.
local MAX_PIECES, MAX_PIECE_BYTES = 8, 131072
local looked, looked_enough, passed = 0, false, 0
local function list_jobs(ready, ready_records, after, near)
  local index = after > 0 and run_after(ready, after, near) or 0
  local heads, runs, i, pieces, run, first, due, count, k, from = {}, {}, 0, 0, nil, 0, 0, 0, 0, 0
  -- As many runs as are not too much at once, and one at least.
  local function read_piece()
    heads = call('LRANGE', ready, index, index + 99)
    local most, bytes_of_all = 0, 0
    while most < #heads and bytes_of_all < MAX_PIECE_BYTES do
      most = most + 1
      bytes_of_all = bytes_of_all + read('>I3', heads[most], 16)
    end
    runs, i, pieces = most > 0 and call('LRANGE', ready_records, index, index + most - 1) or {}, 1, pieces + 1
  end
  return function()
    while not looked_enough do
      if not run then
        i = i + 1
        if i > #runs then
          if looked >= MAX_LOOKED or pieces >= MAX_PIECES then
            looked_enough = true
            return
          end
          index = index + #runs
          read_piece()
        end
        run, k, from = runs[i], 0, 1
        if not run then
          return
        end
        looked, first, due, count = looked + 1, read('>I6I7I2', heads[i])
      end
      while k < count do
        local flags, size = read('>BI3', run, from)
        local start, number = from, first + k
        k, from = k + 1, from + 4 + size
        if flags < 64 and number > after then
          return number, due, index + i - 1, sub(run, start, from - 1)
        end
      end
      run, passed = nil, first + count - 1
    end
  end
end
