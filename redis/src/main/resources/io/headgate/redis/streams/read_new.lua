-- New entries, in steps that surely are not too much for one call.
while n < room and bytes < MAX_BYTES do
  local want = math.min(room - n, at_once)
  local reply = in_group('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', want, 'STREAMS', stream, '>')
  if not reply then
    break
  end
  hand_out(reply[1][2])
  if #reply[1][2] < want then
    break
  end
end
if n >= room or bytes >= MAX_BYTES then
  more = now
end
