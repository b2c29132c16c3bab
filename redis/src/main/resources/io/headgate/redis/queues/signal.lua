-- Wakes those who sleep longer than until the soonest job is due, once.
if soonest < awaited then
  awaited = 0
  call('PUBLISH', KEYS[1], '')
end
