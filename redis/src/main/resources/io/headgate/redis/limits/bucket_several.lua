-- By what a bucket owes beside whole permits, and by when, each of several who were charged together is told what it would have
-- been told alone.
if many > 1 then
  reply = pack('>I6I7c0', parts, time - now, reply)
end
