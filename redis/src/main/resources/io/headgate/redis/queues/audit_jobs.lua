-- Audits the jobs that wait: heads and runs of lists, sorted sets.

-- @section audit_heads
-- Looks whether a list has as many heads of runs as records of runs. To mend that, it goes from the end on, as the lists grow
-- there, to where a head has other records than its own, but those of a run further on fit, and takes out what is between.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which head to go on downwards, nothing at the beginning
-- returns  as audit_parts in audit.lua says
-- costs    O(n) steps of the list's chunks
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include audit_parts
-- @include audit_anew
local MAX_AT_ONCE = 16
local key = ARGV[2] + 0
local ready, ready_records, level = KEYS[key], KEYS[(key + 20) / 2], string.char((key - 8) / 2)
local high = call('LLEN', ready) - 1
local surplus = call('LLEN', ready_records) - high - 1
if surplus == 0 or not mend then
  if surplus ~= 0 then
    found(RUN, level)
  end
  return told('')
end
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local function without_head(records, due)
  found(RUN, level)
  if each_record(records, 1) then
    number_anew(records, due)
  else
    set_aside(records)
  end
end
local function without_records(head)
  found(RUN, head)
  set_aside(head)
end
-- Nothing has fit: what is too much is in front.
local function take_front()
  local head, size, n = call('LINDEX', ready, 0), 0, 0
  local due = head and #head == 18 and read('>I7', head, 7) or now
  while surplus > 0 and size < MAX_BYTES and n < MAX_AT_ONCE do
    local records = call('LPOP', ready_records)
    without_head(records, due)
    surplus, size, n = surplus - 1, size + #records, n + 1
  end
  while surplus < 0 and n < 10 * MAX_AT_ONCE do
    without_records(call('LPOP', ready))
    surplus, n = surplus + 1, n + 1
  end
  return -1
end
local function window(list, from, to)
  from = math.max(0, from)
  local all = to >= 0 and call('LRANGE', list, from, to) or {}
  return function(index)
    return index >= from and all[index - from + 1] or nil
  end
end
local function go_down()
  local low, k = math.max(0, high - MAX_AT_ONCE + 1), high
  local heads = window(ready, low - MAX_AT_ONCE, high)
  local records = window(ready_records, low + surplus - MAX_AT_ONCE, high + surplus)
  local function fits(h, r)
    local head, run = heads(h), records(r)
    if head and run and #head == 18 then
      local count, length = read('>I2I3', head, 14)
      return length == #run and select(2, each_record(run, 1)) == count
    end
  end
  while k >= low and k + surplus >= 0 and surplus ~= 0 do
    local much = 0
    if not fits(k, k + surplus) then
      for j = 1, math.min(MAX_AT_ONCE, math.abs(surplus)) do
        if much == 0 and (surplus > 0 and fits(k, k + surplus - j) or surplus < 0 and fits(k - j, k + surplus)) then
          much = j
        end
      end
    end
    for j = 0, much - 1 do
      if surplus > 0 then
        without_head(records(k + surplus - j), (read('>I7', heads(k), 7)))
        mark(ready_records, k + surplus - j)
      else
        without_records(heads(k - j))
        mark(ready, k - j)
      end
    end
    k = surplus < 0 and k - much or k
    surplus = surplus > 0 and surplus - much or surplus + much
    k = k - 1
  end
  remove_marked()
  return k + surplus < 0 and -1 or k
end
local next = high >= 0 and high + surplus >= 0 and go_down() or take_front()
-- @include header_write
return told(surplus == 0 and '' or tostring(next))

-- @section audit_list
-- Looks at runs of a list, from the end on: each can be read, its head says what its records are, and they are in the order of
-- numbers. Runs come at the end and go from the front, so those that are left have a lower index than before; those that come
-- twice are known by their numbers.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which index to go on downwards, nothing at the beginning; 4: from which number on
--          it was looked at, 0 for none; 5: up to which number it was before
-- returns  as audit_parts in audit.lua says; before the sightings of jobs one with the numbers of this step: the lowest and the
--          highest one, how many jobs, how many of them cancelled, in 6 bytes each
-- costs    O(n) steps of the list's chunks
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include audit_parts
-- @include audit_weight
local key, below, before = ARGV[2] + 0, ARGV[4] + 0, ARGV[5] + 0
local ready, ready_records, level = KEYS[key], KEYS[(key + 20) / 2], (key - 8) / 2
local high = call('LLEN', ready) - 1
if call('LLEN', ready_records) ~= high + 1 then
  -- Nobody knows which belong together; audit_heads tells of that.
  high = -1
