-- The writing half of the sliding window; see sliding_window.lua.

local function width_of(window)
  return window <= SPANS[4] and 4 or window <= SPANS[5] and 5 or window <= SPANS[6] and 6 or 7
end

local function pack_entry(time, exponent, width)
  return struct.pack(FORMATS[width], time % SPANS[width] * 32 + exponent)
end

-- One entry for each bit of permits.
local function pack_permits(time, permits, width)
  local packed, exponent = '', 0
  while permits > 0 do
    if permits % 2 == 1 then
      packed = packed .. pack_entry(time, exponent, width)
    end
    permits, exponent = math.floor(permits / 2), exponent + 1
  end
  return packed
end

-- The same entries in another width.
local function widen(entries, from, to, last)
  local widened = {}
  for index = 0, #entries / from - 1 do
    local time, permits = entry(entries, index, from, last)
    widened[index + 1] = pack_permits(time, permits, to)
  end
  return table.concat(widened)
end

-- The blocks in use, oldest first; in another width if that differs.
local function unrolled(key, width, to, last, first, blocks, capacity)
  local size, start = 16 * width + 7, HEADER_BYTES + 16 * width
  local ring = redis.call('GETRANGE', key, text(start), text(start + capacity * size - 1))
  local ordered = string.sub(string.sub(ring, first * size + 1) .. string.sub(ring, 1, first * size), 1, blocks * size)
  if to == width then
    return ordered
  end
  local widened = {}
  for block = 0, blocks - 1 do
    local sums = (block + 1) * size - 7
    widened[block + 1] = widen(string.sub(ordered, block * size + 1, sums), width, to, last)
      .. string.sub(ordered, sums + 1, sums + 7)
  end
  return table.concat(widened)
end

-- Cuts the oldest 16 entries off as a block that ends with their sum, which is told from the sum of all.
local function seal(entries, width, last, sum)
  for index = 16, #entries / width - 1 do
    local _, permits = entry(entries, index, width, last)
    sum = sum - permits
  end
  return string.sub(entries, 1, 16 * width) .. struct.pack('>I7', sum), string.sub(entries, 16 * width + 1)
end

charge.sw = function(key, at, permits, now, remaining, entries, width, last, keep, most, sum, before, forgotten,
    first, blocks, capacity, gone, oldest, newest, block, index, left_sum, oldest_time)
  local limit, window, expiry = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), ARGV[at + 4]
  local time = last and last > now and last or now
  local longest = keep and keep > window and keep or window
  -- The expiry leaves two minutes beyond the window, so once a minute is enough to set it.
  local rearm = not last or window > keep or math.floor(time / 60000000) ~= math.floor(last / 60000000)

  -- Forget what no limit that was charged here can ask for.
  if not last or last <= time - longest then
    width, keep, most, entries, newest = width_of(window), window, limit, '', 0
    sum, before, forgotten, first, blocks, capacity, gone, oldest = 0, 0, 0, 0, 0, 0, 0, 0
  else
    most = limit > most and limit or most
    local surplus = sum + permits - most
    if longest > window then
      block, index, left_sum, oldest_time = 0, gone, before, oldest
      if blocks == 0 or oldest <= time - longest then
        block, index, left_sum, oldest_time =
          seek(key, entries, false, time - longest, width, last, before, first, blocks, capacity, gone, newest)
      end
      expiry = text(math.floor(longest / 1000) + 180000)
    end
    if surplus > left_sum and surplus < sum then
      block, index, left_sum, oldest_time =
        seek(key, entries, true, surplus + 1, width, last, before, first, blocks, capacity, gone, newest)
    end
    forgotten = math.max(forgotten, left_sum)
    before = left_sum
    if block == blocks then
      entries = string.sub(entries, index * width + 1)
      blocks, capacity, first, gone, oldest = 0, 0, 0, 0, 0
    else
      first, blocks, gone, oldest = (first + block) % capacity, blocks - block, index, oldest_time
    end
    keep = longest
  end

  -- Add the new ones; where the newest entries become too many, the oldest of them become a block.
  local ring
  local wider = width_of(keep)
  if wider > width then
    if blocks > 0 then
      ring = unrolled(key, width, wider, last, first, blocks, capacity)
      first, capacity = 0, blocks
    end
    entries, width = widen(entries, width, wider, last), wider
  end
  entries = entries .. pack_permits(time, permits, width)
  sum = sum + permits
  forgotten = math.max(forgotten, sum - most)
  while #entries > 16 * width do
    if blocks == 0 then
      oldest, gone = entry(entries, 0, width, time), 0
    end
    if blocks == capacity and not ring then
      ring = blocks > 0 and unrolled(key, width, width, time, first, blocks, capacity) or ''
      first = 0
    end
    local sealed
    sealed, entries = seal(entries, width, time, sum)
    if ring then
      ring = ring .. sealed
    else
      local offset = HEADER_BYTES + 16 * width + (first + blocks) % capacity * #sealed
      redis.call('SETRANGE', key, text(offset), sealed)
    end
    blocks = blocks + 1
  end
  if ring then
    -- Double, but not beyond what the limit needs.
    capacity = math.max(blocks, math.min(2 * blocks - 2, math.floor((most + 14) / 16)))
  end

  local state = struct.pack(HEADER, width, time, keep, most, sum, before, forgotten, first, blocks, capacity, gone,
    oldest, #entries / width) .. entries
  if blocks == 0 then
    redis.call('SET', key, state, 'PX', expiry)
  elseif ring then
    local size = 16 * width + 7
    redis.call('SET', key, state .. string.rep('\0', HEADER_BYTES + 16 * width - #state) .. ring
      .. string.rep('\0', capacity * size - #ring), 'PX', expiry)
  else
    redis.call('SETRANGE', key, '0', state)
    if rearm then
      redis.call('PEXPIRE', key, expiry)
    end
  end
  return remaining - permits, time + window - now
end
