-- What the consumer has in hand from one id to another: of each its id, consumer, idle time and deliveries.
local function in_hand(from, to, most)
  local reply = redis.pcall('XPENDING', stream, ARGV[1], from, to, most, ARGV[2])
  if reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    return {}
  end
  return reply.err and call('XPENDING', stream, ARGV[1], from, to, most, ARGV[2]) or reply
end
