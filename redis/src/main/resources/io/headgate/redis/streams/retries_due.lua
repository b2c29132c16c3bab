-- How many entries may be due in the group's queue, and when more will be.
if jobs > 0 then
  retries = call('LLEN', KEYS[10]) + call('ZCOUNT', KEYS[11], '-inf', string.format('%.0f', now))
  if ends <= now then
    retries = retries + leased
  end
  local next = call('ZRANGE', KEYS[11], 0, 0)[1]
  more = math.min(ends, next and read('>I7', next, 7) or NEVER)
end
if retries > 0 then
  more = now
end
