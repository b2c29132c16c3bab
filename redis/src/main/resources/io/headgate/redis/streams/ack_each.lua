-- Acks those entries that are in the hands, and under the delivery, that are spoken of.
local most, rows, ids = 2 * acks, {}, {}
local shown = in_hand(ARGV[ids_at], ARGV[ids_at + acks - 1], most)
for i = 1, #shown do
  rows[shown[i][1]] = shown[i]
end
for i = 1, acks do
  local id = ARGV[ids_at + i - 1]
  local row = rows[id]
  if row == nil and #shown == most then
    row = in_hand(id, id, 1)[1]
  end
  local done = row and is_held(row, read('>I2I2', ARGV[first], 4 * i + 8))
  if done then
    ids[#ids + 1] = id
    rows[id] = false
  end
  answers[i] = done and '\1' or '\0'
end
if #ids > 0 then
  call('XACK', stream, ARGV[1], unpack(ids))
end
