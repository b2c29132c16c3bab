-- Notes which job has the key.
if key then
  call('HSET', KEYS[8], key, string.char(level) .. place)
end
