-- Acks entries: whole batches by their names; others all in one command where they were handed out under the fence as it is now.
-- Else it looks at once at what is in hand from the first to the last of them, and where that is much more, at the rest one by
-- one.
--
-- Argument `first`: 2 bytes how many batches are named, 2 how many entries are acked by their ids; 7 bytes the fence that was, if
-- it was one for these and nothing was said of any of them before, else 0; of each of these 2 bytes under which delivery it is
-- in hand, and 2 whose: of which of the batches, or 0 of the consumer. Then the batches: 1 byte what becomes of its name, which
-- stays (0), goes if nothing is left (1) or with all that it has (2), 7 the fence that was, the name. Then the ids, in their
-- order. In `answers` is a byte for each of these: 1 done, 0 the lease was lost; in `of_batches`, what ack_batch.lua says.
local batches, acks, under = read('>I2I2I7', ARGV[first])
local names, of_batches, ids_at = {}, {}, first + 1 + batches
-- @include in_hand
for i = 1, batches do
  local how, fence_was, name = byte(ARGV[first + i]), read('>I7', ARGV[first + i], 2), sub(ARGV[first + i], 9)
  names[i] = name
  if how == 2 then
    -- @include ack_batch
  end
end
if acks > 0 and under > 0 and under == fence then
  -- None of them: the group is not what it was.
  local gone = call('XACK', stream, ARGV[1], unpack(ARGV, ids_at, ids_at + acks - 1))
  answers[1] = string.rep(gone > 0 and '\1' or '\0', acks)
elseif acks > 0 then
  -- @include ack_each
end
