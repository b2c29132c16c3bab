-- Looks at one claim, of which something is there.
-- @include parts_of
-- @include leases_in
-- @include audit_held
-- @include find_in_set
-- @include find_in_list
-- @include find_waiting
-- @include audit_give_up
local function check(token)
  local held = call('HGET', KEYS[3], token)
  local count, _, parts = held_of(held)
  local records, missing = '', false
  if count then
    for _, part in ipairs(call('HMGET', KEYS[4], unpack(parts_of(token, parts)))) do
      missing = missing or not part
    end
    records = records_of(token, parts)
  end
  local there = readable(records)
  looked = looked + #records + 300 * (there or 0) + 700
  if not count or missing or count ~= there then
    -- Who has which of its jobs is not known any more: they wait again, unless they do already.
    found(count and not missing and not there and UNREADABLE or CLAIM, token)
    if mend then
      give_up(token)
    end
    return
  end
  local expiries, left = leases_in(held)
  local score = call('ZSCORE', KEYS[2], token)
  local in_hand_still, least, i = 0, NEVER, 0
  for k = 1, count do
    if expiries[k] > 0 then
      in_hand_still, least = in_hand_still + 1, math.min(least, expiries[k])
    end
  end
  if left ~= in_hand_still or not score or score + 0 ~= least then
    found(CLAIM, token)
    if mend then
      ends = math.min(ends, claim_changed(token, expiries, in_hand_still, parts))
    end
  end
  readable(by == 3 and records or '', function(number, due, flags, at)
    i = i + 1
    if expiries[i] > 0 then
      local first_due = flags % 2 == 1 and read('>I7', records, at + 4) or due
      sighted(0, math.floor(flags / 16) % 4, first_due, 0, number, 1)
    end
  end)
end
