-- The first entry, from index on, that is later than x, or, by_sum, with which the sum of permits reaches x.
-- Returns its place, the sum before it, and its time; or nil and the sum of all.
local function scan(packed, index, count, by_sum, x, sum, format, width, range, last)
  while index < count do
    local entry = unpack(format, packed, index * width + 1)
    local exponent = entry % 32
    local time, permits = last - (last - (entry - exponent) / 32) % range, 2 ^ exponent
    if by_sum and sum + permits >= x or not by_sum and time > x then
      return index, sum, time
    end
    sum, index = sum + permits, index + 1
  end
  return nil, sum
end

-- The same in all of a sliding window. Returns its block (counted from the oldest; the number of blocks when it is
-- among the newest), its place there, the sum before it, and its time (nil when there is no such entry).
-- cost     GETRANGE for each block that is searched
function seek(by_sum, x, key, front, entries, format, width, range, last, sum, first, blocks, capacity, gone, newest)
  local function read(block, from, bytes)
    local offset = 70 + 32 * width + (first + block - 1) % capacity * (16 * width + 7) + from
    return call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + bytes - 1))
  end
  local index, time
  if blocks > 0 then
    index, sum, time = scan(front, gone, 16, by_sum, x, sum, format, width, range, last)
    if index then
      return 0, index, sum, time
    end
    local low, high = 1, blocks
    while low < high do
      -- Most often it is the next one. Is it there, or before?
      local middle = low == 1 and 1 or math.floor((low + high) / 2)
      local tail = read(middle, 15 * width, width + 7)
      local total = unpack('>I7', tail, width + 1)
      if by_sum and total >= x or not by_sum and scan(tail, 0, 1, false, x, 0, format, width, range, last) then
        high = middle
      else
        low, sum = middle + 1, total
      end
    end
    if low < blocks then
      index, sum, time = scan(read(low, 0, 16 * width), 0, 16, by_sum, x, sum, format, width, range, last)
      return low, index, sum, time
    end
  end
  index, sum, time = scan(entries, 0, newest, by_sum, x, sum, format, width, range, last)
  return blocks, index or newest, sum, time
end
