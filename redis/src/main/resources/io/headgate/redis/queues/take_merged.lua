-- Takes from both by due time and then by number, as far as it has looked. Those of the sorted set are runs of one.
local old = call('ZRANGE', waiting, 0, math.min(most - n, at_once(), due) - 1)
local j = 1
while n < most and bytes < MAX_BYTES and not rest do
  local head, one = heads[taken_heads + 1], old[j]
  if not head and in_list or not one and due > #old or not head and not one then
    break
  end
  local from_list, before = not one, most
  if head and one then
    local number, at = read('>I6I7', head)
    local old_number, old_at = read('>I6I7', one)
    from_list = at < old_at or at == old_at and number < old_number
    if at == old_at then
      -- One that was taken out of the middle of the run, and came back.
      before = old_number - number
    end
  end
  if from_list then
    taken_heads = taken_heads + 1
    rest_head, rest = take_run(head, call('LPOP', ready_records), before)
  else
    if byte(one, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(one, 1, 6))
    end
    taken[#taken + 1] = one
    n, bytes = n + 1, bytes + #one
    j = j + 1
  end
end
if j > 1 then
  call('ZREMRANGEBYRANK', waiting, 0, j - 2)
  due = due - (j - 1)
end
