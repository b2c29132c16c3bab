-- Notes which job has the key, before one that is done.
if key then
  call('HSET', KEYS[8], key, string.char(level) .. place .. done)
end
