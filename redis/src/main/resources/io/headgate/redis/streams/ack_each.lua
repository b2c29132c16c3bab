-- Acks those entries that the consumer has in hand under the delivery that is spoken of.
local most, deliveries, ids = 2 * acks, {}, {}
local shown = in_hand(ARGV[first + 1], ARGV[first + acks], most)
for i = 1, #shown do
  deliveries[shown[i][1]] = shown[i][4]
end
for i = 1, acks do
  local id = ARGV[first + i]
  if deliveries[id] == nil and #shown == most then
    local held = in_hand(id, id, 1)[1]
    deliveries[id] = held and held[4]
  end
  local done = deliveries[id] and math.min(65535, deliveries[id]) == read('>I2', ARGV[first], 2 * i + 6)
  if done then
    ids[#ids + 1] = id
    deliveries[id] = false
  end
  answers[i] = done and '\1' or '\0'
end
if #ids > 0 then
  call('XACK', stream, ARGV[1], unpack(ids))
end
