-- From both, by due time and then by number.
local old = call('ZRANGE', waiting, 0, math.min(want, due) - 1)
local i, j = 1, 1
while got < want and (i <= #fresh or j <= #old) do
  local record
  if j > #old then
    record, i = fresh[i], i + 1
  elseif i > #fresh then
    record, j = old[j], j + 1
  elseif #fresh[i] == 6 then
    record, i = fresh[i], i + 1
  else
    local number, at = read('>I6I7', fresh[i])
    local old_number, old_at = read('>I6I7', old[j])
    if at < old_at or at == old_at and number < old_number then
      record, i = fresh[i], i + 1
    else
      record, j = old[j], j + 1
    end
  end
  got = got + 1
  if #record > 6 then
    n = n + 1
    taken[n] = record
    bytes = bytes + #record
    if byte(record, 14) % 2 == 1 then
      call('HDEL', KEYS[6], sub(record, 1, 6))
    end
  end
end
if i > 1 then
  call('LTRIM', ready, i - 1, -1)
end
if j > 1 then
  call('ZREMRANGEBYRANK', waiting, 0, j - 2)
end
