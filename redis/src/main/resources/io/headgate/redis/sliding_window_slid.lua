-- Charges one permit to a sliding window from whose front a few entries have left, which were found without a search:
-- the ring begins later, or the newest entries do.
local cut = blocks > 0 and 0 or index
local whole = struct.pack(
  width == 4 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I4' or width == 5 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I5'
    or width == 6 and '>I1I7I7I1I7I7I7c0I3I3I3I1c0I6' or '>I1I7I7I1I7I7I7c0I3I3I3I1c0I7',
  width, time, sum + 1, newest - cut + 1, oldest_time, left_sum, left_sum > forgotten and left_sum or forgotten,
  string.sub(state, 38, 60), first, blocks, capacity, gone + index - cut,
  string.sub(state, 71 + cut * width, 70 + newest * width), time % range * 32)
if cut > 1 then
  redis.call('SET', key, whole, 'KEEPTTL')
else
  redis.call('SETRANGE', key, '0', whole)
end
