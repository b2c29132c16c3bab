-- The exact sliding window: every admission is stored until it leaves the window.

-- @section sliding_window
-- The exact sliding window 'sw', twin of SlidingWindowAlgorithm: a log of what was admitted.
--
-- rule     limit (4 bytes); window in us (6); expiry in ms (6)
-- state    a string: a header, the newest entries (up to 16), and, when there are more, the oldest block, which is read
--          with the header, and a ring of the blocks between.
--          An entry is 4 to 7 bytes: the time, as far as the longest window needs it, and in its low 5 bits the
--          exponent of how many permits it is: a request for n permits is one entry for each bit of n.
--          A block is 16 entries, in the ring with the sum of all permits ever admitted up to its end (7 bytes).
--          A key that holds up to 16 entries is only as long as they are; a ring doubles up to what the limit needs.
-- header   width of an entry (1 byte); last charge (7); permits ever admitted (7); newest entries (1);
--          time of the oldest entry (7), permits before it (7), permits forgotten (7); longest window (6) and largest
--          limit (3) charged under, and the last charge under that window where a later one was under less, else 0 (7);
--          when the key expires (7);
--          ring: where it begins (3), blocks in use with the oldest (3), blocks it has room for (3), entries gone from the
--          oldest (1)
-- cost     GETRANGE; one more for each block of the ring that is searched, most often one each 16 entries and at most
--          log2 of the blocks; charged: SET or SETRANGE, one more each 16 entries, PEXPIRE now and then
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
local simple
-- @include sliding_window_state
if state == '' then
  retry, remaining, reset = permits > limit and -1 or 0, limit, 0
else
  local left = time - window
  -- What most requests are: one permit, under the limit that the key is used to.
  local plain = permits == 1 and many == 1 and window == keep and kept == 0 and limit <= most and last > left
    and expires >= time + window + 60000000
  index, left_sum, oldest_time = gone, before, oldest
  if plain and oldest <= left then
    -- @include sliding_window_slide
  end
  local live = sum - (left_sum > forgotten and left_sum or forgotten)
  local usual = permits == 1 and live <= limit and oldest_time > left
  -- There is room for one more, or will be: some have left, or the newest fill a block that the ring has room for.
  simple = usual and plain and (newest < 16 or blocks == 0 and index > 0 or blocks > 0 and blocks <= capacity)
  if not usual or not simple and live < limit then
    -- @include sliding_window_search
    live = sum - (left_sum > forgotten and left_sum or forgotten)
  end
  remaining = limit > live and limit - live or 0
  reset = live > 0 and last + window - now or 0
  if permits <= remaining then
    retry = 0
  elseif permits > limit then
    retry = -1
  elseif usual then
    retry = oldest_time + window - now
  else
    local _, _, _, blocking = seek(
      true, sum + permits - limit, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
    retry = blocking + window - now
  end
end
-- @charge
if simple then
  range = width == 4 and 134217728 or width == 7 and 281474976710656 or 2 ^ (8 * width - 5)
  if newest < 16 and index == gone and not next_block then
    -- Nothing has left and there is room: one entry more.
    call('SETRANGE', key, '0', pack(
      width == 4 and '>I1I7I7I1c0I4' or width == 5 and '>I1I7I7I1c0I5'
        or width == 6 and '>I1I7I7I1c0I6' or '>I1I7I7I1c0I7',
      width, time, sum + 1, newest + 1, string.sub(state, 17, 70 + newest * width), time % range * 32))
  else
    -- @include sliding_window_slid
  end
else
  -- @include sliding_window_charge
end
remaining, reset = remaining - permits, time + window - now
-- @attempt
-- The oldest make room for as many as the limit is.
permits, simple = permits < limit and permits or limit, false
if keep and not seek then
  local left = time - window
  -- @include sliding_window_search
end

-- @section sliding_window_state
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

-- @section sliding_window_entry
-- How an entry of a sliding window is packed, and after how many microseconds its time begins anew.
format = width == 4 and '>I4' or width == 5 and '>I5' or width == 6 and '>I6' or '>I7'
range = width == 4 and 134217728 or width == 7 and 281474976710656 or 2 ^ (8 * width - 5)

-- @section sliding_window_open
-- Before the entries of a sliding window are read: what it says of its length must be true, so that nothing can fail
-- half way; and seek.
-- @include sliding_window_entry
block, index, left_sum, oldest_time = 0, gone, before, oldest
entries = string.sub(state, 71, 70 + newest * width)
front = blocks > 0 and string.sub(state, 71 + 16 * width, 70 + 32 * width) or ''
if blocks == 0 and (#state > 70 + newest * width or gone > 0 or capacity > 0)
  or blocks > 0 and (gone > 15 or first > 0 and first >= capacity
    or call('STRLEN', key) ~= 70 + 32 * width + capacity * (16 * width + 7)) then
  error('HEADGATE_FOREIGN not a sliding window')
end
-- @include sliding_window_seek

-- @section sliding_window_seek
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

-- @section sliding_window_search
-- Finds the oldest entry of a sliding window that has not left.
-- @include sliding_window_open
if last <= left then
  block, index, left_sum, oldest_time = blocks, newest, sum, nil
elseif oldest <= left then
  block, index, left_sum, oldest_time =
    seek(false, left, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
end

-- @section sliding_window_slide
-- Where a sliding window has few places to look for what has left, the newest entries of a small one or the two oldest
-- blocks of a larger: finds the oldest entry that has not. Where there is none, the time stays one that has left.
-- @include sliding_window_entry
local packed, at, count = state, 71, newest
if blocks > 0 then
  at, count = 71 + 16 * width, 16
end
while index < count do
  local entry = unpack(format, packed, at + index * width)
  local exponent = entry % 32
  oldest_time = last - (last - (entry - exponent) / 32) % range
  if oldest_time > left then
    break
  end
  left_sum, index = left_sum + 2 ^ exponent, index + 1
  if index == 16 and blocks > 1 and not next_block then
    local offset = 70 + 32 * width + first * (16 * width + 7)
    next_block = call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + 16 * width - 1))
    if #next_block ~= 16 * width then
      error('HEADGATE_FOREIGN not a sliding window')
    end
    packed, at, index = next_block, 1, 0
  end
end

-- @section sliding_window_slid
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

-- @section sliding_window_charge
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

-- @section sliding_window_cut
-- Cuts off what lies before the entry of a sliding window that is to be the oldest.
if block == blocks then
  if index > 0 then
    entries = string.sub(entries, index * width + 1)
  end
  front, blocks, capacity, first, gone = '', 0, 0, 0, 0
else
  if block > 0 then
    local offset = 70 + 32 * width + (first + block - 1) % capacity * (16 * width + 7)
    front = call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + 16 * width - 1))
    first, blocks = (first + block) % capacity, blocks - block
  end
  gone = index
