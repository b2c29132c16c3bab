-- Keeps what is left of a claim, or nothing.
if left == 0 then
  call('HDEL', KEYS[3], token)
  call('HDEL', KEYS[4], token)
  call('ZREM', KEYS[2], token)
else
  expiries[#expiries] = nil
  call('HSET', KEYS[3], token, pack('>I2' .. string.rep('I7', #expiries), left, unpack(expiries)))
  call('ZADD', KEYS[2], string.format('%.0f', least), token)
end
