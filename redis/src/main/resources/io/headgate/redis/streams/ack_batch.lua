-- Acks all that a batch has, by its name, which goes. Says 0 that there was nothing, 1 that all is done; after a takeover, or
-- where Redis 6.2 has no memory left for such a command, 2 and as MessagePack the ids of what was left to ack.
local dropped = fence_was > 0 and fence_was == fence and redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], name)
if type(dropped) == 'number' then
  of_batches[#of_batches + 1] = dropped > 0 and '\1' or '\0'
else
  local ids = in_hand('-', '+', 65535, name)
  for k = 1, #ids do
    ids[k] = ids[k][1]
  end
  if #ids > 0 then
    call('XACK', stream, ARGV[1], unpack(ids))
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], name)
  end
  of_batches[#of_batches + 1] = #ids > 0 and '\2' .. cmsgpack.pack(ids) or '\0'
end
