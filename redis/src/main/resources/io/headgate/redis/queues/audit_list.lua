-- Looks at runs of a list, from the end on: each can be read, its head says what its records are, and they are in the order of
-- numbers. Runs come at the end and go from the front, so those that are left have a lower index than before; those that come
-- twice are known by their numbers.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which index to go on downwards, nothing at the beginning; 4: from which number on
--          it was looked at, 0 for none; 5: up to which number it was before
-- returns  as audit_parts.lua says; before the sightings of jobs one with the numbers of this step: the lowest and the
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
  -- Nobody knows which belong together; audit_heads.lua tells of that.
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
