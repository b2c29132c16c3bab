-- Takes back the jobs of claims whose leases have expired, a bounded number at a time; those that were extended stay in
-- hand. They keep their due time, and so go first.
if ends <= now then
  local taken_back = 0
  local tokens = call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_CLAIMS)
  for _, token in ipairs(tokens) do
    if taken_back > MAX_TAKEN_BACK then
      break
    end
    local expiries, left, parts = leases_in(call('HGET', KEYS[3], token))
    local job = jobs_in(records_of(token, parts))
    for i = 1, #expiries do
      if expiries[i] > 0 and expiries[i] <= now then
        expire(job(i))
        expiries[i] = 0
        left, leased, taken_back = left - 1, leased - 1, taken_back + 1
      end
    end
    claim_changed(token, expiries, left, parts)
  end
  local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  ends = soonest and tonumber(soonest) or NEVER
end
