-- Batches of which nothing is left: their names go, so that Redis does not keep them.
for i = 1, batches do
  if byte(ARGV[first + i]) == 1 and #in_hand('-', '+', 1, names[i]) == 0 then
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], names[i])
  end
end
