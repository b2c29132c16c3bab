-- Acks entries: all in one command where they were handed out under the fence as it is now. Else it looks at once at what the
-- consumer has in hand from the first to the last of them, and where that is much more, at the rest one by one.
--
-- Argument `first`: 7 bytes the fence that was, if it was one for all and nothing was said of any of them before, else 0; 2
-- bytes for each under which delivery it is in hand. Then their ids, in their order.
local under = read('>I7', ARGV[first])
if under > 0 and under == fence then
  -- None of them: the group is not what it was.
  local gone = call('XACK', stream, ARGV[1], unpack(ARGV, first + 1, first + acks))
  answers[1] = string.rep(gone > 0 and '\1' or '\0', acks)
else
  -- @include in_hand
  -- @include ack_each
end
