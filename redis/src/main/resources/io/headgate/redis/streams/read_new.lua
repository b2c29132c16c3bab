-- New entries, in steps that surely are not too much for one call.
while n < room and bytes < MAX_BYTES do
  local want = math.min(room - n, at_once)
  local reply = in_group('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', want, 'STREAMS', KEYS[14], '>')
  local entries = reply and reply[1][2] or {}
  for i = 1, #entries do
    hand_out(entries[i][1], entries[i][2], 1)
  end
  if #entries < want then
    break
  end
end
if n >= room or bytes >= MAX_BYTES then
  more = now
end
