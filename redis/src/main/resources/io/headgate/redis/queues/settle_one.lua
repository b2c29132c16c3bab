-- Settles one job, if it is held.
local keeps = false
if verb <= 2 then
  if holds then
    if verb == 2 then
      -- @include done
    end
    jobs = jobs - 1
  end
elseif verb == 3 then
  local failed, delay, size = read('>BI7I2', ops, at)
  local cause = size > 0 and sub(ops, at + 10, at + 9 + size) or nil
  at = at + 10 + size
  if holds then
    local old = job(index)
    local due = delay > 0 and now + delay or math.min(now, (read('>I7', old, 7)))
    soonest = math.min(soonest, wait_again(old, due, failed, 1, 0, cause))
  end
elseif verb == 4 then
  local size = read('>I2', ops, at)
  if holds then
    bury(job(index), 1, 0, sub(ops, at + 2, at + 1 + size))
  end
  at = at + 2 + size
else
  keeps = true
  if holds then
    expiries[index] = now + read('>I7', ops, at)
  end
  at = at + 7
end
if holds and not keeps then
  expiries[index] = 0
  left, leased = left - 1, leased - 1
end
