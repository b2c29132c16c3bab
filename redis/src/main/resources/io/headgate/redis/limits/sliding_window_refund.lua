-- Refunds of the exact sliding window.

-- @section sliding_window_refund
-- Refunds a sliding window.
--
-- cost     as a decision that searches; by decision one more GETRANGE for each block after the charge, of which there may
--          be 1024, and by the oldest as many as for a denied request; SETRANGE for each of them, SET or UNLINK
local limit, window, expiry
limit, window, expiry, at = unpack('>I4I6I6', limits, at)
-- @include sliding_window_state
local sealed = {}
if state ~= '' then
  local left = time - window
  -- @include sliding_window_search
  local counted_from = left_sum > forgotten and left_sum or forgotten
  if charged_at > 0 then
    if charged_at > left then
      -- @include sliding_window_remove
    end
  elseif sum > counted_from then
    refunded = permits < sum - counted_from and permits or sum - counted_from
    forgotten = counted_from + refunded
    if forgotten == sum then
      entries = ''
    else
      block, index, before, oldest = seek(
        true, forgotten + 1, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
      -- @include sliding_window_cut
    end
  end
end
-- @take
if entries == '' then
  call('UNLINK', key)
else
  for slot, block_then in pairs(sealed) do
    call('SETRANGE', key, string.format('%d', 70 + 32 * width + slot * (16 * width + 7)), block_then)
  end
  local all = pack('>I1I7I7I1I7I7I7I6I3I7I7I3I3I3I1', width, last, sum, #entries / width, oldest, before,
    forgotten, keep, most, kept, expires, first, blocks, capacity, gone) .. entries
  if blocks > 0 then
    call('SETRANGE', key, '0', all .. string.rep('\0', 16 * width - #entries) .. front)
  else
    call('SET', key, all, 'KEEPTTL')
  end
end

-- @section sliding_window_remove
-- Takes permits that were charged at one instant out of a sliding window; all that follow move up.
local size = 16 * width + 7
local function read(of_block)
  if of_block == 0 then
    return front
  end
  local offset = 70 + 32 * width + (first + of_block - 1) % capacity * size
  return call('GETRANGE', key, string.format('%d', offset), string.format('%d', offset + 16 * width - 1))
end
local function entry_at(stream, i)
  local entry = unpack(format, stream, i * width + 1)
  local exponent = entry % 32
  return last - (last - (entry - exponent) / 32) % range, 2 ^ exponent
end

-- All entries from the block on in which those of that instant begin, of which there may be several.
local of_block, from, under, found = seek(
  false, charged_at - 1, key, front, entries, format, width, range, last, before, first, blocks, capacity, gone, newest)
if found == charged_at and blocks - of_block <= 1024 then
  local parts = {}
  for i = of_block, blocks - 1 do
    parts[#parts + 1] = read(i)
  end
  parts[#parts + 1] = entries
  local stream = table.concat(parts)
  local to, group, missing, packed = from, 0, permits, {}
  while to < #stream / width do
    local at_time, of_entry = entry_at(stream, to)
    if at_time ~= charged_at then
      break
    end
    if math.floor(missing / of_entry) % 2 == 1 then
      missing = missing - of_entry
    else
      packed[#packed + 1] = string.sub(stream, to * width + 1, (to + 1) * width)
    end
    to, group = to + 1, group + of_entry
  end
  packed = table.concat(packed)

  -- All that still counts of them, or those that are of these permits.
  local live = group - (forgotten > under and forgotten - under or 0)
  local at_front = of_block == 0 and from == gone
  if permits >= live then
    refunded, packed = live > 0 and live or 0, ''
    if at_front then
      -- Those that are forgotten go with them.
      under = under + group - refunded
      before = under
    end
  else
    if missing > 0 then
      -- They are part of an entry: what is left of that instant is written anew.
      local tick, bits, exponent = charged_at % range * 32, group - permits, 0
      packed = ''
      while bits > 0 do
        if bits % 2 == 1 then
          packed = packed .. pack(format, tick + exponent)
        end
        bits, exponent = math.floor(bits / 2), exponent + 1
      end
    end
    -- Where that takes more entries than there were, the ring must have room for them.
    local count_then = (#stream + #packed) / width - (to - from)
    if of_block + math.floor((count_then - 1) / 16) <= (blocks > 0 and capacity + 1 or 0) then
      refunded = permits
    end
  end
  if refunded > 0 then
    stream = string.sub(stream, 1, from * width) .. packed .. string.sub(stream, to * width + 1)
    sum = sum - refunded
    if #stream == 0 and of_block > 0 then
      of_block, from = of_block - 1, 16
      stream = read(of_block)
    end
    local total, count = under, #stream / width
    if of_block == 0 and blocks > 0 and count == gone then
      count = 0
    end
    if count == 0 then
      entries = ''
    else
      if at_front then
        oldest = entry_at(stream, from)
      end
      local last_then = entry_at(stream, count - 1)
      if kept == 0 and last_then < last then
        -- The longest window counts from its last charge on, also when that is taken back.
        kept = last
      end
      -- Blocks of 16 again, each with the sum of all permits up to its end.
      for i = 0, from - 1 do
        local _, of_entry = entry_at(stream, i)
        total = total - of_entry
      end
      local now_newest = (count - 1) % 16 + 1
      for i = 0, count - now_newest - 1 do
        local _, of_entry = entry_at(stream, i)
        total = total + of_entry
        if i % 16 == 15 then
          local block_then, packed_then = of_block + (i - 15) / 16, string.sub(stream, (i - 15) * width + 1, (i + 1) * width)
          if block_then == 0 then
            front = packed_then
          else
            sealed[(first + block_then - 1) % capacity] = packed_then .. pack('>I7', total)
          end
        end
      end
      blocks, entries, last = of_block + (count - now_newest) / 16, string.sub(stream, (count - now_newest) * width + 1),
        last_then
      if blocks == 0 then
        entries = string.sub(entries, gone * width + 1)
        front, first, capacity, gone = '', 0, 0, 0
      end
    end
  end
end
