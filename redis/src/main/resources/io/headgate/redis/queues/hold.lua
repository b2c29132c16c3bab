-- Keeps what is handed out. Redis's Lua reads every byte of a string that it makes, so a few large parts are kept as they are.
if #taken > 40 or bytes < 2000 then
  taken = {table.concat(taken)}
end
call('HSET', KEYS[3], ARGV[2], pack('>I2I2BI7', n, n, #taken, expiry))
if #taken == 1 then
  call('HSET', KEYS[4], ARGV[2], taken[1])
else
  local fields, parts = parts_of(ARGV[2], #taken), {}
  for i, field in ipairs(fields) do
    parts[2 * i - 1], parts[2 * i] = field, taken[i]
  end
  call('HSET', KEYS[4], unpack(parts))
end
