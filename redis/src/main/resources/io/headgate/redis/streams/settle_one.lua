-- Settles one entry that is held. One that was deleted from the stream, or is too large for a queue, can't wait again.
if verb == 2 then
  remember(sub(said, 12), read('>I6', said, 6))
  call('XACK', stream, ARGV[1], id)
elseif verb == 5 then
  done = #call('XCLAIM', stream, ARGV[1], held[2], 0, id, 'IDLE', read('>I6', said, 6), 'JUSTID') > 0
else
  local entry = call('XRANGE', stream, id, id)[1]
  local job = entry and as_job(id, entry[2], delivery)
  if job and verb == 3 then
    local failed, delay, size = read('>BI7I2', said, 6)
    local cause = size > 0 and sub(said, 16, 15 + size) or nil
    soonest = math.min(soonest, wait_again(job, now + delay, failed, 1, 0, cause))
  elseif job then
    bury(job, 1, 0, sub(said, 8, 7 + read('>I2', said, 6)))
  end
  done = job
  if done or not entry then
    call('XACK', stream, ARGV[1], id)
  end
end
