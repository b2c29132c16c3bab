-- Charges one permit to a sliding window from whose front a few entries have left, which were found without a search,
-- or whose newest entries fill a block of the ring.
local cut = blocks == 0 and index or newest == 16 and 16 or 0
local whole = pack(
  width == 4 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I4' or width == 5 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I5'
    or width == 6 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I6' or '>I1I7I7I1I7I7I7c0I3I3I3I1c0I7',
  width, time, sum + 1, newest - cut + 1, oldest_time, left_sum, left_sum > forgotten and left_sum or forgotten,
  string.sub(state, 38, 60), next_block and (first + 1) % capacity or first,
  blocks + (cut == 16 and 1 or 0) - (next_block and 1 or 0), capacity, blocks == 0 and 0 or index,
  string.sub(state, 71 + cut * width, 70 + newest * width), time % range * 32)
if next_block then
  whole = whole .. string.rep('\0', 70 + 16 * width - #whole) .. next_block
end
if cut == 16 then
  local slot = (first + blocks - 1) % capacity
  call('SETRANGE', key, string.format('%d', 70 + 32 * width + slot * (16 * width + 7)),
    string.sub(state, 71, 70 + 16 * width) .. pack('>I7', sum))
end
if blocks == 0 and cut > 1 then
  call('SET', key, whole, 'KEEPTTL')
else
  call('SETRANGE', key, '0', whole)
end
