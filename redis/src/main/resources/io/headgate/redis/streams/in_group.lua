-- What Redis answers to a command of the group, which is made first if it is missing, and the stream with it.
local function in_group(...)
  local reply = redis.pcall(...)
  if reply and reply.err then
    if string.find(reply.err, 'NOGROUP', 1, true) then
      call('XGROUP', 'CREATE', stream, ARGV[1], ARGV[4], 'MKSTREAM')
      fence, changed = math.max(now, fence + 1), true
    end
    return call(...)
  end
  return reply
end
