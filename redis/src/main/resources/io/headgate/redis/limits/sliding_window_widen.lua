-- Writes the entries of a sliding window wider, for a window that is longer than any before; happens once to a key.
-- cost     a step for each entry
local wider = keep <= 34359738368 and 5 or keep <= 8796093022208 and 6 or 7
local wider_format = '>I' .. wider
local wider_range = wider == 7 and 281474976710656 or 2 ^ (8 * wider - 5)
local function widen(packed_entries)
  local widened = {}
  for i = 1, #packed_entries / width do
    local packed = unpack(format, packed_entries, (i - 1) * width + 1)
    local kind = packed % 32
    local at_time = last - (last - (packed - kind) / 32) % range
    widened[i] = pack(wider_format, at_time % wider_range * 32 + kind)
  end
  return table.concat(widened)
end
if blocks > 0 then
  -- @include sliding_window_unrolled
  local widened, size = {}, 16 * width + 7
  for i = 1, blocks - 1 do
    widened[i] = widen(string.sub(ring, (i - 1) * size + 1, i * size - 7)) .. string.sub(ring, i * size - 6, i * size)
  end
  ring = table.concat(widened)
end
entries, front, width = widen(entries), widen(front), wider
