-- What is in hand from one id to another, by that name or by any: of each its id, consumer, idle time and deliveries. And whether
-- such a one is held under that delivery by the consumer, or by a batch that is named.
local function in_hand(from, to, most, ...)
  local reply = redis.pcall('XPENDING', stream, ARGV[1], from, to, most, ...)
  if reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    return {}
  end
  return reply.err and call('XPENDING', stream, ARGV[1], from, to, most, ...) or reply
end
local function is_held(row, delivery, whose)
  return row[2] == (names[whose] or ARGV[2]) and math.min(65535, row[4]) == delivery
end
