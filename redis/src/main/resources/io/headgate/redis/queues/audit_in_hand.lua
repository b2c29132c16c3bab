-- Looks jobs up among those that are in hand, as long as they are not more than so many.
-- @include parts_of
-- @include leases_in
-- @include audit_held
local MAX_LOOKED_UP = 20000

-- In which claims a job is in hand: token, index, record.
local by_number
local function in_hand(number)
  if not by_number then
    by_number = {}
    for _, token in ipairs(call('HKEYS', KEYS[3])) do
      local held = call('HGET', KEYS[3], token)
      local _, _, parts = held_of(held)
      local expiries, i = parts and leases_in(held) or {}, 0
      local records = parts and records_of(token, parts) or ''
      readable(records, function(k, due, _, at, next)
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
