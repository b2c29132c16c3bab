-- Cuts off what lies before the entry of a sliding window that is to be the oldest.
if block == blocks then
  if index > 0 then
    entries = string.sub(entries, index * width + 1)
  end
  blocks, capacity, first, gone = 0, 0, 0, 0
else
  first, blocks, gone = (first + block) % capacity, blocks - block, index
end
