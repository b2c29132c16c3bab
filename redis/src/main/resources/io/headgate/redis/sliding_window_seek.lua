-- Finds in a sliding window the first entry later than x, or, by_sum, the one with which the sum of permits reaches x.
-- Returns its block (counted from the oldest; the number of blocks when it is among the newest), its place there, the
-- sum before it, and its time (nil when there is no such entry).
-- cost     GETRANGE for each block that is searched
local function seek(by_sum, x, key, entries, format, width, range, last, sum, first, blocks, capacity, gone, newest)
  local function read(block, from, bytes)
    local offset = 56 + 16 * width + (first + block) % capacity * (16 * width + 7) + from
    return redis.call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + bytes - 1))
  end
  local function entry(packed_entries, index)
    local packed = struct.unpack(format, packed_entries, index * width + 1)
    local exponent = packed % 32
    return last - (last - (packed - exponent) / 32) % range, 2 ^ exponent
  end
  local function scan(packed_entries, index, count)
    while index < count do
      local time, permits = entry(packed_entries, index)
      if by_sum and sum + permits >= x or not by_sum and time > x then
        return index, time
      end
      sum, index = sum + permits, index + 1
    end
  end
  -- Whether it lies in or before this block; if not, the sum becomes that of the block's end.
  local function reaches(block)
    local tail = read(block, 15 * width, width + 7)
    local total = struct.unpack('>I7', tail, width + 1)
    if by_sum and total >= x or not by_sum and entry(tail, 0) > x then
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
  local index, time = scan(entries, 0, newest)
  return blocks, index or newest, sum, time
end
