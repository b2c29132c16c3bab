-- Looks whether a list has as many heads of runs as records of runs. To mend that, it goes from the end on, as the lists grow
-- there, to where a head has other records than its own, but those of a run further on fit, and takes out what is between.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: which key; 3: at which head to go on downwards, nothing at the beginning
-- returns  as audit_parts.lua says
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
