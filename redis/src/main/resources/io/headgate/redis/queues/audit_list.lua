-- Looks at runs of a list, from the end on: each can be read, and they are in the order of numbers. Runs come at the end and go
-- from the front, so those that are left have a lower index than before; those that come twice are known by their numbers.
--
-- KEYS     as of claim.lua, then 14 what was set aside
-- ARGV     1: '1' to mend; 2: which key; 3: at which index to go on downwards, nothing at the beginning; 4: from which number on
--          it was looked at, 0 for none; 5: up to which number it was before; 6: how many runs to look at
-- returns  as audit_parts.lua says; before the sightings of jobs one with the numbers of this step: the lowest and the
--          highest one, how many jobs, how many of them cancelled, the length of the longest run, in 6 bytes each
-- costs    O(n) steps of the list's chunks
-- @include calls
-- @include clock
-- @include header_read
-- @include put_back
-- @include leases_in
-- @include audit_parts
local key, below, before, many = ARGV[2] + 0, ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0
local high = call('LLEN', KEYS[key]) - 1
if #ARGV[3] > 0 then
  high = math.min(high, ARGV[3] + 0)
end
local low = math.max(0, high - many + 1)
local runs = high >= 0 and call('LRANGE', KEYS[key], low, high + 1) or {}
local firsts, lasts, bad = {}, {}, {}
for i, run in ipairs(runs) do
  local fits = readable(run, function(number, _, flags)
    firsts[i], lasts[i] = firsts[i] or number, number
    bad[i] = bad[i] or flags < 64 and math.floor(flags / 16) % 4 ~= (key - 8) / 2
  end)
  if not fits or fits == 0 or bad[i] or read('>I2', run, 14) ~= fits then
    bad[i] = UNREADABLE
  end
end
local passed = 0
for i = 1, #runs do
  local next = not bad[i + 1] and firsts[i + 1]
  if not bad[i] then
    if firsts[i] <= passed or next and firsts[i] > next and next > passed then
      bad[i] = ORDER
    else
      passed = lasts[i]
    end
  end
end
-- What is out of order waits in the sorted set instead, which has an order of its own.
local function move(run)
  readable(run, function(number, due, flags, at, next)
    if flags < 64 then
      wait_again(pack('>I6I7I2', number, due, 1) .. sub(run, at, next - 1), due, 0, 0, 0)
    else
      cancelled = math.max(0, cancelled - 1)
    end
  end)
end
local lowest, highest, sum, gone, size, reached = 0, 0, 0, 0, 0, low == 0
for i = math.min(#runs, high - low + 1), 1, -1 do
  local run = runs[i]
  reached = reached or firsts[i] and firsts[i] <= before
  if not bad[i] and (below == 0 or firsts[i] < below) and firsts[i] > before then
    local from = firsts[i]
    readable(run, function(number, due, flags)
      if flags >= 64 or number == lasts[i] then
        local to = flags >= 64 and number or number + 1
        if to > from then
          sighted(0, (key - 8) / 2, due, 0, from, to - from)
        end
        gone, from = gone + (flags >= 64 and 1 or 0), number + 1
      end
    end)
    lowest, sum, size = firsts[i], sum + lasts[i] - firsts[i] + 1, math.max(size, #run)
    highest = math.max(highest, lasts[i])
  end
end
local removed = 0
for i = 1, #runs do
  if bad[i] then
    found(bad[i], runs[i])
    if mend then
      if bad[i] == ORDER then
        move(runs[i])
      else
        set_aside(runs[i])
      end
      call('LSET', KEYS[key], low + i - 1, '')
      removed = removed + 1
    end
  end
end
if removed > 0 then
  call('LREM', KEYS[key], removed, '')
  -- @include header_write
end
table.insert(sightings, 1, pack('>I6I6I6I6I6', lowest, highest, sum, gone, size))
return told(reached and '' or tostring(low - 1))
