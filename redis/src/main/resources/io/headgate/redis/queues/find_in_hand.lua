-- Finds a job that is in hand, and answers as find.lua does: goes through claims by when the first lease of each ends.
local MAX_FOUND_CLAIMS, MAX_FOUND_BYTES = 100, 4194304
local function job_of(records, number)
  local at, i = 1, 0
  while at <= #records do
    local first, due, count = read('>I6I7I2', records, at)
    at = at + 15
    for k = first, first + count - 1 do
      local size = 4 + read('>I3', records, at + 1)
      i = i + 1
      if k == number then
        return i, pack('>I6I7I2', number, due, 1) .. sub(records, at, at + size - 1)
      end
      at = at + size
    end
  end
end
local function find_in_hand(level, first_due, number)
  local rank, bytes, place = 0, 0, nil
  if #ARGV[2] > 0 then
    local score = call('ZSCORE', KEYS[2], sub(ARGV[2], 8))
    local at = read('>I7', ARGV[2])
    rank = score and score + 0 == at and call('ZRANK', KEYS[2], sub(ARGV[2], 8)) + 1
      or call('ZCOUNT', KEYS[2], '-inf', '(' .. string.format('%.0f', at))
  end
  local claims = call('ZRANGE', KEYS[2], rank, rank + MAX_FOUND_CLAIMS - 1, 'WITHSCORES')
  for c = 1, #claims, 2 do
    if bytes > MAX_FOUND_BYTES then
      return '\1' .. place
    end
    local held, records = call('HGET', KEYS[3], claims[c]), call('HGET', KEYS[4], claims[c])
    local i, record = nil, nil
    if held and records then
      i, record = job_of(records, number)
      bytes = bytes + #records
    end
    if i then
      local expiry = leases_in(held)[i]
      local due = byte(record, 16) % 2 == 1 and read('>I7', record, 20) or read('>I7', record, 7)
      if expiry > 0 and due == first_due and math.floor(byte(record, 16) / 16) % 4 == level then
        return pack('>BI7', 4, expiry) .. record
      end
    end
    place = pack('>I7', claims[c + 1]) .. claims[c]
  end
  return #claims == 2 * MAX_FOUND_CLAIMS and '\1' .. place or '\0'
end
