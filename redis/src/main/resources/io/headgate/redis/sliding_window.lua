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
local HEADER, HEADER_BYTES = '>I1I7I6I3I7I7I7I3I3I3I1I7I1', 56
local FORMATS = {[4] = '>I4', [5] = '>I5', [6] = '>I6', [7] = '>I7'}
local SPANS = {[4] = 2 ^ 27, [5] = 2 ^ 35, [6] = 2 ^ 43, [7] = 2 ^ 48}

-- The entry at a place in a string of entries: its time and its permits.
local function entry(entries, index, width, last)
  local packed = struct.unpack(FORMATS[width], entries, index * width + 1)
  local exponent = packed % 32
  return last - (last - (packed - exponent) / 32) % SPANS[width], 2 ^ exponent
end

local function text(number)
  return string.format('%d', number)
end

-- Finds the first entry later than x, or, by_sum, the one with which the sum of permits reaches x.
-- Returns its block (counted from the oldest; the number of blocks when it is among the newest), its place there, the
-- sum before it, and its time (nil when there is no such entry).
local function seek(key, newest_entries, by_sum, x, width, last, sum, first, blocks, capacity, gone, newest)
  local size = 16 * width + 7
  local function read(block, from, bytes)
    local offset = HEADER_BYTES + 16 * width + (first + block) % capacity * size + from
    return redis.call('GETRANGE', key, text(offset), text(offset + bytes - 1))
  end
  local function scan(entries, index, count)
    while index < count do
      local time, permits = entry(entries, index, width, last)
      if by_sum and sum + permits >= x or not by_sum and time > x then
        return index, time
      end
      sum, index = sum + permits, index + 1
    end
  end
  -- Whether it lies in or before this block; if not, the sum is that of the block's end.
  local function reaches(block)
    local tail = read(block, 15 * width, width + 7)
    local total = struct.unpack('>I7', tail, width + 1)
    if by_sum and total >= x or not by_sum and entry(tail, 0, width, last) > x then
      return true
    end
    sum = total
    return false
  end
  if blocks > 0 then
    local index, time = scan(read(0, 0, 16 * width), gone, 16)
    if time then
      return 0, index, sum, time
    end
    local low, high = 1, blocks
    while low < high do
      -- Most often it is the next one.
      local middle = low == 1 and 1 or math.floor((low + high) / 2)
      if reaches(middle) then
        high = middle
      else
        low = middle + 1
      end
    end
    if low < blocks then
      index, time = scan(read(low, 0, 16 * width), 0, 16)
      return low, index, sum, time
    end
  end
  local index, time = scan(newest_entries, 0, newest)
  return blocks, index or newest, sum, time
end

look.sw = function(key, at, permits, now)
  local limit, window = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local state = redis.call('GETRANGE', key, '0', '167')
  if state == '' then
    return permits > limit and -1 or 0, limit, 0
  end
  if #state < HEADER_BYTES or not FORMATS[string.byte(state)] then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  local width, last, keep, most, sum, before, forgotten, first, blocks, capacity, gone, oldest, newest =
    struct.unpack(HEADER, state)
  if newest < 1 or newest > 16 or #state < HEADER_BYTES + newest * width or blocks > capacity then
    error('HEADGATE_FOREIGN not a sliding window')
  end
  local entries = string.sub(state, HEADER_BYTES + 1, HEADER_BYTES + newest * width)
  local time = last > now and last or now
  local left = time - window
  local block, index, left_sum, oldest_time = 0, gone, before, oldest
  if last <= left then
    left_sum, oldest_time = sum, nil
  elseif blocks == 0 or oldest <= left then
    block, index, left_sum, oldest_time =
      seek(key, entries, false, left, width, last, before, first, blocks, capacity, gone, newest)
  end
  local live = sum - (left_sum > forgotten and left_sum or forgotten)
  local remaining = limit > live and limit - live or 0
  local retry = 0
  if permits > limit then
    retry = -1
  elseif permits > remaining then
    local blocking, target = oldest_time, sum + permits - limit
    if target > left_sum + 1 then
      blocking = select(4,
        seek(key, entries, true, target, width, last, before, first, blocks, capacity, gone, newest))
    end
    retry = blocking + window - now
  end
  return retry, remaining, live > 0 and last + window - now or 0, entries, width, last, keep, most, sum, before,
    forgotten, first, blocks, capacity, gone, oldest, newest, block, index, left_sum, oldest_time
end

-- @include sliding_window_charge
