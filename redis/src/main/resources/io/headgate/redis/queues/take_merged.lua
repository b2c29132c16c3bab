-- Takes from both by due time and then by number, as far as it has looked. Those of the sorted set are runs of one.
local runs = in_list and call('LRANGE', ready, 0, want - 1) or {}
in_list = #runs == want
looked = looked + #runs
local old = call('ZRANGE', waiting, 0, math.min(most - n, at_once(), due) - 1)
local i, j, rest = 1, 1, nil
while n < most and bytes < MAX_BYTES and not rest do
  local run, one = runs[i], old[j]
  if not run and in_list or not one and due > #old or not run and not one then
    break
  end
  local from_list, before = not one, most
  if run and one then
    local number, at = read('>I6I7', run)
    local old_number, old_at = read('>I6I7', one)
    from_list = at < old_at or at == old_at and number < old_number
    if at == old_at then
      -- One that was taken out of the middle of the run, and came back.
      before = old_number - number
    end
  end
  if from_list then
    i, rest = i + 1, take_run(run, before)
  else
    if byte(one, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(one, 1, 6))
    end
    take_whole(one, 1)
    j = j + 1
  end
end
if i > 1 then
  call('LTRIM', ready, i - 1, -1)
end
if rest then
  call('LPUSH', ready, rest)
  in_list = true
end
if j > 1 then
  call('ZREMRANGEBYRANK', waiting, 0, j - 2)
  due = due - (j - 1)
end
