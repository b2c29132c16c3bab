-- The lease of the job has expired: it waits again, or, when that was so often enough, is a dead letter.
local function expire(record)
  local crashed = math.min(255, (byte(record, 16) % 2 == 1 and byte(record, 30) or 0) + 1)
  if crashed >= crashes then
    bury(record, 0, 1, 'its lease expired ' .. crashed .. ' times')
    given_up = given_up + 1
  else
    wait_again(record, (read('>I7', record, 7)), 0, 1, 1)
  end
end
