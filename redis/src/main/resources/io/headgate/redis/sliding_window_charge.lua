-- The writing half of the sliding window; see sliding_window.lua.
local expiry, longest = ARGV[at + 4], window
-- The expiry leaves two minutes beyond the window, so once a minute is enough to set it.
local rearm = not last or window > keep or math.floor(time / 60000000) ~= math.floor(last / 60000000)
local ring

-- Forget what no limit that was charged here can ask for.
if keep and keep > window then
  longest = keep
  expiry = string.format('%d', math.floor(longest / 1000) + 180000)
end
if not last or last <= time - longest then
  width = longest <= 134217728 and 4 or longest <= 34359738368 and 5 or longest <= 8796093022208 and 6 or 7
  keep, most, entries, newest = window, limit, '', 0
  sum, before, forgotten, first, blocks, capacity, gone, oldest = 0, 0, 0, 0, 0, 0, 0, 0
else
  most = limit > most and limit or most
  local surplus = sum + permits - most
  if longest > window then
    block, index, left_sum, oldest_time = seek(
      false, time - longest, key, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
  end
  if surplus > left_sum and surplus < sum then
    block, index, left_sum, oldest_time = seek(
      true, surplus + 1, key, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
  end
  if left_sum > forgotten then
    forgotten = left_sum
  end
  before, keep = left_sum, longest
  if block == blocks then
    if index > 0 then
      entries = string.sub(entries, index * width + 1)
    end
    blocks, capacity, first, gone, oldest = 0, 0, 0, 0, 0
  else
    first, blocks, gone, oldest = (first + block) % capacity, blocks - block, index, oldest_time
  end
  if keep > range then
    -- @include sliding_window_widen
  end
end
format = width == 4 and '>I4' or width == 5 and '>I5' or width == 6 and '>I6' or '>I7'
range = width == 4 and 134217728 or width == 7 and 281474976710656 or 2 ^ (8 * width - 5)

-- Add the new ones, one entry for each bit; where the newest become too many, the oldest of them become a block.
local tick, bits, exponent = time % range * 32, permits, 0
while bits > 0 do
  if bits % 2 == 1 then
    entries = entries .. struct.pack(format, tick + exponent)
  end
  bits, exponent = math.floor(bits / 2), exponent + 1
end
sum = sum + permits
if sum - most > forgotten then
  forgotten = sum - most
end
if #entries > 16 * width then
  -- @include sliding_window_seal
end

local header = struct.pack('>I1I7I6I3I7I7I7I3I3I3I1I7I1', width, time, keep, most, sum, before, forgotten, first,
  blocks, capacity, gone, oldest, #entries / width)
if blocks == 0 then
  redis.call('SET', key, header .. entries, 'PX', expiry)
elseif ring then
  redis.call('SET', key, header .. entries .. string.rep('\0', 16 * width - #entries) .. ring
    .. string.rep('\0', capacity * (16 * width + 7) - #ring), 'PX', expiry)
else
  redis.call('SETRANGE', key, '0', header .. entries)
  if rearm then
    redis.call('PEXPIRE', key, expiry)
  end
end
remaining, reset = remaining - permits, time + window - now
