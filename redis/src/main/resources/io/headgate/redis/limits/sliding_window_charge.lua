-- Charges a sliding window where more is to be done than to add an entry; see sliding_window.lua.
local longest, ring = window, nil

-- Forget what no limit that was charged here can ask for; a longer window counts among them until nothing has been
-- charged under it for as long as it is.
if keep then
  if kept > 0 and time - kept >= keep then
    keep, kept = window, 0
  end
  if keep > window then
    longest = keep
    expiry = math.floor(longest / 1000) + 180000
  end
end
if not keep or last <= time - longest then
  width = longest <= 134217728 and 4 or longest <= 34359738368 and 5 or longest <= 8796093022208 and 6 or 7
  keep, most, kept, entries, front, newest, expires = window, limit, 0, '', '', 0, 0
  oldest, sum, before, forgotten, first, blocks, capacity, gone = time, 0, 0, 0, 0, 0, 0, 0
else
  kept = window < keep and (kept > 0 and kept or last) or 0
  most = limit > most and limit or most
  local surplus = sum + permits - most
  if longest > window then
    block, index, left_sum, oldest_time = seek(
      false, time - longest, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
  end
  if surplus == sum then
    block, index, left_sum, oldest_time = blocks, newest, sum, nil
  elseif surplus > left_sum then
    block, index, left_sum, oldest_time = seek(
      true, surplus + 1, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
  end
  if left_sum > forgotten then
    forgotten = left_sum
  end
  before, keep, oldest = left_sum, longest, oldest_time or time
  -- @include sliding_window_cut
  if keep > range then
    -- @include sliding_window_widen
  end
end
-- @include sliding_window_entry

-- Add the new ones, one entry for each bit; where the newest become too many, the oldest of them become a block.
local tick, bits, exponent = time % range * 32, permits, 0
while bits > 0 do
  if bits % 2 == 1 then
    entries = entries .. pack(format, tick + exponent)
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

local rearm = expires < time + keep + 60000000
if rearm then
  expires = now + expiry * 1000
end
local header = pack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', width, time, sum, #entries / width, oldest, before,
  forgotten, keep, most, kept, expires, first, blocks, capacity, gone)
local whole = header .. entries
if blocks > 0 then
  whole = whole .. string.rep('\0', 16 * width - #entries) .. front
end
if blocks > 0 and not ring then
  call('SETRANGE', key, '0', whole)
  if rearm then
    call('PEXPIRE', key, string.format('%d', expiry))
  end
else
  if ring then
    whole = whole .. ring .. string.rep('\0', capacity * (16 * width + 7) - #ring)
  end
  if rearm then
    call('SET', key, whole, 'PX', string.format('%d', expiry))
  else
    call('SET', key, whole, 'KEEPTTL')
  end
end
