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
