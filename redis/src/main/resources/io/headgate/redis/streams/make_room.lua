-- Takes out the oldest entries, as many as are too many, when no group needs them; else ends the script. Where the bound
-- was lowered that goes in steps.
local length = call('XLEN', KEYS[1])
local over = math.min(length + count - most, count + 100)
if over > 0 then
  -- @include before
  local oldest = call('XRANGE', KEYS[1], '-', '+', 'COUNT', over)
  local last_out = oldest[#oldest][1]
  for _, group in ipairs(call('XINFO', 'GROUPS', KEYS[1])) do
    local facts = {}
    for i = 1, #group, 2 do
      facts[group[i]] = group[i + 1]
    end
    local pending = facts.pending > 0 and call('XPENDING', KEYS[1], facts.name, '-', '+', 1)[1]
    if before(facts['last-delivered-id'], last_out) or pending and not before(last_out, pending[1]) then
      return '\0' .. facts.name
    end
  end
  call('XTRIM', KEYS[1], 'MAXLEN', length - over)
end
