-- Takes back the jobs of claims whose leases have expired, a bounded number at a time; those that were extended stay in
-- hand. They keep their due time, and so go first.
if ends <= now then
  local taken_back = 0
  local tokens = call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_CLAIMS)
  for _, token in ipairs(tokens) do
    if taken_back > MAX_TAKEN_BACK then
      break
    end
    local slots, records = call('HGET', KEYS[3], token), call('HGET', KEYS[4], token)
    local expiries = {read('>' .. string.rep('I7', (#slots - 2) / 7), slots, 3)}
    local at, left, least = 1, 0, NEVER
    for i = 1, #expiries - 1 do
      local size = length(records, at)
      local expiry = expiries[i]
      if expiry > now then
        left, least = left + 1, math.min(least, expiry)
      elseif expiry > 0 then
        expire(sub(records, at, at + size - 1))
        leased, taken_back, expiries[i] = leased - 1, taken_back + 1, 0
      end
      at = at + size
    end
    -- @include claim_changed
  end
  local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  ends = soonest and tonumber(soonest) or NEVER
end
