-- Settles some jobs of one claim.
local expiries, job = {}, nil
if held then
  expiries, left = leases_in(held)
end
local at = 1
while at < #ops do
  local index, verb = read('>I2B', ops, at)
  at = at + 3
  if verb == 6 then
    -- @include settle_range
  else
    local holds = (expiries[index] or 0) > now
    if holds and verb > 1 and verb < 5 then
      job = job or jobs_in(records_of(token, parts))
    end
    -- @include settle_one
    answers[#answers + 1] = holds and '\1' or '\0'
  end
end
if held then
  ends = math.min(ends, claim_changed(token, expiries, left, parts))
end
