-- Keeps the key of an entry that is done, and forgets as many as come in of those that were kept for long enough.
local function remember(key, keep_millis)
  call('ZADD', done_keys, string.format('%.0f', now), key)
  call('PEXPIRE', done_keys, keep_millis)
  local over = string.format('%.0f', now - keep_millis * 1000)
  local old = call('ZRANGEBYSCORE', done_keys, '-inf', over, 'LIMIT', 0, 2)
  if #old > 0 then
    call('ZREM', done_keys, unpack(old))
  end
end
