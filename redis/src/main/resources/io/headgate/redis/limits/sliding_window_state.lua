-- Reads the header of a sliding window, its newest entries and its oldest block.
local width, last, sum, newest, oldest, before, forgotten, keep, most, kept, first, blocks, capacity, gone, expires
local time, entries, format, range, seek = now, '', nil, nil, nil
local block, index, left_sum, oldest_time, front, next_block
local state = call('GETRANGE', key, '0', window > 134217728 and '293' or '197')
if state ~= '' then
  if #state < 74 then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  width, last, sum, newest, oldest, before, forgotten, keep, most, kept, expires, first, blocks, capacity, gone =
    unpack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', state)
  if width > 4 and #state == 198 then
    -- Charged under a longer window before.
    state = call('GETRANGE', key, '0', '293')
  end
  if width < 4 or width > 7 or newest < 1 or newest > 16 or blocks > capacity + 1
    or #state < 70 + (blocks > 0 and 32 or newest) * width then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  if last > now then
    time = last
  end
end
