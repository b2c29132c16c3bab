-- Looks jobs up among those that are in hand, as long as they are not more than so many.
local MAX_LOOKED_UP = 20000

-- In which claims a job is in hand: token, index, record.
local by_number
local function in_hand(number)
  if not by_number then
    by_number = {}
    for _, token in ipairs(call('HKEYS', KEYS[3])) do
      local held, records = call('HGET', KEYS[3], token), call('HGET', KEYS[4], token)
      local expiries, i = held and leases_in(held) or {}, 0
      readable(records or '', function(k, due, _, at, next)
        i = i + 1
        if (expiries[i] or 0) > 0 then
          by_number[k] = by_number[k] or {}
          table.insert(by_number[k], {token, i, due, records, at, next})
        end
      end)
    end
  end
  local claims = {}
  for i, c in ipairs(by_number[number] or {}) do
    claims[i] = {c[1], c[2], pack('>I6I7I2', number, c[3], 1) .. sub(c[4], c[5], c[6] - 1)}
  end
  return claims
end

local function key_of(record)
  local flags = byte(record, 16)
  local at = (flags % 2 == 1 and 31 or 20)
  if flags % 4 > 1 then
    at = at + 2 + read('>I2', record, at)
  end
  return math.floor(flags / 4) % 2 == 1 and sub(record, at + 1, at + byte(record, at)) or nil
end