elseif #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - MAX_HEADS + 1)
local heads = high >= 0 and call('LRANGE', ready, low, high + 1) or {}
local function first_of(i)
  return heads[i] and #heads[i] == 18 and read('>I6', heads[i]) or nil
end
-- As many as are not too much for one step, and one at least; but none that was looked at before.
local to = high - low + 1
local from, sum = math.max(1, to), 0
while from > 1 and sum + weight(heads[from]) + weight(heads[from - 1]) <= MAX_WEIGHT do
  sum, from = sum + weight(heads[from]), from - 1
end
local reached = low + from <= 1
while from <= to and (first_of(from) or before + 1) <= before do
  from, reached = from + 1, true
end
local records = from <= to and to > 0 and call('LRANGE', ready_records, low + from - 1, low + to - 1) or {}
local bad, lasts = {}, {}
local lowest, highest, jobs_seen, gone_seen = 0, 0, 0, 0
local gone = {}
for i = from, to do
  local run, strange = records[i - from + 1], false
  gone[i] = {}
  local _, n = each_record(run, 1, nil, function(k, flags)
    strange = strange or flags < 64 and math.floor(flags / 16) ~= level
    if flags >= 64 then
      table.insert(gone[i], k)
    end
  end)
  local count, length = 0, 0
  if #heads[i] == 18 then
    count, length = read('>I2I3', heads[i], 14)
  end
  if not n or n == 0 or strange then
    bad[i] = UNREADABLE
  elseif n ~= count then
    bad[i] = RUN
  elseif length ~= #run then
    found(RUN, heads[i])
    if mend then
      call('LSET', ready, low + i - 1, sub(heads[i], 1, 15) .. pack('>I3', #run))
    end
  end
  lasts[i] = (first_of(i) or 0) + count - 1
end
local passed = 0
for i = from, to do
  local first, next = first_of(i), not bad[i + 1] and first_of(i + 1)
  if not bad[i] then
    if first <= passed or next and first > next and next > passed then
      bad[i] = ORDER
    else
      passed = lasts[i]
    end
  end
end
-- @include audit_take_out
for i = to, from, -1 do
  local first = first_of(i)
  if bad[i] then
    found(bad[i], heads[i])
    if mend then
      take_out(i)
    end
  elseif below == 0 or first < below then
    local due, start = read('>I7', heads[i], 7), first
    for _, k in ipairs(gone[i]) do
      if first + k > start then
        sighted(0, level, due, 0, start, first + k - start)
      end
      start = first + k + 1
    end
    if lasts[i] >= start then
      sighted(0, level, due, 0, start, lasts[i] - start + 1)
    end
    lowest, highest = first, math.max(highest, lasts[i])
    jobs_seen, gone_seen = jobs_seen + lasts[i] - first + 1, gone_seen + #gone[i]
  end
end
if #findings > 0 and mend then
  remove_marked()
  -- @include header_write
end
table.insert(sightings, 1, pack('>I6I6I6I6', lowest, highest, jobs_seen, gone_seen))
return told(reached and '' or tostring(low + from - 2))

-- @section audit_set
-- Looks at jobs in a sorted set, from the end on: each can be read, has the score and the priority that belong to it, and is
-- found by its id.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which rank to go on downwards, nothing at the beginning
-- returns  as audit_parts in audit.lua says
-- costs    O(log n), and O(1) for each
-- @include calls
-- @include header_read
-- @include at_once
-- @include audit_parts
-- @include find_in_set
local key = ARGV[2] + 0
-- Where dead letters and done jobs are, by what an entry calls that.
local SETS = {7, #KEYS}
local own_state = key == 7 and 1 or key == #KEYS and 2 or 0
-- Of a job in two places one is where its entry says; audit_twice in audit_keys.lua tells of that.
local function leads_somewhere(record, place)
  if place and #place == 15 then
    local state, at = read('>BI7', place)
    return state < 3 and find_in_set(KEYS[SETS[state] or 9 + 2 * level_of(record)], (read('>I6', record)), at)
  end
end
local high = call('ZCARD', KEYS[key]) - 1
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - math.min(MAX_ONES, at_once()) + 1)
local members = high >= 0 and call('ZRANGE', KEYS[key], low, high, 'WITHSCORES') or {}
for i = 1, #members, 2 do
  local record, score = members[i], members[i + 1] + 0
  local level
  local n = readable(record, function(_, _, flags)
    level = flags < 64 and math.floor(flags / 16) % 4
  end)
  if n ~= 1 or not level or own_state == 0 and level ~= (key - 9) / 2 then
    found(UNREADABLE, record)
    if mend then
      call('ZREM', KEYS[key], record)
      set_aside(record)
    end
  else
    longest_seen = math.max(longest_seen, #record)
    local number, due = read('>I6I7', record)
    local first_due = first_due_of(record)
    local place, right = call('HGET', KEYS[6], sub(record, 1, 6)), nil
    if own_state > 0 or due ~= first_due then
      right = pack('>BI7I7', own_state, due, first_due)
    end
    if score ~= due then
      found(ORDER, record)
      if mend then
        call('ZADD', KEYS[key], string.format('%.0f', due), record)
      end
    end
    if right and place ~= right and not leads_somewhere(record, place) then
      found(PLACE, sub(record, 1, 6))
      if mend then
        call('HSET', KEYS[6], sub(record, 1, 6), right)
      end
    end
    sighted(key, level, first_due, mend and due or score, number, 1)
  end
end
return told(low > 0 and tostring(low - 1) or '')

-- @section audit_anew
-- Jobs of which it is not known any more what numbers they had wait under new ones, which come by a due time after those that
-- have it; now at the latest, as what lies in a list was due when it came. Ids that were told of them lead nowhere.
-- @include audit_key_of
local function number_anew(records, due)
  due = math.min(due, now)
  each_record(records, 1, nil, function(_, flags, at, next)
    if flags >= 64 then
      cancelled = math.max(0, cancelled - 1)
      return
    end
    seq = seq + 1
    local record, level = pack('>I6I7I2', seq, due, 1) .. sub(records, at, next - 1), math.floor(flags / 16)
    call('ZADD', KEYS[9 + 2 * level], string.format('%.0f', due), record)
    longest = math.max(longest, #record)
    if due ~= first_due_of(record) then
      note_place(record, 0, due, first_due_of(record))
    end
    local key = key_of(record)
    if key then
      local noted = call('HGET', KEYS[5], key) or ''
      local done = #noted == 21 and noted or sub(noted, 15)
      call('HSET', KEYS[5], key, string.char(level) .. pack('>I6I7', seq, first_due_of(record)) .. done)
    end
  end)
end

-- Marks what is to be removed of a list, so that indexes stay as they are meanwhile, and then removes it.
local GONE, marked = 'hg: gone', {}
local function mark(list, index)
  call('LSET', list, index, GONE)
  marked[list] = (marked[list] or 0) + 1
end
local function remove_marked()
  for list, many in pairs(marked) do
    call('LREM', list, many, GONE)
  end
end

-- @section audit_take_out
-- Takes a run out of a list that can't stay there.
-- @include audit_anew
-- What is out of order waits in the sorted set instead, which has an order of its own.
local function take_out(i)
  local run = records[i - from + 1]
  local first, due = 0, now
  if #heads[i] == 18 then
    first, due = read('>I6I7', heads[i])
  end
  if bad[i] == UNREADABLE then
    set_aside(first > 0 and sub(heads[i], 1, 15) .. run or heads[i])
    if first == 0 then
      set_aside(run)
    end
  elseif bad[i] == RUN or due > now then
    number_anew(run, due)
  else
    each_record(run, 1, nil, function(k, flags, at, next)
      if flags < 64 then
        wait_again(pack('>I6I7I2', first + k, due, 1) .. sub(run, at, next - 1), due, 0, 0, 0)
      else
        cancelled = math.max(0, cancelled - 1)
      end
    end)
  end
  mark(ready, low + i - 1)
  mark(ready_records, low + i - 1)
end