end

-- @section sliding_window_widen
-- Writes the entries of a sliding window wider, for a window that is longer than any before; happens once to a key.
-- What is put above an entry is the same for all of an epoch, which is as long as narrow entries tell times apart: the newest
-- is of one epoch, and the others are of that or, those that come first, of the one before.
-- cost     GETRANGE of the whole ring; one struct.unpack and one struct.pack for each block, and some 0.15 us an entry
local wider = keep <= 34359738368 and 5 or keep <= 8796093022208 and 6 or 7
local epochs = (wider == 7 and 281474976710656 or 2 ^ (8 * wider - 5)) / range
local epoch, newest_of_epoch = math.floor(last / range), last % range * 32 + 31
local above, above_before = epoch % epochs * range * 32, (epoch - 1) % epochs * range * 32
local wider_format = '>I' .. wider
local function widen(packed_entries)
  local widened = {}
  for i = 1, #packed_entries / width do
    local e = unpack(format, packed_entries, (i - 1) * width + 1)
    widened[i] = pack(wider_format, e + (e > newest_of_epoch and above_before or above))
  end
  return table.concat(widened)
end
if blocks > 0 then
  -- @include sliding_window_unrolled
  local block_format = '>' .. string.rep('I' .. width, 16) .. 'I7'
  local wider_block_format = '>' .. string.rep('I' .. wider, 16) .. 'I7'
  local widened, size = {}, 16 * width + 7
  for i = 1, blocks - 1 do
    local at = (i - 1) * size + 1
    local a, b, c, d, e, f, g, h, j, k, l, m, n, o, p, q, total = unpack(block_format, ring, at)
    local over = a > newest_of_epoch and above_before or above
    if a > newest_of_epoch and q <= newest_of_epoch then
      -- The new epoch begins within this block.
      widened[i] = widen(string.sub(ring, at, at + 16 * width - 1)) .. pack('>I7', total)
    else
      widened[i] = pack(wider_block_format, a + over, b + over, c + over, d + over, e + over, f + over, g + over, h + over,
        j + over, k + over, l + over, m + over, n + over, o + over, p + over, q + over, total)
    end
  end
  ring = table.concat(widened)
end
entries, front, width = widen(entries), widen(front), wider

-- @section sliding_window_seal
-- Cuts blocks of 16 off the newest entries of a sliding window; the ring grows where it is full.
while #entries > 16 * width do
  local block_full = string.sub(entries, 1, 16 * width)
  if blocks == 0 then
    front, ring = block_full, ''
  else
    if blocks > capacity and not ring then
      -- @include sliding_window_unrolled
    end
    -- The block ends with the sum of all permits less those of the entries after it.
    local total = sum
    for i = 16, #entries / width - 1 do
      total = total - 2 ^ (unpack(format, entries, i * width + 1) % 32)
    end
    local sealed = block_full .. pack('>I7', total)
    if ring then
      ring = ring .. sealed
    else
      local slot = (first + blocks - 1) % capacity
      call('SETRANGE', key, string.format('%d', 70 + 32 * width + slot * #sealed), sealed)
    end
  end
  entries, blocks = string.sub(entries, 16 * width + 1), blocks + 1
end
if ring then
  -- Double, but not beyond what the limit needs.
  capacity = math.max(blocks - 1, math.min(2 * blocks - 4, math.floor((most - 2) / 16)))
end

-- @section sliding_window_unrolled
-- ring: the blocks of a sliding window's ring that are in use, oldest first.
-- cost     GETRANGE of the whole ring
if blocks > 1 then
  local size, start = 16 * width + 7, 70 + 32 * width
  ring = call('GETRANGE', key, string.format('%d', start), string.format('%d', start + capacity * size - 1))
  ring = string.sub(string.sub(ring, first * size + 1) .. string.sub(ring, 1, first * size), 1, (blocks - 1) * size)
else
  ring = ''
end
first, capacity = 0, blocks > 0 and blocks - 1 or 0

-- @section sliding_window_spare
-- Of several requests that are decided in one call: one whose charge would write more entries wider than this call has to
-- spare is not decided, and must be asked alone. All that its rules would write wider counts.
if keep and window > keep and last > time - window and (width == 4 and window > 134217728
  or width == 5 and window > 34359738368 or width == 6 and window > 8796093022208) then
  wide = wide + 16 * blocks + newest
  if wide > spare then
    allowed, remaining, retry, reset = nil, 4294967295, -1, 0
  end
end

-- @section sliding_window_spare_admitted
-- The same under a rule that charges only what it admits.
if allowed and retry == 0 then
  -- @include sliding_window_spare
end
