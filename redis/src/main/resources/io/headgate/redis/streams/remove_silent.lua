-- Consumers that have nothing pending: batches, which get nothing more, and others that have not asked for long; one that comes
-- back is made again.
local batch = '^' .. string.rep('%x', 32) .. ':%d+$'
for _, consumer in ipairs(call('XINFO', 'CONSUMERS', stream, ARGV[1])) do
  local facts = {}
  for i = 1, #consumer, 2 do
    facts[consumer[i]] = consumer[i + 1]
  end
  if facts.pending == 0 and (facts.idle > 10 * min_idle or string.find(facts.name, batch)) then
    call('XGROUP', 'DELCONSUMER', stream, ARGV[1], facts.name)
  end
end
