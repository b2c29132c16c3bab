-- The exact sliding window 'sw', twin of SlidingWindowAlgorithm: a log of what was admitted.
--
-- ARGV     limit; window in us; unused; expiry in ms
-- state    a string: a header, the newest entries (up to 16), and, when there are more, a ring of blocks.
--          An entry is 4 to 7 bytes: the time, as far as the longest window needs it, and in its low 5 bits the
--          exponent of how many permits it is: a request for n permits is one entry for each bit of n.
--          A block is 16 entries and the sum of all permits ever admitted up to its end (7 bytes).
--          A key that holds up to 16 entries is only as long as they are; a ring doubles up to what the limit needs.
-- header   width of an entry (1 byte); last charge (7); longest window (6) and largest limit (3) charged under;
--          permits ever admitted (7), those before the oldest entry (7), those forgotten (7);
--          ring: oldest block (3), blocks in use (3), blocks in all (3), entries gone from the oldest (1), time of the
--          oldest entry left there (7); newest entries (1)
-- cost     GETRANGE; when entries have left the window one more for each block that is searched, most often one and
--          at most log2 of the blocks; charged: SET or SETRANGE, one more each 16 entries, PEXPIRE now and then
local limit, window = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
local width, last, keep, most, sum, before, forgotten, first, blocks, capacity, gone, oldest, newest
local time, entries, format, range = now, '', '>I4', 134217728
local block, index, left_sum, oldest_time
-- @include sliding_window_seek

local state = redis.call('GETRANGE', key, '0', '167')
if state == '' then
  retry, remaining, reset = permits > limit and -1 or 0, limit, 0
else
  width = string.byte(state)
  if #state < 56 or width < 4 or width > 7 then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  width, last, keep, most, sum, before, forgotten, first, blocks, capacity, gone, oldest, newest =
    struct.unpack('>I1I7I6I3I7I7I7I3I3I3I1I7I1', state)
  entries = string.sub(state, 57, 56 + newest * width)
  if newest < 1 or newest > 16 or #entries < newest * width or blocks > capacity then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  if width > 4 then
    format = width == 5 and '>I5' or width == 6 and '>I6' or '>I7'
    range = width == 7 and 281474976710656 or 2 ^ (8 * width - 5)
  end
  if last > now then
    time = last
  end
  local left = time - window
  if last <= left then
    block, index, left_sum, oldest_time = blocks, newest, sum, nil
  else
    block, index, left_sum, oldest_time = 0, gone, before, oldest
    if blocks == 0 then
      local packed = struct.unpack(format, entries)
      index, oldest_time = 0, last - (last - (packed - packed % 32) / 32) % range
    end
    if oldest_time <= left then
      block, index, left_sum, oldest_time =
        seek(false, left, key, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
    end
  end
  local live = sum - (left_sum > forgotten and left_sum or forgotten)
  remaining = limit > live and limit - live or 0
  reset = live > 0 and last + window - now or 0
  retry = 0
  if permits > limit then
    retry = -1
  elseif permits > remaining then
    local blocking, target = oldest_time, sum + permits - limit
    if target > left_sum + 1 then
      local _
      _, _, _, blocking =
        seek(true, target, key, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
    end
    retry = blocking + window - now
  end
end
-- @charge
-- @include sliding_window_charge
