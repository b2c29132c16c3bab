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
