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
