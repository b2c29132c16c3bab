-- What Redis answers to a command of the group, which is made first if it is missing, and the stream with it.
-- @include create_group
local function in_group(...)
  local reply = redis.pcall(...)
  if reply and reply.err then
    if string.find(reply.err, 'NOGROUP', 1, true) then
      create_group(call, ARGV[4])
    end
    return call(...)
  end
  return reply
end
