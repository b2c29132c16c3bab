-- Cuts blocks of 16 off the newest entries of a sliding window; the ring grows where it is full.
while #entries > 16 * width do
  if blocks == capacity and not ring then
    -- @include sliding_window_unrolled
  end
  -- The block ends with the sum of all permits less those of the entries after it.
  local total = sum
  for i = 16, #entries / width - 1 do
    total = total - 2 ^ (struct.unpack(format, entries, i * width + 1) % 32)
  end
  local sealed = string.sub(entries, 1, 16 * width) .. struct.pack('>I7', total)
  entries = string.sub(entries, 16 * width + 1)
  if ring then
    ring = ring .. sealed
  else
    local slot = (first + blocks) % capacity
    redis.call('SETRANGE', key, string.format('%d', 70 + 16 * width + slot * #sealed), sealed)
  end
  blocks = blocks + 1
end
if ring then
  -- Double, but not beyond what the limit needs.
  capacity = math.max(blocks, math.min(2 * blocks - 2, math.floor((most + 14) / 16)))
end
