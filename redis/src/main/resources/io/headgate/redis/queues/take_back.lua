-- Takes back the jobs of one claim whose lease has expired; those that were extended stay in hand. They keep their due
-- time, and so go first.
if ends <= now then
  local token = call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1)[1]
  if token then
    local slots, records = call('HGET', KEYS[3], token), call('HGET', KEYS[4], token)
    local expiries = {read('>' .. string.rep('I7', (#slots - 2) / 7), slots, 3)}
    local at, left, least = 1, 0, NEVER
    for i = 1, #expiries - 1 do
      local size = length(records, at)
      local expiry = expiries[i]
      if expiry > now then
        left, least = left + 1, math.min(least, expiry)
      elseif expiry > 0 then
        local record = sub(records, at, at + size - 1)
        local _, _, crashed = aged(record, 0, 0, 1, 1)
        if crashed >= crashes then
          bury(record, 0, 1, 'its lease expired ' .. crashed .. ' times')
        else
          wait_again(record, (read('>I7', record, 7)), 0, 1, 1)
        end
        leased = leased - 1
        expiries[i] = 0
      end
      at = at + size
    end
    -- @include claim_changed
  end
  local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  ends = soonest and tonumber(soonest) or NEVER
end
