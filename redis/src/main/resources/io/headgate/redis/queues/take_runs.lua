-- Takes runs off the list until there are jobs enough, of the last one perhaps a part.
local room, size = most - n, bytes
while taken_heads < #heads and room > 0 and size < MAX_BYTES do
  taken_heads = taken_heads + 1
  local count, length = read('>I2I3', heads[taken_heads], 14)
  room, size = room - count, size + length
end
local records = taken_heads > 0 and call('LPOP', ready_records, taken_heads) or {}
for i = 1, taken_heads do
  rest_head, rest = take_run(heads[i], records[i], most)
end
