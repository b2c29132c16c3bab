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
