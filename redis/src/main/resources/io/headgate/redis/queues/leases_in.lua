-- What is held of a claim: 2 bytes how many jobs it had, 2 how many are still in hand, 1 in how many parts its records are,
-- then when each lease ends, 7 bytes each, 0 when it has; once for all while all are as they were.

-- When each lease of a claim ends, how many are still in hand, and in how many parts the records are.
local function leases_in(held)
  local count, left, parts = read('>I2I2B', held)
  local expiries
  if #held > 12 then
    expiries = {read('>' .. string.rep('I7', count), held, 6)}
    expiries[count + 1] = nil
  else
    local expiry = read('>I7', held, 6)
    expiries = {}
    for i = 1, count do
      expiries[i] = expiry
    end
  end
  return expiries, left, parts
end

-- The runs of a claim, or as much of them as is there.
local function records_of(token, parts)
  local found = call('HMGET', KEYS[4], unpack(parts_of(token, parts)))
  for i = 1, parts do
    found[i] = found[i] or ''
  end
  return table.concat(found)
end

-- Where each job of a claim is: its number, its due time, and where its record begins and the next one does.
local function jobs_in(records)
  local numbers, dues, starts, at = {}, {}, {}, 1
  while at <= #records do
    local number, due, count = read('>I6I7I2', records, at)
    at = at + 15
    for k = 0, count - 1 do
      local i = #starts + 1
      numbers[i], dues[i], starts[i] = number + k, due, at
      at = at + 4 + read('>I3', records, at + 1)
    end
  end
  return function(i)
    local size = 4 + read('>I3', records, starts[i] + 1)
    return pack('>I6I7I2', numbers[i], dues[i], 1) .. sub(records, starts[i], starts[i] + size - 1)
  end
end

-- Nothing is in hand any more of a claim.
local function claim_ended(token, parts)
  call('HDEL', KEYS[3], token)
  call('HDEL', KEYS[4], unpack(parts_of(token, parts)))
  call('ZREM', KEYS[2], token)
end

-- Notes what is still in hand of a claim; returns when the first of these leases ends.
local function claim_changed(token, expiries, left, parts)
  if left == 0 then
    claim_ended(token, parts)
    return NEVER
  end
  local least = NEVER
  for i = 1, #expiries do
    if expiries[i] > 0 then
      least = math.min(least, expiries[i])
    end
  end
  call('HSET', KEYS[3], token, pack('>I2I2B' .. string.rep('I7', #expiries), #expiries, left, parts, unpack(expiries)))
  call('ZADD', KEYS[2], string.format('%.0f', least), token)
  return least
end
