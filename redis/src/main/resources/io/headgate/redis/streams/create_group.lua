-- Creates the group, which begins after that id, and the stream with it if it is missing. The function that runs the command is
-- call, which raises its error, or redis.pcall, which returns it. Reads now, the time in microseconds; sets fence, which is newer
-- than that of every group of the same name before it, and changed, whether the fence is to be stored.
local function create_group(run, start)
  local reply = run('XGROUP', 'CREATE', stream, ARGV[1], start, 'MKSTREAM')
  if not reply.err then
    fence, changed = math.max(now, fence + 1), true
  end
  return reply
end
